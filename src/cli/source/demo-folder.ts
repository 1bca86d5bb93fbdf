import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LockedError } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import { DAY, dayOf } from "../../contract/values/day-arithmetic.ts";
import { makeFolderPath } from "../../files/own-file.ts";
import { readStateOf } from "../../folder/folder-state.ts";
import { syncFolder } from "../../folder/sync/sync.ts";
import { FIRST_FILL } from "../../folder/sync/sync-run.ts";
import { DEFAULT_CONCURRENCY } from "../../pull/walkers.ts";
import type { Context } from "../context.ts";
import type { GlobalOptions } from "../flags/global.ts";
import { VERSION } from "../version.ts";
import { connect } from "./connection.ts";
import { demoCache } from "./demo-cache.ts";

/** Milliseconds between two checks of a folder that another command is filling. */
const LOCK_PAUSE = 100;

/** The folder of today's demo rows, which is filled on first use. */
export async function demoFolder(globals: GlobalOptions, context: Context): Promise<string> {
  const folder = join(await demoCache(context), nameOf(context.now()));
  while (!(await isComplete(folder))) {
    await fill(folder, globals, context).catch(async (error: unknown) => {
      if (!(error instanceof LockedError)) {
        throw error;
      }
      await context.sleep(LOCK_PAUSE);
    });
  }
  return folder;
}

function nameOf(time: number): string {
  return `rows-${dayOf(time)}`;
}

async function isComplete(folder: string): Promise<boolean> {
  const state = await readStateOf(folder);
  return state !== undefined && !state.incomplete;
}

/** Fills the folder of today, and removes those of earlier days. @throws LockedError if another command is filling it */
async function fill(folder: string, globals: GlobalOptions, context: Context): Promise<void> {
  await makeFolderPath(folder);
  await using connection = await connect({ globals, demo: true, filters: {} }, context);
  const { client, service, signal } = connection;
  await syncFolder(client, {
    ...FIRST_FILL,
    folder,
    service,
    signal,
    filters: {},
    pid: context.pid,
    tool: VERSION,
    now: context.now,
    concurrency: DEFAULT_CONCURRENCY,
    pageSize: LIMITS.pageSize.maximum,
  });
  // A command that started before midnight may still be reading the folder of yesterday.
  const recent = [context.now(), context.now() - DAY].map(nameOf);
  const cache = dirname(folder);
  for (const old of (await readdir(cache)).filter((name) => /^rows-/.test(name) && !recent.includes(name))) {
    await rm(join(cache, old), { recursive: true, force: true });
  }
}
