import { startService } from "../http/start-service.ts";
import { createKey } from "../store/access/keys.ts";
import { openStore } from "../store/embedded.ts";
import { openDemoRows } from "./cached-rows.ts";
import { addDemoHistory } from "./history.ts";

/** A service on generated rows, for one command. */
export interface DemoService {
  url: string;
  apiKey: string;
  close(): Promise<void>;
}

/**
 * Starts a service on a free port of this machine, with generated rows, and in memory a generated past and a key of its
 * own. Its limits are wide, since nobody shares it.
 *
 * @param now milliseconds since the epoch; the rows are those of the 90 days before it
 * @param folder where the rows of a day are kept for the next command
 */
export async function startDemoService(now: number, folder: string): Promise<DemoService> {
  const [rows, own] = await Promise.all([
    openDemoRows(new Date(now).toISOString().slice(0, 10), folder),
    openStore(":memory:"),
  ]);
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
