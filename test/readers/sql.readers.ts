import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readXlsx } from "hucre/xlsx";
import { describe, expect, test } from "vitest";
import { runCatalog } from "../helpers/cli.ts";
import { sixteenDays, syncedFolder } from "../helpers/synced-folder.ts";

/** A synced folder of 48 rows, and the built tool in it. */
async function synced() {
  const folder = await syncedFolder(sixteenDays());
  const sql = (args: readonly string[], stdin = "") => runCatalog(["sql", ...args], { cwd: folder, stdin });
  return { folder, sql };
}

describe("catalog sql", () => {
  test("writes a sheet with the days and times of DuckDB as dates, and exact numbers", async () => {
    const { folder, sql } = await synced();
    const query = `SELECT crawl_date, TIMESTAMP '2026-01-05 12:34:56.5' AS at, TIMESTAMPTZ '2026-01-05 12:00:00+00' AS zoned,
      TIMESTAMP '2026-01-05 12:34:56.123456' AS exact, sku, '2026-01-05' AS day_text, url, 1e15::BIGINT + 1 AS long,
      19.90::DECIMAL(9, 2) AS price, 1 / 3 AS third, 12345678901234567890::HUGEINT AS huge, true AS yes, NULL AS nothing,
      [1, 2] AS list FROM rows ORDER BY crawl_date, sku LIMIT 1`;
    expect(await sql([query, "-o", "answer.xlsx", "--links"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
    const [sheet] = (await readXlsx(await readFile(join(folder, "answer.xlsx")))).sheets;
    expect(sheet?.rows[1]).toEqual([
      new Date("2026-01-01"),
      new Date("2026-01-05T12:34:56.500Z"),
      expect.stringMatching(/^2026-01-05 \d\d:00:00[+-]\d\d/),
      "2026-01-05 12:34:56.123456",
      "s0",
      "2026-01-05",
      "https://shop.example/p/s0",
      "1000000000000001",
      19.9,
      1 / 3,
      "12345678901234567890",
      true,
      null,
      "[1, 2]",
    ]);
    expect(sheet?.cells?.get("1,6")?.hyperlink?.target).toBe("https://shop.example/p/s0");
  });

  test("leaves no file of a response that no sheet can hold", async () => {
    const { folder, sql } = await synced();
    const before = await readdir(folder);
    const { code, stderr } = await sql(["SELECT range AS n FROM range(1048576)", "-o", "answer.xlsx"]);
    expect({ code, stderr: stderr.replace(/\s+/g, " "), files: await readdir(folder) }).toEqual({
      code: 2,
      stderr: expect.stringContaining("a sheet of xlsx holds at most 1,048,575 rows below its header"),
      files: before,
    });
  });

  test("reads the query from standard input", async () => {
    const { sql } = await synced();
    expect(await sql(["-", "-f", "csv"], "SELECT count(*) AS n FROM days -- every day\n")).toMatchObject({
      code: 0,
      stdout: "n\r\n16\r\n",
    });
  });

  test("shows the message of DuckDB line by line, with control characters as escapes", async () => {
    const { sql } = await synced();
    const { stderr } = await sql(["SELECT selling_prize FROM rows"]);
    expect(stderr.split("\n").slice(0, 2)).toEqual([
      expect.stringMatching(
        /^error: The query cannot be run: Binder Error: Referenced column "selling_prize" not found/,
      ),
      expect.stringMatching(/^ {2}Candidate bindings: "selling_price"/),
    ]);
    const hostile = await sql(["SELECT CAST(chr(27) || '[31m' AS INTEGER)"]);
    expect({ code: hostile.code, hasEscape: hostile.stderr.includes("\u001b") }).toEqual({ code: 2, hasEscape: false });
    expect(hostile.stderr).toContain("\\x1b[31m");
  });

  test("refuses a folder with a flipped bit, wherever it is", async () => {
    const { folder, sql } = await synced();
    const path = join(folder, "crawl_date=2026-01-02", "part-0.parquet");
    const whole = await readFile(path);
    for (let part = 0; part < 12; part += 1) {
      const flipped = Buffer.from(whole);
      const at = Math.floor((whole.length * part) / 12) + 4;
      flipped[at] = (flipped[at] as number) ^ 4;
      await writeFile(path, flipped);
      const { code, stdout, stderr } = await sql(["SELECT count(*) AS n, sum(selling_price) FROM rows"]);
      expect({ code, stdout, stderr }).toEqual({
        code: 1,
        stdout: "",
        stderr: expect.stringContaining("was changed or damaged since the last sync"),
      });
    }
    await writeFile(path, whole);
    expect((await sql(["SELECT count(*) AS n FROM rows", "-f", "csv"])).stdout).toBe("n\r\n48\r\n");
  });
});
