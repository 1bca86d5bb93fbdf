import { open, rm } from "node:fs/promises";
import type { Context } from "../../cli/context.ts";
import type { FlagsOf } from "../../cli/flags/values.ts";
import { textColumn } from "../../cli/terminal/tables/item-table.ts";
import { writeList } from "../../cli/write-list.ts";
import { ClosedPipeError, FileError, InterruptedError, UsageError } from "../../contract/errors.ts";
import { closest } from "../../contract/values/closest.ts";
import { quoted } from "../../contract/values/phrases.ts";
import { fileError } from "../../files/system-error.ts";
import { createKey, listKeys, type NewKey, revokeKey, takeBackKey } from "../../service/store/access/manage-keys.ts";
import { readTeams } from "../../service/store/access/team-records.ts";
import { hasDatabase, storeCommand, warnOfUnknownRetailers, withDatabase } from "./database.ts";
import type { addKeyFlags } from "./service-flags.ts";
import { parseName, parseRecordList, RECORD_COLUMNS, subcommand } from "./subcommand.ts";
import { wantedGrants } from "./teams.ts";

export const createKeyCommand = subcommand({
  parse: ({ team, output, ...grants }: FlagsOf<typeof addKeyFlags>, [name]: [string]) => {
    const key: NewKey = {
      name: parseName(name, "the name of a key"),
      ...(team !== undefined && { team: parseName(team, "the name of a team") }),
      ...wantedGrants(grants),
    };
    return { key, output: output === "-" ? undefined : output };
  },
  run: async ({ options: { database, key, output }, reporter, context, signal, now }) => {
    if (!(await hasDatabase(database))) {
      refuseUnknownTeam(key, []);
    }
    const target = await openSecret(output, context);
    let isDelivered = false;
    try {
      await withDatabase({ database, signal }, async (store) => {
        refuseUnknownTeam(key, await store.read(readTeams));
        await warnOfUnknownRetailers(store, key.retailers, reporter);
        const secret = await createKey(store, key, now);
        try {
          await target.write(`${secret}\n`);
        } catch (error) {
          await takeBackKey(store, secret);
          throw undeliveredError(error, output ?? "stdout");
        }
        isDelivered = true;
      });
    } finally {
      await (isDelivered ? target.close() : target.abandon());
    }
    reporter.note(
      output === undefined
        ? "The secret is shown only this once. Set CATALOG_API_KEY to it."
        : `${output} has the secret; only you can read the file. Set CATALOG_API_KEY_FILE to its path.`,
    );
  },
});

/** @param target what should have got the secret */
function undeliveredError(error: unknown, target: string): unknown {
  if (error instanceof InterruptedError) {
    return error;
  }
  const reason = error instanceof ClosedPipeError ? "the reader of stdout went away" : (error as Error).message;
  return new FileError(`${reason}; the key was deleted, because nobody has its secret`, target, error);
}

/** An unknown team is created if grants are given. Without grants, its name is probably misspelt. */
function refuseUnknownTeam({ team, scopes, retailers }: NewKey, teams: readonly { name: string }[]): void {
  if (team === undefined || scopes !== undefined || retailers !== undefined) {
    return;
  }
  const known = teams.map(({ name }) => name);
  if (!known.includes(team)) {
    throw new UsageError(
      `there is no team ${quoted(team)}. To create it, give what its keys may do: --scope, --retailer or --all-retailers.`,
      { flag: "--team", value: team, suggestions: closest(team, known) },
    );
  }
}

/** Opens the target of a secret before the key is created. A file is private, and never replaces another. */
async function openSecret(path: string | undefined, context: Context) {
  if (path === undefined) {
    if (context.isStdoutClosed()) {
      throw new FileError("stdout is closed, so the secret would be lost", "stdout");
    }
    return { write: context.print, close: async () => {}, abandon: async () => {} };
  }
  const reporting = (error: unknown) => {
    throw fileError(path, error);
  };
  const file = await open(path, "wx", 0o600).catch(reporting);
  return {
    write: (text: string) => file.writeFile(text).catch(reporting),
    close: () => file.close(),
    abandon: async () => {
      await file.close();
      await rm(path, { force: true });
    },
  };
}

export const listKeysCommand = storeCommand({
  parse: parseRecordList(RECORD_COLUMNS.keys),
  run: async ({ options, store, reporter, context }) => {
    const documents = (await listKeys(store)).map(({ id: _, ...key }) => key);
    await writeList(documents, options, reporter, context, {
      known: RECORD_COLUMNS.keys,
      table: [
        textColumn("name", ({ name }) => name),
        textColumn("team", ({ team }) => team),
        textColumn("scopes", ({ scopes }) => scopes.join(", ")),
        textColumn("retailers", ({ retailers }) => retailers?.join(", ") ?? "all"),
        textColumn("created", ({ created_at }) => created_at.slice(0, 10)),
        textColumn("last used", ({ last_used_at }) => last_used_at?.slice(0, 10) ?? "never"),
        textColumn("state", ({ revoked_at }) =>
          revoked_at === null ? "active" : `revoked ${revoked_at.slice(0, 10)}`,
        ),
      ],
    });
  },
});

/** Keys of different teams may have the same name. */
export const revokeKeyCommand = storeCommand({
  parse: ({ team }: { team?: string }, [name]: [string]) => ({ name, team }),
  run: async ({ options: { name, team }, store, reporter, now }) => {
    await revokeKey(store, name, now, team);
    reporter.note(`Key ${quoted(name)} is revoked.`);
  },
});
