import type { Context } from "../../cli/context.ts";
import { openSyncedFolder } from "../../cli/source/synced-folder.ts";
import { writeChunks } from "../../cli/write-rows.ts";
import { UsageError } from "../../contract/errors.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";
import { readStream, readText } from "../../files/read-text.ts";
import { isSyncedFolder } from "../../folder/folder-state.ts";
import { withFolderSql } from "../../folder/sql/folder-session.ts";
import { QueryError } from "../../folder/sql/sql-session.ts";
import type { SqlOptions } from "./options.ts";
import { overview } from "./schema.ts";
import { writeQuery } from "./write-query.ts";

/** Maximum bytes of a query on stdin. */
const LONGEST_QUERY = 16 * 1024 * 1024;

const tooLong = () => new UsageError("the query on stdin is longer than 16 MiB; write a shorter one.");

/** Runs the query; without one, shows what can be asked. */
export async function runSql(options: SqlOptions, context: Context): Promise<void> {
  const { query, folder } = options;
  const isFolder = query !== undefined && folder === undefined && (await isSyncedFolder(query));
  const named = isFolder ? { ...options, folder: query } : options;
  using synced = await openSyncedFolder(named, context);
  if (synced.days.length === 0) {
    throw new UsageError(`${synced.folder} has no rows; \`catalog sync\` fills it.`);
  }
  const { reporter, signal } = synced;
  const sql =
    query === "-" ? await readText(readStream(context.stdin, signal), { most: LONGEST_QUERY, tooLong }) : query;
  try {
    const { memory, tables } = options;
    await withFolderSql({ ...synced, memory, tables, lastDay: dayOf(context.now()) }, async (session) => {
      if (sql === undefined || isFolder) {
        await writeChunks([await overview(session, synced.folder)], options.output, context);
      } else {
        await writeQuery(sql, session, options, reporter, context);
      }
    });
  } catch (error) {
    throw error instanceof QueryError ? new UsageError(error.message) : error;
  }
}
