import type { Context } from "../../cli/context.ts";
import { quoted } from "../../cli/flags/values.ts";
import { withSyncedFolder } from "../../cli/source/synced-folder.ts";
import { UsageError } from "../../contract/errors.ts";
import { readStream, readText } from "../../files/read-text.ts";
import { isSyncedFolder } from "../../folder/folder-state.ts";
import { withFolderSql } from "../../folder/sql/folder-session.ts";
import { QueryError } from "../../folder/sql/sql-session.ts";
import { SCHEMA, type SqlOptions } from "./options.ts";
import { showQuery } from "./query-view.ts";
import { schemaQuery } from "./schema.ts";

/** Most bytes of a query on stdin. */
const LONGEST_QUERY = 16 * 1024 * 1024;

const tooLong = () => new UsageError("the query on stdin is longer than 16 MiB; write a shorter one.");

/** Runs the query, or a shell if only a folder is named, or nothing. */
export async function runSql(options: SqlOptions, context: Context): Promise<void> {
  const { query, folder } = options;
  const isFolder = query !== undefined && folder === undefined && (await isSyncedFolder(query));
  const isShell = query === undefined || isFolder;
  if (isShell && !(context.stdin.isTTY && context.stdout.isTTY)) {
    const named = isFolder ? `: ${quoted(query)} is a folder. Write the query before it` : "; write one";
    throw new UsageError(
      `a query is missing${named}, as in 'select count(*) from rows'. On a terminal, \`catalog sql rows\` opens a shell.`,
    );
  }
  await withSyncedFolder({ ...options, folder: isFolder ? query : folder }, context, async (synced) => {
    if (synced.days.length === 0) {
      throw new UsageError(`${synced.folder} holds no rows; \`catalog sync\` fills it.`);
    }
    const { reporter, signal } = synced;
    const sql =
      query === "-" ? await readText(readStream(context.stdin, signal), { most: LONGEST_QUERY, tooLong }) : query;
    try {
      await withFolderSql({ ...synced, memory: options.memory }, async (session) => {
        if (isShell || sql === undefined) {
          await (await import("./shell/shell.ts")).runShell(session, options, synced, context);
        } else {
          await showQuery(sql === SCHEMA ? schemaQuery() : { sql }, session, options, reporter, context);
        }
      });
    } catch (error) {
      throw error instanceof QueryError ? new UsageError(error.message) : error;
    }
  });
}
