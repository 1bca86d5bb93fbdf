import { describe, expect, test } from "vitest";
import { EXIT } from "../../src/errors.ts";
import { runCatalog } from "../helpers/cli.ts";
import { oneRowEach } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

describe("two letters swapped", () => {
  test("a slug is found before one that only begins alike", async () => {
    const rows = oneRowEach("acme:shoe-polish:care", "acme:shoes:clothing", "acme:hoses:garden");
    const { url, key } = await startTestService({ rows });
    const env = { CATALOG_BASE_URL: url, CATALOG_API_KEY: key };
    const { code, stderr } = await runCatalog(["coverage", "--category", "shose"], { env });
    expect(code).toBe(EXIT.usage);
    expect(stderr).toMatch(/Did you mean shoes, [^\n]*\n {2}catalog coverage --category shoes\n/);
  });

  test.each([
    [["exprot", "--demo"], "catalog export --demo"],
    [["export", "--demo", "--ouptut", "x"], "catalog export --demo --output x"],
    [["export", "--demo", "-f", "cvs"], "catalog export --demo -f csv"],
    [["export", "--demo", "--columns", "sku,ttile"], "catalog export --demo --columns sku,title"],
    [["explain", "rate_limtied"], "catalog explain rate_limited"],
    [["help", "exprot"], "catalog help export"],
  ])("%j is put right", async (args, corrected) => {
    const { code, stderr } = await runCatalog(args);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain(`\n  ${corrected}\n`);
  });
});
