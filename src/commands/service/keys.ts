import { open, rm } from "node:fs/promises";
import type { GlobalOptions } from "../../cli/flags/global.ts";
import { quoted } from "../../cli/flags/values.ts";
import { createReporter } from "../../cli/reporter.ts";
import type { Context } from "../../context.ts";
import { ClosedPipeError, FileError, UsageError } from "../../errors.ts";
import { fileError } from "../../files/system-error.ts";
import { createKey, listKeys, revokeKey, takeBackKey } from "../../service/store/access/manage-keys.ts";
import { withDatabase, withExistingDatabase } from "./database-flag.ts";
import { warnOfUnknownRetailers } from "./grants.ts";
import { writeListing } from "./listing.ts";
import type { KeyFlags } from "./options.ts";

type Flags = KeyFlags & { database: string };

export async function createKeyCommand(
  name: string,
  flags: Flags,
  globals: GlobalOptions,
  context: Context,
): Promise<void> {
  if (name.trim() === "") {
    throw new UsageError("the name of a key must not be empty.");
  }
  const { team, scope, retailer } = flags;
  const key = {
    name,
    ...(team === undefined ? {} : { team }),
    ...(scope === undefined ? {} : { scopes: scope }),
    ...(retailer === undefined ? {} : { retailers: retailer }),
  };
  const reporter = createReporter(globals, context);
  const target = await openSecret(flags.output, context);
  await withDatabase(flags.database, async (store) => {
    const secret = await createKey(store, key, new Date(context.now()));
    try {
      await target.write(`${secret}\n`);
    } catch (error) {
      await takeBackKey(store, secret);
      const reason = error instanceof ClosedPipeError ? "the reader of stdout went away" : (error as Error).message;
      throw new FileError(
        `${reason}; the key was taken back, since nobody has its secret`,
        flags.output ?? "stdout",
        error,
      );
    }
    await warnOfUnknownRetailers(store, retailer, reporter);
  }).catch(async (error: unknown) => {
    await target.abandon();
    throw error;
  });
  await target.close();
  reporter.note(
    flags.output === undefined
      ? "This is the only time the secret is shown; it goes into CATALOG_API_KEY."
      : `${flags.output} holds the secret, for you alone; it goes into CATALOG_API_KEY_FILE.`,
  );
}

/** Where a secret goes. A file is made before the key is, for its owner alone, and never replaced. */
async function openSecret(path: string | undefined, context: Context) {
  if (path === undefined) {
    if (context.isStdoutClosed()) {
      throw new FileError("stdout is closed: nobody would have the secret", "stdout");
    }
    return { write: context.print, close: async () => {}, abandon: async () => {} };
  }
  const file = await open(path, "wx", 0o600).catch((error: unknown) => {
    throw fileError(path, error);
  });
  return {
    write: async (text: string) => {
      await file.writeFile(text).catch((error: unknown) => {
        throw fileError(path, error);
      });
    },
    close: () => file.close(),
    abandon: async () => {
      await file.close();
      await rm(path, { force: true });
    },
  };
}

export async function listKeysCommand(flags: Flags, globals: GlobalOptions, context: Context): Promise<void> {
  const keys = await withExistingDatabase(flags.database, listKeys);
  const documents = keys.map(({ id: _, createdAt, lastUsedAt, revokedAt, ...key }) => ({
    ...key,
    created_at: createdAt,
    last_used_at: lastUsedAt,
    revoked_at: revokedAt,
  }));
  const rows = keys.map((key) => [
    key.name,
    key.team,
    key.scopes.join(", "),
    key.retailers === null ? "all" : key.retailers.join(", "),
    key.createdAt.slice(0, 10),
    key.lastUsedAt?.slice(0, 10) ?? "never",
    key.revokedAt === null ? "active" : `revoked ${key.revokedAt.slice(0, 10)}`,
  ]);
  const columns = ["name", "team", "scopes", "retailers", "created", "last used", "state"];
  await writeListing({ format: flags.format, documents, columns, rows }, globals, context);
}

export async function revokeKeyCommand(
  name: string,
  flags: Flags,
  globals: GlobalOptions,
  context: Context,
): Promise<void> {
  await withExistingDatabase(flags.database, (store) => revokeKey(store, name, new Date(context.now()), flags.team));
  createReporter(globals, context).note(`Key ${quoted(name)} is revoked.`);
}
