import type { GlobalOptions } from "../../cli/flags/global.ts";
import { quoted } from "../../cli/flags/values.ts";
import { createReporter } from "../../cli/reporter.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { createKey, listKeys, revokeKey } from "../../service/store/access/keys.ts";
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
  const secret = await withDatabase(flags.database, async (store) => {
    const created = await createKey(store, key, new Date(context.now()));
    await warnOfUnknownRetailers(store, retailer, createReporter(globals, context));
    return created;
  });
  context.stdout.write(`${secret}\n`);
  createReporter(globals, context).note("This is the only time the secret is shown; it goes into CATALOG_API_KEY.");
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
  writeListing({ format: flags.format, documents, columns, rows }, globals, context);
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
