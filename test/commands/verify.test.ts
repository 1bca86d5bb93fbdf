import { createHash } from "node:crypto";
import { copyFile, cp, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as zlib from "node:zlib";
import { describe, expect, test } from "vitest";
import { EXIT, FileError, InterruptedError, MismatchError } from "../../src/contract/errors.ts";
import { type Manifest, readManifest } from "../../src/export/manifest.ts";
import { checkedJson } from "../../src/files/text-checksum.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { onceEach } from "../helpers/once-each.ts";
import { product, products } from "../helpers/products.ts";
import { sharedService, startTestService } from "../helpers/service.ts";
import { servedFolder } from "../helpers/synced-folder.ts";

const ROWS = [...products(120), product({ sku: "z", title: 'a "quoted"\r\n\u2028title,\twith all' })];

const onEnd = afterAllTests();
const service = sharedService({ rows: ROWS });

/** The folder of an export. */
const exportWith = onceEach(async (name: string, ...flags: readonly string[]) => {
  const cwd = await temporaryFolder(onEnd);
  const args = ["export", "-o", join(cwd, name), "--manifest", ...flags];
  const { code } = await runInProcess(args, { service: await service() });
  expect(code).toBe(EXIT.ok);
  return cwd;
});

/** A file that was exported with its manifest, and a way to check it. */
async function exported(name: string, flags: readonly string[] = []) {
  const cwd = await temporaryFolder();
  await cp(await exportWith(name, ...flags), cwd, { recursive: true });
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
  await writeFile(`${file}.manifest.json`, checkedJson(unsigned));
}

const grouped = (bytes: number) => bytes.toLocaleString("en-US");

const HAS_ZSTD = "createZstdCompress" in zlib;

describe("verify", () => {
  test("says that a file does not exist, not that it has no manifest", async () => {
    expect(await verifyIn(await temporaryFolder(), "nofile.csv")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: nofile\.csv: no such file/),
    });
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
    const size = grouped(bytes.length);
    expect(await verify()).toEqual({
      code: EXIT.ok,
      stdout: `${name}: 121 rows, ${size} bytes, sha256 ${sha256}\n`,
      stderr: "",
    });
  });

  test("ends when it is interrupted, before it has read the file", async () => {
    const { file } = await exported("rows.ndjson");
    await writeFile(file, "altered");
    const signal = AbortSignal.abort(new InterruptedError("SIGINT"));
    expect(await runInProcess(["verify", file], { signal })).toMatchObject({ code: EXIT.interrupted, stdout: "" });
  });

  test("is silent with --quiet", async () => {
    const { verify } = await exported("rows.ndjson");
    expect(await verify("--quiet")).toEqual({ code: EXIT.ok, stdout: "", stderr: "" });
  });

  test("accepts a file that was exported again, without --manifest", async () => {
    const { file, verify } = await exported("rows.ndjson");
    const args = ["export", "-o", file, "--max-rows", "7"];
    expect((await runInProcess(args, { service: await service() })).code).toBe(EXIT.ok);
    expect(await verify()).toMatchObject({ code: EXIT.ok, stdout: expect.stringContaining("7 rows") });
  });

  test.each([
    ["a list", () => ["coverage"]],
    ["the rows of a list of products", (list: string) => ["export", "--skus", list]],
  ])("does not hold %s to the manifest of the export that it replaced", async (_, argsWith) => {
    const { cwd, file, verify } = await exported("rows.csv");
    const list = join(cwd, "list.csv");
    await writeFile(list, `sku\n${ROWS[0]?.sku}\n`);
    await runInProcess([...argsWith(list), "-o", file], { service: await service() });
    expect(await verify()).toEqual({
      code: EXIT.failure,
      stdout: "",
      stderr: expect.stringContaining("has no manifest"),
    });
  });

  test.each(["coverage", "export"])(
    "does not let %s remove or replace a file that only has the name of a manifest",
    async (command) => {
      const cwd = await temporaryFolder();
      const name = join(cwd, "rows.csv.manifest.json");
      await writeFile(name, "{}");
      await runInProcess([command, "-o", join(cwd, "rows.csv")], { service: await service() });
      expect({ files: await readdir(cwd), content: await readFile(name, "utf8") }).toEqual({
        files: ["rows.csv", "rows.csv.manifest.json"],
        content: "{}",
      });
    },
  );

  test("accepts an export that --max-rows ended", async () => {
    const { verify } = await exported("rows.ndjson", ["--max-rows", "7"]);
    expect(await verify()).toMatchObject({ code: EXIT.ok, stdout: expect.stringContaining("7 rows") });
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
    expect(await verify()).toMatchObject({
      code: EXIT.changed,
      stdout: "",
      stderr: expect.stringContaining(
        `has ${grouped(bytes.length - 100)} bytes, but its manifest says ${grouped(bytes.length)} bytes`,
      ),
    });
  });

  test("notices a single changed byte", async () => {
    const { file, verify } = await exported("rows.ndjson");
    const bytes = await readFile(file);
    bytes[1_000] = (bytes[1_000] ?? 0) ^ 1;
    await writeFile(file, bytes);
    expect(await verify()).toMatchObject({
      code: EXIT.changed,
      stderr: expect.stringContaining("was altered: its sha256 is"),
    });
  });

  test("notices that there are fewer rows than the service counted", async () => {
    const { file, verify } = await exported("rows.ndjson");
    const { coverage } = JSON.parse(await readFile(`${file}.manifest.json`, "utf8")) as Manifest;
    await replace(file, await readFile(file), { coverage: { ...coverage, matching_rows: 122 } });
    expect(await verify()).toMatchObject({
      code: EXIT.changed,
      stderr: expect.stringContaining("121 rows, but the service counted 122"),
    });
  });

  test.each([120, 122])("notices that the slices of the manifest have %i rows, not 121", async (rows) => {
    const { file, verify } = await exported("rows.ndjson");
    const { plan } = JSON.parse(await readFile(`${file}.manifest.json`, "utf8")) as Manifest;
    await replace(file, await readFile(file), { plan: { ...plan, slices: [{ filters: {}, rows }] } });
    const { code, stderr } = await verify();
    const message = `says 121 rows, but its slices have ${rows}`;
    expect({ code, stderr }).toEqual({ code: EXIT.changed, stderr: expect.stringContaining(message) });
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

  test("needs the manifest and the file", async () => {
    const { file, verify } = await exported("rows.ndjson");
    await rename(file, `${file}.away`);
    const withoutFile = await verify();
    await rename(`${file}.away`, file);
    await rm(`${file}.manifest.json`);
    const withoutManifest = await verify();
    expect({ withoutFileCode: withoutFile.code, withoutManifestCode: withoutManifest.code }).toEqual({
      withoutFileCode: EXIT.failure,
      withoutManifestCode: EXIT.failure,
    });
    expect(withoutManifest.stderr).toContain("`catalog export --manifest` writes one");
  });

  test("refuses a file that is not a manifest", async () => {
    const { file, verify } = await exported("rows.ndjson");
    await writeFile(`${file}.manifest.json`, '{"version":1}');
    expect(await verify()).toMatchObject({
      code: EXIT.failure,
      stderr: expect.stringContaining("is not a manifest that this version"),
    });
  });
});

describe("verify of a synced folder", () => {
  const DAYS = ["2026-01-01", "2026-01-02", "2026-01-03"];

  async function synced() {
    const rows = await servedFolder(DAYS.flatMap((crawl_date) => products(2, { crawl_date })));
    await rows.alreadySynced();
    return rows;
  }

  test("counts what is as the last sync wrote it", async () => {
    const { folder, file } = await synced();
    const sizes = await Promise.all(DAYS.map(async (day) => (await stat(file(day))).size));
    const bytes = grouped(sizes.reduce((sum, size) => sum + size));
    expect(await runInProcess(["verify", folder])).toMatchObject({
      code: 0,
      stdout: `${folder}: 3 days, 6 rows, ${bytes} bytes, as synced\n`,
      stderr: "",
    });
  });

  test("warns of files beside those of the days, which other programs also read", async () => {
    const { folder, file } = await synced();
    const other = join(dirname(file("2026-01-02")), "copy.parquet");
    await copyFile(file("2026-01-02"), other);
    await writeFile(join(dirname(other), ".hidden"), "");
    expect(await runInProcess(["verify", folder])).toMatchObject({
      code: EXIT.ok,
      stdout: expect.stringContaining("3 days, 6 rows"),
      stderr: `warning: ${other}: not checked. Programs that read the folder also read it\n`,
    });
  });

  test("names the days that are damaged or missing, and changes nothing", async () => {
    const { folder, file } = await synced();
    const bytes = await readFile(file("2026-01-01"));
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    await writeFile(file("2026-01-01"), bytes);
    await rm(file("2026-01-03"));
    const before = await readdir(folder, { recursive: true });
    const { code, stdout, stderr } = await runInProcess(["verify", folder]);
    expect({ code, stdout, stderr: stderr.replace(/\s+/g, " ") }).toEqual({
      code: EXIT.changed,
      stdout: "",
      stderr: expect.stringContaining(
        `2 days of 3 in ${folder} are damaged or missing: 2026-01-01, 2026-01-03; \`catalog sync ${folder} --verify\` reads them again`,
      ),
    });
    expect(await readdir(folder, { recursive: true })).toEqual(before);
  });

  test("shows how far it is", async () => {
    const { folder } = await synced();
    const signal = AbortSignal.abort(new InterruptedError("SIGINT"));
    expect((await runInProcess(["verify", folder], { signal })).code).toBe(EXIT.interrupted);
    const { stderr } = await runInProcess(["verify", folder, "--progress", "plain"]);
    expect(stderr).toMatch(/^[\d:]+Z checked 3 of 3 days\n$/);
  });

  test("refuses a folder that neither sync nor export wrote", async () => {
    expect(await runInProcess(["verify", await temporaryFolder()])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("cannot be verified: `catalog sync` did not write it, and it has no "),
    });
  });
});

describe("verify of a partitioned folder", () => {
  const PLACES = ["2026-01-01", "2026-01-02", "2026-01-03"].map((day) => `crawl_date=${day}/part-0.csv`);

  async function partitioned() {
    const rows = PLACES.flatMap((place) => products(2, { crawl_date: place.slice(11, 21) }));
    const folder = join(await temporaryFolder(), "out");
    const exportAgain = async (...flags: string[]) => {
      const args = ["export", "-o", folder, "-f", "csv", "--partition-by", "crawl_date", ...flags];
      expect((await runInProcess(args, { service: await startTestService({ rows }) })).code).toBe(EXIT.ok);
    };
    await exportAgain("--manifest");
    return { folder, exportAgain };
  }

  test("counts what is as the exports wrote it, those of other days included", async () => {
    const { folder, exportAgain } = await partitioned();
    // It keeps the manifest up to date without being asked for one.
    await exportAgain("--date", "2026-01-02");
    const sizes = await Promise.all(PLACES.map(async (place) => (await stat(join(folder, place))).size));
    const bytes = grouped(sizes.reduce((sum, size) => sum + size));
    expect(await runInProcess(["verify", folder, "--progress", "plain"])).toMatchObject({
      code: EXIT.ok,
      stdout: `${folder}: 3 files, 6 rows, ${bytes} bytes, as exported\n`,
      stderr: expect.stringMatching(/checked 3 of 3 files\n$/),
    });
  });

  test("names the files that are damaged or missing, and changes nothing", async () => {
    const { folder } = await partitioned();
    const [first = "", , last = ""] = PLACES;
    await writeFile(join(folder, first), "other");
    await rm(join(folder, last));
    const before = await readdir(folder, { recursive: true });
    const { code, stdout, stderr } = await runInProcess(["verify", folder]);
    expect({ code, stdout, stderr: stderr.replace(/\s+/g, " ") }).toEqual({
      code: EXIT.changed,
      stdout: "",
      stderr: expect.stringContaining(
        `2 files of 3 in ${folder} are damaged or missing: ${first}, ${last}; export them again`,
      ),
    });
    expect(await readdir(folder, { recursive: true })).toEqual(before);
  });

  test("warns of a file that the manifest does not have", async () => {
    const { folder } = await partitioned();
    const other = join(folder, "crawl_date=2026-01-01", "part-1.csv");
    await writeFile(other, "");
    expect(await runInProcess(["verify", folder])).toMatchObject({
      code: EXIT.ok,
      stderr: expect.stringContaining(`${other}: not checked`),
    });
  });

  test("does not miss a partition that somebody removed, once an export has found it gone", async () => {
    const { folder, exportAgain } = await partitioned();
    await rm(join(folder, "crawl_date=2026-01-01"), { recursive: true });
    await exportAgain("--date", "2026-01-03");
    expect(await runInProcess(["verify", folder])).toMatchObject({
      code: EXIT.ok,
      stdout: expect.stringContaining("2 files, 4 rows"),
    });
  });

  test("notices an altered manifest", async () => {
    const { folder } = await partitioned();
    const path = `${folder}.manifest.json`;
    await writeFile(path, (await readFile(path, "utf8")).replace('"rows": 2', '"rows": 3'));
    expect(await runInProcess(["verify", folder])).toMatchObject({
      code: EXIT.changed,
      stderr: expect.stringContaining("its own checksum is wrong"),
    });
  });
});
