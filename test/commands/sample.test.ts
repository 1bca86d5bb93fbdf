import { expect, test } from "vitest";
import { runInProcess } from "../helpers/in-process.ts";
import { product, products } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

const LONG = "A title that is longer than any terminal is wide ".repeat(8).trim();

test("says what was sorted: the sample, not the set", async () => {
  const service = await startTestService({ rows: products(130) });
  const noteOf = async (...args: string[]) =>
    (await runInProcess(["sample", "--sort", "sku:desc", ...args], { service, columns: 80 })).stderr
      .trimEnd()
      .split("\n")
      .at(-1);
  expect(await noteOf("-n", "3")).toBe("3 shown; sorted 100 sampled rows of 130 matching");
  expect(await noteOf("-f", "ndjson")).toBe("sorted 100 sampled rows of 130 matching");
  const few = await startTestService({ rows: products(3) });
  const { stderr } = await runInProcess(["sample", "--sort", "sku", "-n", "2"], { service: few, columns: 80 });
  expect(stderr).toMatch(/^2 of 3 matching rows$/m);
});

test("keeps the whole sku and the price on a terminal of 80 columns", async () => {
  const sku = "4223360860_MY-23939653547";
  const service = await startTestService({
    rows: [product({ sku, title: LONG }), product({ sku, title: LONG, retailer: "ridge-shop" })],
  });
  const { stdout } = await runInProcess(["sample", "--no-color"], { service, columns: 80 });
  expect(stdout).toMatch(new RegExp(`^ridge-shop +A title .*… +${sku} +15\\b`, "m"));
});
