import { onTestFinished } from "vitest";
import { type CatalogClient, type ClientOptions, createClient } from "../../src/client/client.ts";
import type { ClientEvent } from "../../src/client/events.ts";
import type { RequesterOptions } from "../../src/client/requester.ts";
import { pageBody } from "./envelopes.ts";
import { answer, type FaultServer, type Script, startFaultServer } from "./fault-server.ts";
import { productRow } from "./products.ts";

export const KEY = "k".repeat(43);

/** Rows whose texts JSON.parse and JSON.stringify would change. */
export const ROWS = [productRow({ mrp: "19.90" }).replace(",", ", "), productRow({ mrp: "12345678901234567890" })];
export const PAGE = pageBody(ROWS);
/** Answers with the page of these rows. */
export const ok = answer({ body: PAGE });

/** Options of a requester that waits for nothing and tries each request once. */
export const ONE_ATTEMPT: RequesterOptions = {
  userAgent: "test",
  requestTimeout: 10_000,
  retries: 0,
  env: {},
  now: Date.now,
  elapsed: () => performance.now(),
  sleep: async () => undefined,
  random: () => 0.5,
};

export interface TestClient {
  client: CatalogClient;
  events: ClientEvent[];
  /** Milliseconds of each wait. The client did not really wait. */
  waits: number[];
}

/** A real client. Its clock starts at 2026-01-01T00:00:00Z, and only its own waits advance it; these take no time. */
export function testClient(baseUrl: URL, options: Partial<ClientOptions> = {}): TestClient {
  const events: ClientEvent[] = [];
  const waits: number[] = [];
  let now = Date.UTC(2026, 0, 1);
  const client = createClient({
    baseUrl,
    apiKey: KEY,
    userAgent: "test",
    requestTimeout: 10_000,
    retries: 5,
    env: {},
    now: () => now,
    elapsed: () => now,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
      now += milliseconds;
    },
    random: () => 0.5,
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { client, events, waits };
}

/** A scripted server and a client of it. Both are closed after the test. */
export async function start(
  script: Script,
  options: Partial<ClientOptions> = {},
): Promise<TestClient & { server: FaultServer }> {
  const server = await startFaultServer(script);
  const tested = testClient(server.url, options);
  closeAfterTest(server, tested.client);
  return { server, ...tested };
}

/** Closes what a test opened once it has ended. */
export function closeAfterTest(...parts: readonly { close(): Promise<void> }[]): void {
  onTestFinished(async () => {
    await Promise.all(parts.map((part) => part.close()));
  });
}

/** The error that `work` rejects with; undefined if it does not reject. */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}
