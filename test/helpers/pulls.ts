import { onTestFinished } from "vitest";
import { temporaryBytes } from "../../src/files/stored-bytes.ts";
import { pull } from "../../src/pull/pull.ts";
import type { PullOptions, PullResult } from "../../src/pull/pull-options.ts";
import { temporaryStore } from "../../src/pull/store/open-store.ts";
import { createPageStore, type PageFacts, type PageStore } from "../../src/pull/store/page-store.ts";
import type { RowBatch } from "../../src/rows/batch.ts";
import { type FakeRow, type FakeService, fakeRows, fakeService } from "./fake-client.ts";

const DEFAULTS = { filters: {}, pageSize: 10, concurrency: 4, signal: new AbortController().signal };

export interface TestPull extends Partial<PullOptions> {
  store?: PageStore;
  /** Called before each batch is taken. */
  onRead?: () => void;
}

/** Pulls a set as a `file` gets it, when it is proven, or as a `stream` does, slice by slice. */
export async function pulled(service: FakeService, kind: "file" | "stream", given: TestPull = {}) {
  await using own = temporaryStore();
  const { store = own.pages, onRead, ...options } = given;
  const restarts: string[] = [];
  const observer = { onRestart: (reason: string) => void restarts.push(reason) };
  const rows: string[] = [];
  const write = async (batch: RowBatch) => {
    onRead?.();
    rows.push(...batch.texts());
  };
  let result: PullResult | undefined;
  let error: Error | undefined;
  try {
    const isStreamed = kind === "stream";
    result = await pull(service.client, store, { ...DEFAULTS, observer, isStreamed, write, ...options });
  } catch (caught) {
    error = caught as Error;
  }
  return { rows, result, error, restarts };
}

/** What a store is told of a page of one row. */
export const PAGE_FACTS: PageFacts = {
  ...{ rows: 1, digest: "", cursor: null },
  set: { total: 1, coverage: { combinations: 1, matching_rows: 1, earliest_date: null, latest_date: null } },
};

export function openedStore(options: Partial<Parameters<typeof createPageStore>[1]> = {}): PageStore {
  const bytes = temporaryBytes();
  onTestFinished(() => bytes.close());
  return createPageStore(bytes, options);
}

/** 1240 rows: small combinations, and one that is cut by date. */
export function manyRows(): FakeRow[] {
  const ofBolt = ["bags", "belts", "caps", "gloves", "hats", "scarves", "socks"];
  const ofZeta = Array.from({ length: 17 }, (_, index) => `shirts-${index + 10}`);
  return [
    ...fakeRows(40, "acme", "boots"),
    ...fakeRows(40, "acme", "coats"),
    ...fakeRows(200, "acme", "shoes"),
    ...ofBolt.flatMap((category) => fakeRows(40, "bolt", category)),
    ...ofZeta.flatMap((category) => fakeRows(40, "zeta", category)),
  ];
}

/** Rows as an undisturbed pull gives them. */
export async function undisturbed(rows: readonly FakeRow[], options: TestPull = {}): Promise<string[]> {
  return (await pulled(fakeService(rows), "file", { recheck: 0, ...options })).rows;
}

/** Does something once, before the nth request for a page. */
export function beforePage(service: FakeService, number: number, action: () => void): void {
  let pages = 0;
  service.before = (request) => {
    pages += request === "coverage" ? 0 : 1;
    if (pages === number && request !== "coverage") {
      action();
    }
  };
}
