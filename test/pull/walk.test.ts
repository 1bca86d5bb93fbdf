import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { ContractError, SetChangedError } from "../../src/contract/errors.ts";
import { PlanOutdatedError } from "../../src/pull/page-check.ts";
import type { StoredPage } from "../../src/pull/store/page-store.ts";
import { walkSlice } from "../../src/pull/walk.ts";
import type { RowBatch } from "../../src/rows/batch.ts";
import { batchOf } from "../../src/rows/scan.ts";
import { type FakeRow, type FakeService, fakeRows, fakeService, problemError, texts } from "../helpers/fake-client.ts";

async function walk(
  service: FakeService,
  filters = {},
  version?: string,
): Promise<{ rows: string[]; restarts: string[]; error: unknown }> {
  const rows: string[] = [];
  const restarts: string[] = [];
  try {
    const options = {
      pageSize: 10,
      signal: new AbortController().signal,
      version,
      onRestart: (reason: string) => void restarts.push(reason),
    };
    for await (const page of walkSlice(service.client, filters, options)) {
      rows.push(...page.rows.texts());
      // A walk that passes rows on again never ends.
      expect(rows.length).toBeLessThanOrEqual(service.rows.length);
    }
    return { rows, restarts, error: undefined };
  } catch (error) {
    return { rows, restarts, error };
  }
}

/** Does something before the nth request. */
function onRequest(service: FakeService, number: number, action: () => void): void {
  service.before = () => {
    if (service.requests.length === number) {
      action();
    }
  };
}

/** Removes a row and adds one at the end with the same day, so that no count changes. */
function swapRow(service: FakeService, removed: number): void {
  const { crawl_date } = service.rows[removed] as FakeRow;
  const kept = service.rows.filter((_, index) => index !== removed);
  service.rows = [...kept, { ...(kept.at(-1) as FakeRow), crawl_date, product_id: "zz-added" }];
}

describe("a walk", () => {
  test("yields every row once and in order", async () => {
    const rows = fakeRows(37);
    expect(await walk(fakeService(rows))).toEqual({ rows: texts(rows), restarts: [], error: undefined });
  });

  test("continues after a refused cursor without losing or repeating a row", async () => {
    const rows = fakeRows(37);
    const service = fakeService(rows);
    onRequest(service, 3, () => {
      throw problemError("invalid_cursor");
    });
    expect(await walk(service)).toEqual({
      rows: texts(rows),
      restarts: ["the service no longer accepts its cursor"],
      error: undefined,
    });
    expect(service.requests).toEqual([
      "catalog 0",
      "catalog 10",
      "catalog 20",
      "catalog 0",
      "catalog 10",
      "catalog 20",
      "catalog 30",
      "catalog 0",
    ]);
  });

  test.each([15, 7])("compares the first page with one of another length: %d rows", async (length) => {
    const rows = fakeRows(37);
    const service = fakeService(rows);
    const { catalog } = service.client;
    let limit = 10;
    service.client.catalog = (filters, page, signal) => catalog(filters, { ...page, limit }, signal);
    onRequest(service, 3, () => {
      limit = length;
      throw problemError("invalid_cursor");
    });
    expect(await walk(service)).toEqual({ rows: texts(rows), restarts: [expect.any(String)], error: undefined });
    expect(service.requests.slice(-2)).toEqual(length > 10 ? ["catalog 30", "catalog 0"] : ["catalog 0", "catalog 7"]);
  });

  test("continues after a page in the store that is only a part of what the service sends now", async () => {
    const rows = fakeRows(37);
    const service = fakeService(rows);
    const contents = [rows.slice(0, 10), rows.slice(10, 15)].map((part) => batchOf(texts(part)));
    const { pagination, meta } = await service.client.catalog({}, { limit: 10 });
    const { corpus_rows: _, ...coverage } = meta.coverage;
    const earlier = contents.map(
      (content, index): StoredPage => ({
        ...{ rows: content.length, digest: hash("sha256", content.lines()).slice(0, 32) },
        ...{ cursor: String([10, 15][index]), set: { total: pagination.total_matching, coverage } },
        extent: { at: index, length: 0 },
      }),
    );
    const read = async ({ extent }: StoredPage) => contents[extent.at];
    const got: string[] = [];
    const { signal } = new AbortController();
    for await (const page of walkSlice(service.client, {}, { pageSize: 10, signal, earlier, read })) {
      got.push(...page.rows.texts());
    }
    expect(got).toEqual(texts(rows));
    expect(service.requests.slice(1)).toEqual(["10", "15", "25", "35", "0", "10"].map((offset) => `catalog ${offset}`));
  });

  test("requests the first page again at the end, unless it is the only one", async () => {
    for (const [rows, requests] of [
      [10, ["catalog 0"]],
      [20, ["catalog 0", "catalog 10", "catalog 0"]],
      [30, ["catalog 0", "catalog 10", "catalog 20", "catalog 0"]],
    ] as const) {
      const service = fakeService(fakeRows(rows));
      await walk(service);
      expect(service.requests).toEqual(requests);
    }
  });

  test("notices that a row of the first page was removed and a row was added further on", async () => {
    const service = fakeService(fakeRows(37));
    onRequest(service, 3, () => swapRow(service, 4));
    const { error, rows } = await walk(service);
    expect(error).toBeInstanceOf(PlanOutdatedError);
    expect(rows.length).toBe(30);
  });

  test("requests no page again if each is of the version of the coverage", async () => {
    const service = fakeService(fakeRows(37));
    service.version = "7";
    expect((await walk(service, {}, "7")).rows).toEqual(texts(service.rows));
    expect(service.requests).toEqual(["catalog 0", "catalog 10", "catalog 20", "catalog 30"]);
  });

  test.each([
    ["is of another version", "8"],
    ["names no version", undefined],
  ])("notices a swap if a page %s", async (_, version) => {
    const service = fakeService(fakeRows(37));
    service.version = "7";
    onRequest(service, 3, () => {
      service.version = version;
      swapRow(service, 4);
    });
    expect((await walk(service, {}, "7")).error).toBeInstanceOf(PlanOutdatedError);
  });

  test.each([
    ["before it continues", 1, 14, []],
    ["after its last page", 3, 14, [20]],
  ])("notices a swap on the page before a resumed walk, %s", async (_, request, removed, read) => {
    const service = fakeService(fakeRows(37));
    const earlier: StoredPage[] = [];
    const contents: RowBatch[] = [];
    const { signal } = new AbortController();
    for await (const { rows, facts } of walkSlice(service.client, {}, { pageSize: 10, signal })) {
      earlier.push({ ...facts, extent: { at: contents.push(rows) - 1, length: 0 } });
      if (earlier.length === 2) {
        break;
      }
    }
    service.requests.length = 0;
    onRequest(service, request, () => swapRow(service, removed));
    const got: number[] = [];
    const resumed = async () => {
      const read = async ({ extent }: StoredPage) => contents[extent.at];
      for await (const { rows, stored } of walkSlice(service.client, {}, { pageSize: 10, signal, earlier, read })) {
        expect(rows.length).toBe(10);
        if (stored === undefined) {
          got.push(20 + got.length * 10);
        }
      }
    };
    await expect(resumed()).rejects.toBeInstanceOf(PlanOutdatedError);
    expect(got).toEqual(read);
    expect(service.requests[0]).toBe("catalog 10");
  });

  test("notices that rows which were read are missing when it begins again", async () => {
    const service = fakeService(fakeRows(37));
    onRequest(service, 3, () => {
      service.rows = service.rows.slice(0, 15);
      throw problemError("invalid_cursor");
    });
    const { error, rows } = await walk(service);
    expect(rows.length).toBe(20);
    expect(error).toEqual(new PlanOutdatedError("rows that were already read are missing now"));
  });

  test.each([3, 4, 15])("goes on after the rows that were read if the pages have %i rows then", async (size) => {
    const rows = fakeRows(37);
    const service = fakeService(rows);
    service.version = "7";
    const { catalog } = service.client;
    onRequest(service, 3, () => {
      service.client.catalog = (filters, page, signal) => catalog(filters, { ...page, limit: size }, signal);
      throw problemError("invalid_cursor");
    });
    expect(await walk(service, {}, "7")).toEqual({
      rows: texts(rows),
      restarts: [expect.any(String)],
      error: undefined,
    });
    const changed = fakeService(rows);
    changed.version = "7";
    onRequest(changed, 3, () => {
      changed.rows[11] = { ...(rows[11] as FakeRow), sku: "S000003 changed" };
      throw problemError("invalid_cursor");
    });
    const { error } = await walk(changed, {}, "7");
    expect(error).toEqual(new PlanOutdatedError("rows that were already read have changed"));
  });

  test("continues as long as each restart brings new rows", async () => {
    const rows = fakeRows(60);
    const service = fakeService(rows);
    let served = 0;
    service.before = (request) => {
      served = request === "catalog 0" ? 0 : served + 1;
      if (request !== "catalog 0" && service.requests.filter((earlier) => earlier === request).length === 1) {
        throw problemError("invalid_cursor");
      }
    };
    const { error, rows: got, restarts } = await walk(service);
    expect([error, got, restarts.length]).toEqual([undefined, texts(rows), 5]);
  });

  test("fails if the service refuses its cursor at the same place several times", async () => {
    const service = fakeService(fakeRows(37));
    service.before = (request) => {
      if (request === "catalog 20") {
        throw problemError("invalid_cursor");
      }
    };
    const { error, rows } = await walk(service);
    expect(error).toBeInstanceOf(SetChangedError);
    expect(rows.length).toBe(20);
  });

  test("finds rows that are added after the cursor and reads them too", async () => {
    const rows = fakeRows(37);
    const service = fakeService(rows);
    const late = { ...(rows[30] as (typeof rows)[number]), sku: "S999999", product_id: "late" };
    onRequest(service, 3, () => service.rows.push(late));
    const { rows: got, error, restarts } = await walk(service);
    expect(error).toBeUndefined();
    expect(got).toEqual(texts([...rows, late]));
    expect(restarts).toEqual(["total_matching changed from 37 to 38"]);
  });

  test("finds rows that are added before the cursor and reports that yielded rows are outdated", async () => {
    const rows = fakeRows(37);
    const service = fakeService(rows);
    onRequest(service, 3, () =>
      service.rows.push({ ...(rows[0] as (typeof rows)[number]), sku: "A", product_id: "early" }),
    );
    const { error, rows: got } = await walk(service);
    expect(error).toBeInstanceOf(PlanOutdatedError);
    expect(got).toEqual(texts(rows.slice(0, 20)));
  });

  test("finds a swap that does not change the total", async () => {
    const rows = fakeRows(37);
    const service = fakeService(rows);
    onRequest(service, 3, () => {
      service.rows.splice(36, 1);
      service.rows.push({ ...(rows[0] as (typeof rows)[number]), sku: "A", product_id: "early" });
    });
    expect((await walk(service)).error).toBeInstanceOf(PlanOutdatedError);
  });

  test("finds rows that repeat on the next page although the total stays the same", async () => {
    const rows = fakeRows(37);
    const service = fakeService(rows);
    const early = ["A", "B"].map((sku) => ({ ...(rows[0] as (typeof rows)[number]), sku, product_id: `early-${sku}` }));
    onRequest(service, 2, () => {
      service.rows.splice(35, 2);
      service.rows.push(...early);
    });
    const { error, restarts } = await walk(service);
    expect(error).toBeInstanceOf(PlanOutdatedError);
    expect(restarts).toEqual([expect.stringMatching(/^row .* was returned twice$/)]);
  });

  test("finds a row that repeats many pages later although the total stays the same", async () => {
    const rows = fakeRows(97);
    const service = fakeService(rows);
    const first = rows[0] as (typeof rows)[number];
    service.rows[60] = { ...(rows[60] as (typeof rows)[number]), product_id: first.product_id };
    const { error, restarts } = await walk(service);
    const reason = `row "${first.product_id}" was returned twice`;
    const message = `the set cannot be read completely: ${reason}, 5 times at the same place`;
    expect(error).toEqual(new SetChangedError(message));
    expect(restarts).toEqual(Array.from({ length: 5 }, () => reason));
  });

  test.each([36, 38])("fails if it always ends after 37 rows, but total_matching is %i", async (total_matching) => {
    const service = fakeService(fakeRows(37));
    const { catalog } = service.client;
    service.client.catalog = async (...request) => {
      const page = await catalog(...request);
      return { ...page, pagination: { ...page.pagination, total_matching } };
    };
    const { error, restarts } = await walk(service);
    expect(error).toBeInstanceOf(SetChangedError);
    expect(new Set(restarts)).toEqual(
      new Set([`the walk ended after 37 rows, but total_matching is ${total_matching}`]),
    );
  });

  test("finds a row that repeats with other escapes", async () => {
    const rows = fakeRows(37);
    const service = fakeService(rows);
    const { catalog } = service.client;
    service.client.catalog = async (...request) => {
      const page = await catalog(...request);
      const asFirst = texts(rows.slice(0, 1)).map((text) => text.replace('"acme-', '"\\u0061cme-'));
      const cut = [...page.rows.texts()].map((text) => (text === texts([rows[20] as FakeRow])[0] ? asFirst : text));
      return { ...page, rows: batchOf(cut.flat()) };
    };
    const { error, restarts } = await walk(service);
    expect(error).toBeInstanceOf(SetChangedError);
    expect(restarts[0]).toMatch(/^row "\\u0061cme-shoes-000000" was returned twice$/);
  });

  test("finds rows that move to other days although the total stays the same", async () => {
    const rows = fakeRows(37);
    const service = fakeService(rows);
    onRequest(service, 3, () => {
      const last = service.rows.pop() as (typeof rows)[number];
      service.rows.push({ ...last, crawl_date: "2026-02-01" });
    });
    const { error, rows: got, restarts } = await walk(service);
    expect([error, got, restarts]).toEqual([undefined, texts(service.rows), ["meta.coverage changed"]]);
  });

  test("refuses a row outside the filters", async () => {
    const service = fakeService(fakeRows(5));
    const { catalog } = service.client;
    service.client.catalog = (_, page) => catalog({}, page);
    const { error } = await walk(service, { retailer: "other" });
    expect(error).toBeInstanceOf(ContractError);
    expect((error as Error).message).toContain('row "acme-shoes-000000"');
  });
});
