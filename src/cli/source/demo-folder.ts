import { join } from "node:path";
import { LIMITS } from "../../contract/limits.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";
import { makeFolderPath } from "../../files/own-file.ts";
import { readStateOf } from "../../folder/folder-state.ts";
import { syncFolder } from "../../folder/sync/sync.ts";
import { ONE_RUN } from "../../folder/sync/sync-run.ts";
import type { Context } from "../context.ts";
import type { GlobalOptions } from "../flags/global.ts";
import { VERSION } from "../version.ts";
import { connect } from "./connection.ts";
import { demoCache } from "./demo-cache.ts";

/** The folder of today's demo rows, which is filled on first use. */
export async function demoFolder(globals: GlobalOptions, context: Context): Promise<string> {
  const folder = join(await demoCache(context), `rows-${dayOf(context.now())}`);
  const state = await readStateOf(folder);
  if (state === undefined || state.incomplete) {
    await makeFolderPath(folder);
    await using connection = await connect({ globals, demo: true, filters: {} }, context);
    const { client, service, signal } = connection;
    await syncFolder(client, {
      ...{ folder, service, signal, filters: {}, pid: context.pid, tool: VERSION, now: context.now },
      ...{ ...ONE_RUN, concurrency: 8, pageSize: LIMITS.pageSize.maximum },
    });
  }
  return folder;
}
