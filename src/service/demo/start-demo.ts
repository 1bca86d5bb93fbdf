import { dayOf } from "../../contract/values/day-arithmetic.ts";
import { startService } from "../http/start-service.ts";
import { createKey } from "../store/access/manage-keys.ts";
import { openStore } from "../store/writable-store.ts";
import { openCachedRows } from "./cached-rows.ts";
import { demoRows } from "./demo-rows.ts";
import { addDemoHistory } from "./history.ts";

/** A service with generated rows, for one command. */
export interface DemoService {
  url: string;
  apiKey: string;
  close(): Promise<void>;
}

/**
 * Starts a service with generated rows on a free port of this machine. Its status history and its key are in memory.
 * Its rate limits are high, because only one command uses it.
 *
 * @param now milliseconds since the epoch; the rows are crawled in the 90 days before it
 * @param folder where the rows are kept for the next command
 */
export async function startDemoService(now: number, folder: string): Promise<DemoService> {
  const [rows, own] = await Promise.all([openCachedRows(dayOf(now), folder, demoRows), openStore(":memory:")]);
  await addDemoHistory(own, now);
  const apiKey = await createKey(own, { name: "demo" }, new Date(now));
  const { snapshot, snapshotAt, rows: readRows, cursorSecret } = rows;
  const store = {
    ...own,
    snapshot,
    snapshotAt,
    rows: readRows,
    cursorSecret,
    close: async () => {
      await rows.close();
      await own.close();
    },
  };
  const { url, close } = await startService({
    store,
    port: 0,
    sampleData: true,
    rateLimit: 100_000,
    sampleRateLimit: 100_000,
  });
  return { url, apiKey, close };
}
