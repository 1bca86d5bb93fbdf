import { rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Context } from "../../cli/context.ts";
import { rereadObserver, showProgress } from "../../cli/pull-progress.ts";
import { type Connection, connect } from "../../cli/source/connection.ts";
import { VERSION } from "../../cli/version.ts";
import { LIMITS } from "../../contract/limits.ts";
import { isFromLatest } from "../../contract/values/date-expression.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";
import { scratchFolder } from "../../files/scratch-folder.ts";
import { placeOfDay } from "../../folder/day-files.ts";
import { readSyncedFolder, writeState } from "../../folder/folder-state.ts";
import { syncFolder } from "../../folder/sync/sync.ts";
import { FIRST_FILL } from "../../folder/sync/sync-run.ts";
import { type DayPair, type DiffOptions, resolvePair } from "./options.ts";

/** A temporary synced folder with two days pulled from a service. */
interface PulledDays extends AsyncDisposable {
  folder: string;
  days: DayPair;
}

export async function pullTwoDays(options: DiffOptions & { days: DayPair }, context: Context): Promise<PulledDays> {
  const root = await scratchFolder();
  try {
    const days = await pullInto(root.path, options, context);
    return { ...root, folder: join(root.path, days.from), days };
  } catch (error) {
    await root[Symbol.asyncDispose]();
    throw error;
  }
}

/** Syncs each day into a folder of its own, and moves the later day into the earlier day's folder. */
async function pullInto(root: string, options: DiffOptions & { days: DayPair }, context: Context) {
  await using connection = await connect(options, context);
  const { client, filters, signal } = connection;
  const isRelative = isFromLatest(options.days.from) || isFromLatest(options.days.to);
  const upToToday = { ...filters, end_date: dayOf(context.now()) };
  const newest = isRelative ? (await client.coverage(upToToday, signal)).meta.coverage.latest_date : undefined;
  const days = resolvePair(options.days, context.now(), newest ?? undefined);
  await syncDays(root, [days.from, days.to], options, connection, context);
  const [earlier, later] = [join(root, days.from), join(root, days.to)];
  const [state, { days: added }] = [await readSyncedFolder(earlier), await readSyncedFolder(later)];
  if (added[days.to] !== undefined) {
    await rename(dirname(join(later, placeOfDay(days.to))), dirname(join(earlier, placeOfDay(days.to))));
  }
  await writeState(earlier, { ...state, filters: {}, window: {}, days: { ...state.days, ...added } });
  return days;
}

async function syncDays(
  root: string,
  days: readonly string[],
  options: DiffOptions,
  { client, service, reporter, signal }: Connection,
  context: Context,
): Promise<void> {
  using progress = showProgress(reporter, context, options);
  let [rows, total] = [0, 0];
  for (const day of days) {
    const [rowsBefore, totalBefore] = [rows, total];
    await syncFolder(client, {
      folder: join(root, day),
      service,
      signal,
      filters: { ...options.filters, start_date: day, end_date: day },
      ...FIRST_FILL,
      concurrency: options.concurrency,
      pageSize: LIMITS.pageSize.maximum,
      pid: context.pid,
      tool: VERSION,
      now: context.now,
      observer: {
        onTotal: (all) => {
          total = totalBefore + all.rows;
          progress.update({ total });
        },
        onRows: (read) => {
          rows = rowsBefore + read;
          progress.update({ rows });
        },
        ...rereadObserver(reporter),
        onNote: reporter.warn,
        onKept: () => {},
      },
    });
  }
  progress.done();
}
