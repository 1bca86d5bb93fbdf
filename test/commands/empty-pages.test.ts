import { expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { COMBINATION, coverageBody, META, pageBody } from "../helpers/envelopes.ts";
import { answer, startFaultServer } from "../helpers/fault-server.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";

const ROWS = ["a", "b"].map((sku) => JSON.stringify(product({ sku, crawl_date: "2026-01-01" })));
const [A = "", B = ""] = ROWS;

/** Exports from a service with these pages; each cursor is the number of the next page. */
async function exportOf(pages: readonly (readonly string[])[]) {
  const server = await startFaultServer(({ target }) => {
    if (target.startsWith("/v1/coverage")) {
      return answer({ body: coverageBody([COMBINATION]) });
    }
    const query = new URL(target, "http://service").searchParams;
    const page = Number(query.get("cursor") ?? 0);
    const has_more = page < pages.length - 1;
    const position = {
      limit: 500,
      total_matching: ROWS.length,
      has_more,
      next_cursor: has_more ? `${page + 1}` : null,
    };
    const resolved = { ...META.resolved, rcd: query.get("rcd") };
    return answer({ body: pageBody(pages[page] ?? [], position, { ...META, resolved }) });
  });
  return await runInProcess(["export"], { service: server, sleep: async () => undefined });
}

test("pages without rows between others lose no row and end no walk, however many they are", async () => {
  const expected = { code: EXIT.ok, stdout: `${A}\n${B}\n`, stderr: "" };
  expect(await exportOf([[], [A], [], [], [B], [], []])).toEqual(expected);
});

test("three pages without rows in a row, with more to come, end a walk that may have no end", async () => {
  const { code, stdout, stderr } = await exportOf([[A], [], [], [], [B]]);
  expect({ code, stdout }).toEqual({ code: EXIT.failure, stdout: "" });
  expect(stderr).toContain("3 pages in a row without rows, though `has_more` is true");
});
