import { expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { COMBINATION, coverageBody, META, pageBody } from "../helpers/envelopes.ts";
import { answer, startFaultServer } from "../helpers/fault-server.ts";
import { gate } from "../helpers/gate.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";

const RATE = { "ratelimit-limit": "120", "ratelimit-remaining": "110", "ratelimit-reset": "60" };

test("the wait that a 429 asks for is not ended by a response that comes later", async () => {
  const coverage = { ...META.coverage, combinations: 2, corpus_rows: 3, matching_rows: 3 };
  const combinationOf = (category: string, rows: number) => ({
    ...{ ...COMBINATION, category, corpus_rows: rows, matching_rows: rows, rcd: `acme:${category}:home` },
  });
  const combinations = [combinationOf("lamps", 1), combinationOf("rugs", 2)];
  const pageOf = (category: string, number: number, total: number) => {
    const row = product({ category, sku: `${category}-${number}`, crawl_date: "2026-01-01" });
    const has_more = number < total;
    const position = { limit: 1, total_matching: total, has_more, next_cursor: has_more ? "next" : null };
    const resolved = { ...META.resolved, rcd: `acme:${category}:home` };
    return answer({ headers: RATE, body: pageBody([JSON.stringify(row)], position, { ...META, resolved, coverage }) });
  };
  let seconds = 0;
  const isRefused = gate();
  const timePassed = gate();
  const early: string[] = [];
  let refused = false;
  const server = await startFaultServer(({ target }) => {
    if (target.startsWith("/v1/coverage")) {
      return answer({ headers: RATE, body: coverageBody(combinations, { ...META, coverage }) });
    }
    const page = target.includes("lamps") ? "lamps" : target.includes("cursor") ? "rugs 2" : "rugs 1";
    if (seconds < 100) {
      early.push(page);
    }
    if (page === "rugs 1") {
      return async (...given) => {
        await isRefused.passed;
        pageOf("rugs", 1, 2)(...given);
      };
    }
    if (page === "rugs 2") {
      timePassed.open();
      return pageOf("rugs", 2, 2);
    }
    if (!refused) {
      refused = true;
      return answer({ status: 429, headers: { ...RATE, "retry-after": "100" } });
    }
    return pageOf("lamps", 1, 1);
  });
  let waits = 0;
  const { code, stderr } = await runInProcess(["export", "--page-size", "1", "--concurrency", "2"], {
    service: server,
    elapsed: () => seconds * 1000,
    random: () => 0,
    sleep: async () => {
      waits += 1;
      if (waits === 1) {
        isRefused.open();
        await timePassed.passed;
      } else {
        // Nothing can leave, so the time passes.
        seconds = 200;
        timePassed.open();
      }
    },
  });
  expect({ code, stderr, early: early.sort() }).toEqual({ code: EXIT.ok, stderr: "", early: ["lamps", "rugs 1"] });
});
