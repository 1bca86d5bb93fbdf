import { createHash } from "node:crypto";
import { cp, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as zlib from "node:zlib";
import { describe, expect, test } from "vitest";
import { EXIT, FileError, InterruptedError, MismatchError } from "../../src/contract/errors.ts";
import { PRODUCT_COLUMNS, type Product } from "../../src/contract/product.ts";
import { createParquetEncoder } from "../../src/export/formats/parquet/parquet.ts";
import { type Manifest, manifestText, readManifest } from "../../src/export/manifest.ts";
import { batchOf } from "../../src/rows/scan.ts";
import { runCatalog, temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { hostileParquetFiles } from "../helpers/hostile-parquet.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product, products } from "../helpers/products.ts";
import { startTestService, type TestService } from "../helpers/service.ts";

const ROWS = [...products(120), product({ sku: "z", title: 'a "quoted"\r\n\u2028title,\twith all' })];

const onEnd = afterAllTests();
let service: Promise<TestService> | undefined;
/** Folders of the exports that were made already; none of them is changed. */
const exports = new Map<string, Promise<string>>();

async function exportWith(name: string, flags: readonly string[]): Promise<string> {
  service ??= startTestService({ rows: ROWS, onEnd });
  const cwd = await temporaryFolder(onEnd);
  const args = ["export", "-o", join(cwd, name), "--manifest", ...flags];
  const { code } = await runInProcess(args, { service: await service });
  expect(code).toBe(EXIT.ok);
  return cwd;
}

/** A file that was exported with its manifest, and a way to check it. */
async function exported(name: string, flags: readonly string[] = []) {
  const key = [name, ...flags].join(" ");
  const made = exports.get(key) ?? exportWith(name, flags);
  exports.set(key, made);
  const cwd = await temporaryFolder();
  await cp(await made, cwd, { recursive: true });
  return {
    cwd,
    file: join(cwd, name),
    verify: (...args: string[]) => verifyIn(cwd, name, ...args),
  };
}

/** Checks a file. The messages name it without its folder. */
async function verifyIn(folder: string, name: string, ...args: string[]) {
  const { code, stdout, stderr } = await runInProcess(["verify", join(folder, name), ...args]);
  return { code, stdout: stdout.replaceAll(`${folder}/`, ""), stderr: stderr.replaceAll(`${folder}/`, "") };
}

/** Puts other rows in the place of the exported ones, with a manifest that agrees with their bytes and `changes`. */
async function replace(file: string, bytes: Buffer, changes: Partial<Manifest> = {}): Promise<void> {
  const manifest = JSON.parse(await readFile(`${file}.manifest.json`, "utf8")) as Manifest;
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const fitted = { ...manifest, ...changes, file: { ...manifest.file, bytes: bytes.length, sha256 } };
  await writeFile(file, bytes);
  const { checksum: _, ...unsigned } = fitted as Manifest & { checksum?: string };
  await writeFile(`${file}.manifest.json`, manifestText(unsigned));
}

/** A Parquet file of these rows. */
async function parquetOf(rows: readonly Product[]): Promise<Buffer> {
  const encoder = createParquetEncoder({ known: PRODUCT_COLUMNS });
  const batch = batchOf(rows.map((row) => JSON.stringify(row)));
  const chunks = [await encoder.begin(), await encoder.encode(batch), await encoder.end()];
  return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)));
}

const HAS_ZSTD = "createZstdCompress" in zlib;

describe("verify", () => {
  test("says that a file does not exist, not that it has no manifest", async () => {
    const { code, stderr } = await verifyIn(await temporaryFolder(), "nofile.csv");
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: nofile\.csv: no such file/)]);
  });

  test("refuses Parquet files that held the tool without end", async () => {
    const { file } = await exported("rows.parquet");
    for (const bytes of hostileParquetFiles()) {
      await replace(file, bytes);
      const { code, stderr } = await runCatalog(["verify", file], { timeout: 30_000 });
      expect([code, stderr]).toEqual([
        expect.toBeOneOf([EXIT.failure, EXIT.changed]),
        expect.stringMatching(/^error: /),
      ]);
    }
  });

  test.each([
    "rows.ndjson",
    "rows.csv",
    "rows.tsv",
    "rows.json",
    "rows.ndjson.gz",
    "rows.csv.gz",
    "rows.parquet",
    "rows.xlsx",
    // Node.js 22.15 or newer; `zstdFrames` has tests of its own.
    ...(HAS_ZSTD ? ["rows.ndjson.zst", "rows.csv.zst"] : []),
  ])("reports the facts of an unchanged %s", async (name) => {
    const { file, verify } = await exported(name);
    const bytes = await readFile(file);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const size = bytes.length.toLocaleString("en-US");
    expect(await verify()).toEqual({
      code: EXIT.ok,
      stdout: `${name}: 121 rows, each once, ${size} bytes, sha256 ${sha256}\n`,
      stderr: "",
    });
  });

  test.each(["rows.csv", "rows.tsv.gz"])("reads in %s what --excel protected from a spreadsheet", async (name) => {
    const names = ["007", "-x", "@shop", "true", "'=a"];
    const rows = names.map((retailer) => product({ retailer, category: retailer, product_id: `1E${retailer}` }));
    const cwd = await temporaryFolder();
    const args = ["export", "--excel", "--manifest", "-o", join(cwd, name), "--retailer", names.join(",")];
    const [made, checked] = [
      await runInProcess(args, { service: await startTestService({ rows }) }),
      await verifyIn(cwd, name),
    ];
    expect([made.code, checked.code, checked.stderr]).toEqual([EXIT.ok, EXIT.ok, ""]);
    expect(checked.stdout).toContain("5 rows, each once");
  });

  test("ends when it is interrupted, before it has read the file", async () => {
    const { file } = await exported("rows.ndjson");
    await writeFile(file, "altered");
    const signal = AbortSignal.abort(new InterruptedError("SIGINT"));
    const { code, stdout } = await runInProcess(["verify", file], { signal });
    expect([code, stdout]).toEqual([EXIT.interrupted, ""]);
  });

  test("is silent with --quiet", async () => {
    const { verify } = await exported("rows.ndjson");
    expect(await verify("--quiet")).toEqual({ code: EXIT.ok, stdout: "", stderr: "" });
  });

  test.each(["rows.csv", "rows.parquet", "rows.xlsx"])(
    "does not claim that each row of %s comes once where the ids were not exported",
    async (name) => {
      const { verify } = await exported(name, ["--columns", "sku,color"]);
      const { code, stdout } = await verify();
      expect([code, stdout]).toEqual([EXIT.ok, expect.stringMatching(/^rows\.\w+: 121 rows, [\d,]+ bytes/)]);
    },
  );

  test("accepts an export that --max-rows ended", async () => {
    const { verify } = await exported("rows.ndjson", ["--max-rows", "7"]);
    const { code, stdout } = await verify();
    expect([code, stdout]).toEqual([EXIT.ok, expect.stringContaining("7 rows")]);
  });

  test("finds the manifest of a file behind a link", async () => {
    const { cwd, verify } = await exported("rows.ndjson");
    await mkdir(join(cwd, "kept"));
    for (const name of ["rows.ndjson", "rows.ndjson.manifest.json"]) {
      await rename(join(cwd, name), join(cwd, "kept", name));
    }
    await symlink("kept/rows.ndjson", join(cwd, "rows.ndjson"));
    expect((await verify()).code).toBe(EXIT.ok);
  });

  test("notices a file that was cut", async () => {
    const { file, verify } = await exported("rows.ndjson");
    const bytes = await readFile(file);
    await writeFile(file, bytes.subarray(0, -100));
    const { code, stdout, stderr } = await verify();
    expect([code, stdout, stderr]).toEqual([
      EXIT.changed,
      "",
      expect.stringContaining(`has ${bytes.length - 100} bytes, but its manifest says ${bytes.length}`),
    ]);
  });

  test("notices a single changed byte", async () => {
    const { file, verify } = await exported("rows.ndjson");
    const bytes = await readFile(file);
    bytes[1_000] = (bytes[1_000] ?? 0) ^ 1;
    await writeFile(file, bytes);
    const { code, stderr } = await verify();
    expect([code, stderr]).toEqual([EXIT.changed, expect.stringContaining("was altered: its sha256 is")]);
  });

  test("notices a missing row even if everything else matches", async () => {
    const { file, verify } = await exported("rows.ndjson");
    const [, ...rest] = (await readFile(file, "utf8")).split("\n");
    await replace(file, Buffer.from(rest.join("\n")));
    const { code, stderr } = await verify();
    expect([code, stderr]).toEqual([EXIT.changed, expect.stringContaining("has 120 rows, but its manifest says 121")]);
  });

  test("notices that there are fewer rows than the service counted", async () => {
    const { file, verify } = await exported("rows.ndjson");
    const { coverage } = JSON.parse(await readFile(`${file}.manifest.json`, "utf8")) as Manifest;
    await replace(file, await readFile(file), { coverage: { ...coverage, matching_rows: 122 } });
    const { code, stderr } = await verify();
    expect([code, stderr]).toEqual([EXIT.changed, expect.stringContaining("121 rows, but the service counted 122")]);
  });

  test.each([120, 122])("notices that the slices of the manifest have %i rows, not 121", async (rows) => {
    const { file, verify } = await exported("rows.ndjson");
    const { plan } = JSON.parse(await readFile(`${file}.manifest.json`, "utf8")) as Manifest;
    await replace(file, await readFile(file), { plan: { ...plan, slices: [{ filters: {}, rows }] } });
    const { code, stderr } = await verify();
    const message = `has 121 rows, but the slices of its manifest have ${rows}`;
    expect([code, stderr]).toEqual([EXIT.changed, expect.stringContaining(message)]);
  });

  test.each(["retailer", "category", "department"])("checks the days alone in a file without %s", async (missing) => {
    const columns = ["product_id", "retailer", "category", "department", "crawl_date"].filter(
      (name) => name !== missing,
    );
    const { retailer, category, department } = product();
    const flags = ["--rcd", `${retailer}:${category}:${department}`, "--columns", columns.join(",")];
    const { file, verify } = await exported("rows.csv", flags);
    expect(await verify()).toMatchObject({ code: EXIT.ok, stderr: "" });
    await replace(file, await readFile(file), { filters: { start_date: "2026-01-16" } });
    expect(await verify()).toMatchObject({
      code: EXIT.changed,
      stderr: expect.stringContaining("row 1 is outside the filters"),
    });
  });

  test.each(["rows.ndjson.gz", "rows.csv", "rows.json", "rows.parquet"])(
    "names the row that occurs twice in %s",
    async (name) => {
      const { file, verify } = await exported(name);
      const twice = [...products(120), product({ sku: "sku-0007" })];
      const contents: Record<string, Buffer> = {
        "rows.ndjson.gz": zlib.gzipSync(twice.map((row) => `${JSON.stringify(row)}\n`).join("")),
        "rows.csv": Buffer.from(`sku,product_id\r\n${twice.map((row) => `x,${row.product_id}\r\n`).join("")}`),
        "rows.json": Buffer.from(`[\n${twice.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`),
        "rows.parquet": await parquetOf(twice),
      };
      await replace(file, contents[name] ?? Buffer.of());
      const { code, stderr } = await verify();
      expect([code, stderr]).toEqual([
        EXIT.changed,
        expect.stringContaining('has the row "acme/lamps/sku-0007/2026-01-15" twice'),
      ]);
    },
  );

  test.each([
    ["rows.ndjson", "not json\n", "rows.ndjson is not ndjson: line 1 is not JSON"],
    ["rows.csv", 'a,"b\r\n', "rows.csv is not csv"],
    ["rows.ndjson.gz", "not gzip", "rows.ndjson.gz is not gzip"],
    ["rows.parquet", "not parquet at all", "rows.parquet is not parquet"],
  ])("reports where %s violates its format", async (name, content, message) => {
    const { file, verify } = await exported(name);
    await replace(file, Buffer.from(content));
    const { code, stderr } = await verify();
    expect([code, stderr]).toEqual([EXIT.changed, expect.stringContaining(message)]);
  });

  test("notices any flipped bit of the manifest", async () => {
    const { cwd, file } = await exported("rows.ndjson", ["--retailer", "acme", "--start-date", "2026-01-01"]);
    const bytes = await readFile(`${file}.manifest.json`);
    const passed: number[] = [];
    for (let flip = 0; flip < 200; flip += 1) {
      const changed = Buffer.from(bytes);
      const at = Math.floor((flip * bytes.length) / 200);
      changed[at] = (changed[at] ?? 0) ^ (1 << (flip % 8));
      await writeFile(`${file}.manifest.json`, changed);
      const found = await readManifest(join(cwd, "rows.ndjson")).catch((error: unknown) => error);
      if (!(found instanceof MismatchError || found instanceof FileError)) {
        passed.push(at);
      }
    }
    expect(passed).toEqual([]);
  });

  test.each(["rows.ndjson", "rows.csv", "rows.parquet"])(
    "checks the rows of %s against the filters and dates of the manifest",
    async (name) => {
      const { file, verify } = await exported(name);
      const bytes = await readFile(file);
      for (const filters of [{ start_date: "2026-01-16" }, { retailer: "bolt" }, { rcd: "acme:lamps:garden" }]) {
        await replace(file, bytes, { filters });
        const { code, stderr } = await verify();
        expect([code, stderr]).toEqual([
          EXIT.changed,
          expect.stringContaining(`${name}: row 1 is outside the filters of its manifest`),
        ]);
      }
    },
  );

  test("takes an id that comes again in another slice for another row, as the export does", async () => {
    const { file, verify } = await exported("rows.csv", ["--columns", "product_id"]);
    const { plan } = JSON.parse(await readFile(`${file}.manifest.json`, "utf8")) as Manifest;
    const ids = Array.from({ length: 121 }, (_, index) => `id-${index % 120}`);
    const text = Buffer.from(["product_id", ...ids, ""].join("\r\n"));
    const slices = [60, 61].map((rows) => ({ filters: {}, rows }));
    await replace(file, text, { plan: { ...plan, slices } });
    // Without the columns that tell the slices apart it may be the same row.
    expect(await verify()).toMatchObject({
      code: EXIT.ok,
      stderr: "",
      stdout: expect.not.stringContaining("each once"),
    });
    await replace(file, text, { plan: { ...plan, slices: [{ filters: {}, rows: 121 }] } });
    expect(await verify()).toMatchObject({
      code: EXIT.changed,
      stderr: expect.stringContaining('has the row "id-0" twice'),
    });
  });

  test("also checks ids after a byte order mark", async () => {
    const { file, verify } = await exported("rows.csv", ["--bom", "--columns", "product_id,sku"]);
    const { stdout } = await verify();
    const twice = ["product_id,sku", ...Array(121).fill("a,b"), ""].join("\r\n");
    await replace(file, Buffer.from(`\uFEFF${twice}`));
    const { code, stderr } = await verify();
    expect([stdout, code, stderr]).toEqual([
      expect.stringContaining("121 rows, each once"),
      EXIT.changed,
      expect.stringContaining('has the row "a" twice'),
    ]);
  });

  test("needs the manifest and the file", async () => {
    const { file, verify } = await exported("rows.ndjson");
    await rename(file, `${file}.away`);
    const withoutFile = await verify();
    await rename(`${file}.away`, file);
    await rm(`${file}.manifest.json`);
    const withoutManifest = await verify();
    expect([withoutFile.code, withoutManifest.code]).toEqual([EXIT.failure, EXIT.failure]);
    expect(withoutManifest.stderr).toContain("`catalog export --manifest` writes one");
  });

  test("refuses a file that is not a manifest", async () => {
    const { file, verify } = await exported("rows.ndjson");
    await writeFile(`${file}.manifest.json`, '{"version":1}');
    const { code, stderr } = await verify();
    expect([code, stderr]).toEqual([EXIT.failure, expect.stringContaining("is not a manifest that this version")]);
  });
});
