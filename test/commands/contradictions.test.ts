import { expect, test } from "vitest";
import { COMBINATION, coverageBody, META, pageBody } from "../helpers/envelopes.ts";
import { answer, startFaultServer } from "../helpers/fault-server.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";

const ROW = JSON.stringify(product({ crawl_date: "2026-01-01" }));
const one = { ...META.coverage, matching_rows: 1, corpus_rows: 1, latest_date: "2026-01-01" };
const undated = { ...META, coverage: { ...META.coverage, earliest_date: null } };

async function run(args: readonly string[], ...bodies: string[]) {
  const service = await startFaultServer(bodies.map((body) => answer({ body })));
  const { code, stdout, stderr } = await runInProcess(args, { service, sleep: async () => undefined });
  return { code, stdout, stderr, requests: service.requests.length };
}

test.each([
  ["sample", pageBody([ROW], { has_more: true }), "a sample has no further page, but `pagination.has_more` is true"],
  ["coverage", coverageBody([COMBINATION], undated), "`meta.coverage.earliest_date` is null, but `matching_rows` is 2"],
])(
  "%s refuses a response that contradicts itself, and does not send the request again",
  async (command, body, what) => {
    expect(await run([command, "-f", "ndjson"], body)).toEqual({
      ...{ code: 1, stdout: "", requests: 1 },
      stderr: expect.stringContaining(what),
    });
  },
);

test("a cursor on the last page, and another limit than was asked for, are let pass", async () => {
  const meta = { ...META, coverage: one };
  const coverage = coverageBody([{ ...COMBINATION, ...one, combinations: undefined }], meta);
  const page = pageBody([ROW], { next_cursor: "next", limit: 7 }, meta);
  expect(await run(["export"], coverage, page, page)).toMatchObject({ code: 0, stdout: `${ROW}\n`, stderr: "" });
});

test("pages that are not sorted give the same rows, each once", async () => {
  const rows = ["c", "a", "b"].map((sku) => JSON.stringify(product({ sku, crawl_date: "2026-01-01" })));
  const three = { ...one, matching_rows: 3, corpus_rows: 3 };
  const meta = { ...META, coverage: three };
  const coverage = coverageBody([{ ...COMBINATION, ...three, combinations: undefined }], meta);
  const first = pageBody(rows.slice(0, 2), { has_more: true, next_cursor: "n", total_matching: 3 }, meta);
  const last = pageBody(rows.slice(2), { total_matching: 3 }, meta);
  const found = await run(["export", "--recheck", "0", "--concurrency", "1"], coverage, first, last);
  expect(found).toMatchObject({ code: 0, stdout: rows.map((row) => `${row}\n`).join(""), stderr: "" });
});
