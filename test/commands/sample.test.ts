import { expect, test } from "vitest";
import { runInProcess } from "../helpers/in-process.ts";
import { product, products } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

const LONG = "A title that is longer than any terminal is wide ".repeat(8).trim();

async function sample(args: readonly string[], env: Record<string, string> = {}) {
  const { url, key } = await startTestService({ rows: [product({ title: LONG, brand: "" })] });
  const service = { CATALOG_BASE_URL: url, CATALOG_API_KEY: key };
  return await runInProcess(["sample", ...args], { env: { ...service, ...env } });
}

test("--wide shows every column and cuts nothing", async () => {
  const { stdout } = await sample(["--wide"]);
  const [heading = "", , row] = stdout.split("\n");
  expect(heading.split(/ {2,}/)).toHaveLength(17);
  expect(row).toContain(LONG);
});

test("a title links to its product page if links and colour are on", async () => {
  const opened = "\u001b]8;;https://shop.example/p/sku-1\u001b\\";
  const on = { FORCE_COLOR: "1", FORCE_HYPERLINK: "1" };
  expect((await sample(["--card"], on)).stdout).toContain(opened);
  expect((await sample(["-f", "table"], on)).stdout).toContain(opened);
  expect((await sample(["--card", "--no-color"], on)).stdout).not.toContain("\u001b");
});

test.each([
  [["--wide", "--card"], "--wide and --card are two views"],
  [["--card", "-f", "csv"], "--card is a view for people; it cannot be combined with csv"],
  [["--wide", "-o", "rows.ndjson"], "--wide is a view for people; it cannot be combined with ndjson"],
])("refuses %j", async (args, message) => {
  const { code, stdout, stderr } = await runInProcess(["sample", "--demo", ...args]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(message);
});

test("says what was sorted: the sample, not the set", async () => {
  const service = await startTestService({ rows: products(130) });
  const noteOf = async (...args: string[]) =>
    (await runInProcess(["sample", "--sort", "sku:desc", ...args], { service, columns: 80 })).stderr.split("\n")[0];
  expect(await noteOf("-n", "3")).toMatch(/^3 shown; sorted 100 sampled rows of 130 matching; /);
  expect(await noteOf("-f", "ndjson")).toBe("sorted 100 sampled rows of 130 matching");
  const few = await startTestService({ rows: products(3) });
  const { stderr } = await runInProcess(["sample", "--sort", "sku", "-n", "2"], { service: few, columns: 80 });
  expect(stderr).toMatch(/^2 of 3 matching rows/);
});

test("keeps the whole sku and the price on a terminal of 80 columns", async () => {
  const sku = "4223360860_MY-23939653547";
  const service = await startTestService({
    rows: [product({ sku, title: LONG }), product({ sku, title: LONG, retailer: "ridge-shop" })],
  });
  const { stdout } = await runInProcess(["sample", "--no-color"], { service, columns: 80 });
  expect(stdout).toMatch(new RegExp(`^ridge-shop +A title .*… +${sku} +15\\b`, "m"));
});
