import { describe, expect, test } from "vitest";
import { PlanOutdatedError } from "../../src/pull/page-check.ts";
import type { StoredPage } from "../../src/pull/store/page-store.ts";
import { type WalkOptions, walkSlice } from "../../src/pull/walk.ts";
import type { RowBatch } from "../../src/rows/batch.ts";
import { type FakeService, fakeRows, fakeService, texts } from "../helpers/fake-client.ts";

const ROWS = fakeRows(37);

type KeptPage = StoredPage & { content: RowBatch | undefined };

/** The first `count` pages of an earlier walk, as a store has them. */
async function keptPages(service: FakeService, count: number): Promise<[KeptPage, ...KeptPage[]]> {
  const pages: KeptPage[] = [];
  const { signal } = new AbortController();
  for await (const { rows, facts } of walkSlice(service.client, {}, { pageSize: 10, signal })) {
    pages.push({ ...facts, extent: { at: 0, length: 0 }, content: rows });
    if (pages.length === count) {
      break;
    }
  }
  service.requests.length = 0;
  return pages as [KeptPage, ...KeptPage[]];
}

async function resume(
  service: FakeService,
  earlier: readonly KeptPage[],
  { version, counted }: Pick<WalkOptions, "version" | "counted"> = {},
) {
  const seen = { rows: [] as string[], restarts: [] as string[], damaged: [] as number[] };
  const options = {
    pageSize: 10,
    signal: new AbortController().signal,
    earlier,
    read: async (page: StoredPage) => (page as KeptPage).content,
    onRestart: (reason: string) => void seen.restarts.push(reason),
    onDamage: (pages: number) => void seen.damaged.push(pages),
    version,
    counted,
  };
  for await (const { rows } of walkSlice(service.client, {}, options)) {
    seen.rows.push(...rows.texts());
  }
  return seen;
}

describe("a walk that continues after kept pages", () => {
  test("requests a damaged page and each page after it again, and keeps those before it", async () => {
    const service = fakeService(ROWS);
    const kept = await keptPages(service, 3);
    Object.assign(kept[1] as KeptPage, { content: undefined });

    const seen = await resume(service, kept);

    expect(seen).toEqual({ rows: texts(ROWS), restarts: [], damaged: [2] });
    // The page before the damaged one is compared at the start and at the end.
    expect(service.requests).toEqual(["catalog 0", "catalog 10", "catalog 20", "catalog 30", "catalog 0"]);
  });

  test("requests no page again if each is of the version of the coverage", async () => {
    const service = fakeService(ROWS);
    service.version = "7";
    const kept = await keptPages(service, 2);
    expect((await resume(service, kept, { version: "7" })).rows).toEqual(texts(ROWS));
    expect(service.requests).toEqual(["catalog 20", "catalog 30"]);
  });

  test("compares the kept pages if the coverage is of a later version", async () => {
    const service = fakeService(ROWS);
    service.version = "7";
    const kept = await keptPages(service, 2);
    service.version = "8";
    expect((await resume(service, kept, { version: "8" })).rows).toEqual(texts(ROWS));
    expect(service.requests).toEqual(["catalog 10", "catalog 20", "catalog 30", "catalog 0", "catalog 10"]);
  });

  test("begins again if the kept pages are of two states of the set", async () => {
    const service = fakeService(ROWS);
    const kept = await keptPages(service, 2);
    const { set } = kept[1] as KeptPage;
    Object.assign(kept[1] as KeptPage, { set: { ...set, total: 38 } });

    const seen = await resume(service, kept);

    expect(seen).toEqual({
      rows: texts(ROWS),
      restarts: ["total_matching changed from 37 to 38"],
      damaged: [],
    });
  });

  test("expects no total of kept pages that have none", async () => {
    const service = fakeService(ROWS);
    const { catalog } = service.client;
    service.client.catalog = async (...args) => {
      const page = await catalog(...args);
      return { ...page, pagination: { ...page.pagination, total_matching: null } };
    };
    const kept = await keptPages(service, 1);
    expect(await resume(service, kept, { counted: 40 })).toEqual({ rows: texts(ROWS), restarts: [], damaged: [] });
  });

  test("ends before any row if the total of the kept pages is not the expected one", async () => {
    const service = fakeService(ROWS);
    const kept = await keptPages(service, 2);

    const error = new PlanOutdatedError("coverage counted 40 rows, but total_matching is 37");
    await expect(resume(service, kept, { counted: 40 })).rejects.toEqual(error);
    expect(service.requests).toEqual([]);
  });
});
