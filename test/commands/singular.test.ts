import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../helpers/cli.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

test("every command says one row, one day and one product in the singular", async () => {
  const service = await startTestService({ rows: [product({ sku: "lamp" })] });
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "basket.csv"), "sku,quantity\nlamp,1\n");
  const said: string[] = [];
  for (const args of [
    ["export", "-v", "-o", "./rows.csv", "--manifest"],
    ["verify", "./rows.csv"],
    ["export", "-v", "--partition-by", "crawl_date", "-f", "csv", "-o", "./parts"],
    ["sync", "-v", "./rows"],
    ["sync", "-v", "./rows"],
    ["verify", "./rows"],
    ["coverage", "-f", "table"],
    ["coverage", "./rows", "-f", "table"],
    ["movers", "./rows", "-f", "table"],
    ["latest", "./rows", "-f", "table"],
    ["history", "lamp", "./rows", "-f", "table"],
    ["index", "./basket.csv", "./rows", "-f", "table"],
    ["diff", "./rows", "-f", "table"],
    ["report", "./rows"],
  ]) {
    const { code, stdout, stderr } = await runInProcess(args, { service, cwd });
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: expect.any(String) });
    said.push(stdout, stderr);
  }
  const text = said.join("\n");
  expect(text).toMatch(/\b1 row\b/);
  expect(text).toMatch(/\b1 day\b/);
  expect(
    text.match(/(?<![\d.,-])1 (?:new )?(?:rows|days|products|changes|requests|slices|files|retailers)\b.*/g),
  ).toBeNull();
});
