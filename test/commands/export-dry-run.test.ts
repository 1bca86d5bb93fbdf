import { expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product, products } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

/** The estimate for 99 pages and their coverage, of which a window allows ten. */
async function estimateWith(windowSeconds: number, requestsBefore = 0) {
  const service = await startTestService({ rows: products(99), rateLimit: 10, windowSeconds });
  for (let request = 0; request < requestsBefore; request += 1) {
    await service.get("/v1/coverage");
  }
  const args = ["export", "--dry-run", "-f", "json", "--page-size", "1"];
  const { code, stdout } = await runInProcess(args, { service });
  expect(code).toBe(EXIT.ok);
  return JSON.parse(stdout);
}

test.each([5, 3_600])("an estimate takes the length of a window from the service: %i s", async (windowSeconds) => {
  const { requests, windows, seconds } = await estimateWith(windowSeconds);
  expect({ requests, windows, windowsWaited: Math.round(seconds / windowSeconds) }).toEqual({
    requests: 100,
    windows: 11,
    windowsWaited: 10,
  });
});

test("an estimate within a window that others opened does not take its rest for a whole one", async () => {
  const { windows, seconds } = await estimateWith(20, 3);
  expect({ windows, minutes: Math.round((seconds - 20) / 60) }).toEqual({ windows: 11, minutes: 9 });
});

test("an estimate has the requests that the export sends, also if each retailer has days of its own", async () => {
  const retailers = ["acme", "bolt", "casa"];
  const rows = retailers.map((retailer, index) => product({ retailer, crawl_date: `2026-01-0${index + 1}` }));
  const service = await startTestService({ rows });
  const args = ["export", "--retailer", retailers.join(","), "--date", "latest"];
  const { stdout } = await runInProcess([...args, "--dry-run", "-f", "json"], { service });
  const { stderr } = await runInProcess([...args, "--verbose"], { service });
  expect(JSON.parse(stdout).requests).toBe(stderr.match(/^GET \/v1\/(coverage|catalog)/gm)?.length);
});
