import { startService } from "../http/start.ts";
import { loadTexts } from "../load/load.ts";
import { createKey } from "../store/access/keys.ts";
import { openStore } from "../store/embedded.ts";
import { addDemoHistory } from "./history.ts";
import { demoRows } from "./rows.ts";

/** A service on generated rows, for one command. */
export interface DemoService {
  url: string;
  apiKey: string;
  close(): Promise<void>;
}

/**
 * Starts a service on a free port of this machine, with generated rows and a generated past in memory, and a key of its
 * own. Its limits are wide, since nobody shares it.
 *
 * @param now milliseconds since the epoch; the rows are those of the 90 days before it
 */
export async function startDemoService(now: number): Promise<DemoService> {
  const store = await openStore(":memory:");
  await loadTexts(store, "demo data", demoRows(new Date(now).toISOString().slice(0, 10)));
  await addDemoHistory(store, now);
  const apiKey = await createKey(store, { name: "demo" }, new Date(now));
  const { url, close } = await startService({
    store,
    port: 0,
    sampleData: true,
    rateLimit: 100_000,
    sampleRateLimit: 100_000,
  });
  return { url, apiKey, close };
}
