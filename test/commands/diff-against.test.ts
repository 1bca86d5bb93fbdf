import { createHash } from "node:crypto";
import { appendFile, mkdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Product } from "../../src/contract/product.ts";
import type { DayState } from "../../src/folder/day-state.ts";
import { readSyncedFolder, type SyncState, writeState } from "../../src/folder/folder-state.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { sharedService, startTestService } from "../helpers/service.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";

const MONDAY = "2026-01-12";
const TUESDAY = "2026-01-13";
const FRIDAY = "2026-01-16";

const WEEK = [
  product({ sku: "dearer", crawl_date: MONDAY, selling_price: 19.9, title: '\ufeffLamp, 12" =1+1\u202e\n' }),
  product({ sku: "dearer", crawl_date: TUESDAY, selling_price: 21.5, title: '\ufeffLamp, 12" =1+1\u202e\n' }),
  product({ sku: "same", crawl_date: MONDAY }),
  product({ sku: "same", crawl_date: TUESDAY, title: "Reworded" }),
  product({ sku: "gone", crawl_date: MONDAY, retailer: "bolt", category: "sofas", department: "living" }),
  product({ sku: "stays", crawl_date: TUESDAY, retailer: "bolt", category: "sofas", department: "living" }),
  product({ sku: "stays", crawl_date: FRIDAY, retailer: "bolt", category: "chairs", department: "living" }),
];

/** A service with the same rows. */
const service = sharedService({ rows: WEEK });

/** A folder `copy` that the command has synced with these rows. */
async function syncedBy({ rows = WEEK, flags = [] }: { rows?: readonly (Product | string)[]; flags?: string[] }) {
  const folder = join(await temporaryFolder(), "copy");
  const args = ["sync", folder, ...flags];
  expect(await runInProcess(args, { service: await startTestService({ rows }) })).toMatchObject({
    code: 0,
    stderr: "",
  });
  return folder;
}

/** A folder `copy` of `WEEK` with its index, or as `syncedBy`. */
async function synced(options?: Parameters<typeof syncedBy>[0]) {
  const folder = options === undefined ? await syncedFolder(WEEK) : await syncedBy(options);
  const cwd = dirname(folder);
  return {
    cwd,
    file: (day: string) => join(folder, `crawl_date=${day}`, "part-0.parquet"),
    state: join(folder, ".catalog/state.json"),
    fromService: async (...args: string[]) => runInProcess(["diff", ...args], { service: await service() }),
    /** Without key and address; the folder is told as `copy`. */
    fromFolder: async (...args: string[]) => {
      const { code, stdout, stderr } = await runInProcess(["diff", "--against", folder, ...args]);
      return { code, stdout, stderr: stderr.replaceAll(`${cwd}/`, "") };
    },
  };
}

async function changeState(path: string, change: (state: SyncState) => void): Promise<void> {
  const folder = dirname(dirname(path));
  const state = await readSyncedFolder(folder);
  change(state);
  await writeState(folder, state);
}

describe("the diff of a folder is byte for byte that of the service", () => {
  test("of whole days", async () => {
    const { fromFolder, fromService } = await synced();
    const args = ["--from", MONDAY, "--to", TUESDAY, "--only", "changed,appeared,vanished"];
    const folder = await fromFolder("--strict-days", ...args);
    expect(folder).toEqual(await fromService(...args));
    expect(folder).toMatchObject({ code: 0, stdout: expect.stringContaining("gone") });
  });

  test("of combinations, of which one has no row on a day", async () => {
    const { fromFolder, fromService } = await synced();
    const args = ["--from", MONDAY, "--to", "2026-01-14", "--rcd", "acme:lamps:home,bolt:chairs:living"];
    const folder = await fromFolder("--no-as-of", ...args);
    expect(folder).toEqual({
      code: 0,
      stdout: (await fromService(...args)).stdout,
      stderr: "warning: no rows match on 2026-01-14 (nearest days with rows: 2026-01-13, 2026-01-16)\n",
    });
  });

  test.each([
    [
      ["--retailer", "bolt"],
      ["gone", "stays"],
    ],
    [["--retailer", "acme", "--category", "lamps"], ["dearer"]],
    [["--category", "lamps", "--department", "living"], []],
  ])("filtered by %j", async (filters, skus) => {
    const { fromFolder } = await synced();
    const { code, stdout } = await fromFolder("--no-as-of", "--from", MONDAY, "--to", TUESDAY, ...filters);
    expect({ code, matches: stdout.match(/(?<="sku":")[^"]+/g) ?? [] }).toEqual({ code: 0, matches: skus });
  });

  test("except for the notation of numbers", async () => {
    const price = (day: string, text: string) =>
      JSON.stringify(product({ sku: "a", crawl_date: day, selling_price: 0.5 })).replace("0.5", text);
    const { fromFolder } = await synced({
      rows: [price(MONDAY, "19.90"), price(TUESDAY, "2e1"), price(FRIDAY, "20.0")],
    });
    const { stdout } = await fromFolder("--from", MONDAY, "--to", TUESDAY);
    expect(stdout).toContain('"from_selling_price":19.9,"to_selling_price":20,');
    expect((await fromFolder("--from", TUESDAY, "--to", FRIDAY)).stdout).toBe("");
  });
});

describe("a day", () => {
  test("without rows at the time of the sync is compared by last known prices", async () => {
    const { fromFolder } = await synced();
    const { code, stdout, stderr } = await fromFolder("--from", TUESDAY, "--to", "2026-01-14", "-f", "table");
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: expect.stringContaining("2026-01-13 to 2026-01-14, by last known prices\n0 changed, 0 appeared"),
      stderr: "",
    });
  });

  test("without rows is an error with --fail-on-empty, and leaves no file", async () => {
    const { cwd, fromFolder } = await synced();
    const { code, stderr } = await fromFolder(
      "--from",
      "2026-01-01",
      "--to",
      MONDAY,
      "--fail-on-empty",
      "-o",
      join(cwd, "a.csv"),
    );
    expect({ code, stderr }).toEqual({ code: 7, stderr: expect.stringContaining("no rows match up to 2026-01-01") });
    await expect(readFile(join(cwd, "a.csv"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("later than the newest is refused, and the nearest day of the folder is suggested", async () => {
    const { fromFolder } = await synced();
    expect(await fromFolder("--from", MONDAY, "--to", "2026-02-01")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: [
        "error: --to 2026-02-01: copy has no such day yet: its newest is 2026-01-16; `catalog sync copy` brings it up to date, --to latest takes the newest.",
        "Did you mean 2026-01-16?",
        "  catalog diff --against copy --from 2026-01-12 --to 2026-01-16",
        "",
      ].join("\n"),
    });
  });

  test("outside the dates that the folder was synced with is refused", async () => {
    const { fromFolder } = await synced({ flags: ["--start-date", TUESDAY, "--retailer", "bolt"] });
    expect(await fromFolder("--from", MONDAY, "--to", FRIDAY)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        "because it was synced with --retailer bolt --start-date 2026-01-13.\nDid you mean 2026-01-13?",
      ),
    });
  });

  test("of an empty folder is refused", async () => {
    const { state, fromFolder } = await synced();
    await changeState(state, (old) => {
      old.days = {};
    });
    expect(await fromFolder("--from", MONDAY, "--to", TUESDAY)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("copy has no days; `catalog sync copy` fills it"),
    });
  });
});

describe("a filter value that is not in the folder is refused:", () => {
  test.each([
    [["--retailer", "blt"], 'There is no retailer "blt" in copy.\nDid you mean bolt?'],
    [["--retailer", "acme", "--category", "sofas"], 'There is no category "sofas" at the retailer "acme" in copy.'],
    [["--department", "livin"], 'There is no department "livin" in copy.\nDid you mean living?'],
    [["--rcd", "acme:lamps:home,bolt:sofa:living"], "Did you mean bolt:sofas:living"],
  ])("%j", async (filters, message) => {
    const { fromFolder } = await synced();
    expect(await fromFolder("--from", MONDAY, "--to", TUESDAY, ...filters)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining(message),
    });
  });

  test("a value outside the filters of the sync", async () => {
    const { fromFolder } = await synced({ flags: ["--retailer", "bolt"] });
    expect(await fromFolder("--from", MONDAY, "--to", TUESDAY, "--retailer", "acme")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no retailer "acme" in copy, which was synced with --retailer bolt.'),
    });
  });

  test("except a value that exists on other days", async () => {
    const { fromFolder } = await synced();
    expect(await fromFolder("--from", MONDAY, "--to", TUESDAY, "--category", "chairs")).toMatchObject({
      code: 0,
      stderr: "warning: no rows match up to 2026-01-12 and 2026-01-13 (nearest days with rows: 2026-01-16)\n",
    });
  });
});

describe("an unreliable folder is refused:", () => {
  const DAYS = ["--from", MONDAY, "--to", TUESDAY];

  /** The index has what the files had before. */
  async function withoutIndex() {
    const made = await synced();
    await rm(join(made.cwd, "copy/.catalog/prices.duckdb"));
    return made;
  }

  test("a folder that was not synced", async () => {
    const { cwd, fromFolder } = await synced();
    await rm(join(cwd, "copy/.catalog"), { recursive: true });
    expect(await fromFolder(...DAYS)).toMatchObject({
      code: 1,
      stderr: "error: copy was not written by `catalog sync`: there is no copy/.catalog/state.json\n",
    });
  });

  test("a file in place of a folder", async () => {
    const { cwd } = await synced();
    await writeFile(join(cwd, "rows"), "");
    expect(await runInProcess(["diff", "--against", join(cwd, "rows"), ...DAYS])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("rows was not written by `catalog sync`"),
    });
  });

  test.each([
    ["missing", (file: string) => rm(file), "is missing"],
    ["cut", (file: string) => truncate(file, 1000), "was changed or damaged since the last sync"],
    ["longer", (file: string) => appendFile(file, "x"), "was changed or damaged since the last sync"],
    [
      "another of its size",
      async (file: string) => writeFile(file, Buffer.alloc((await readFile(file)).length)),
      "was changed or damaged since the last sync",
    ],
  ])("a day's file that is %s", async (_, damage, message) => {
    const { file, fromFolder } = await withoutIndex();
    await damage(file(TUESDAY));
    const { code, stdout, stderr } = await fromFolder(...DAYS);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining(message) });
    expect(stderr).toContain("copy/crawl_date=2026-01-13/part-0.parquet");
  });

  test("a file that matches the state but is not Parquet", async () => {
    const { file, state, fromFolder } = await withoutIndex();
    await writeFile(file(MONDAY), "no rows");
    await changeState(state, ({ days }) => {
      const sha256 = createHash("sha256").update("no rows").digest("hex");
      days[MONDAY] = { ...(days[MONDAY] as DayState), bytes: 7, sha256 };
    });
    expect(await fromFolder(...DAYS)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/cannot be read as Parquet: .*part-0\.parquet/),
    });
  });

  test("a day that a sync was replacing when it was interrupted", async () => {
    const { file, state, fromFolder } = await withoutIndex();
    await truncate(file(TUESDAY), 1000);
    await changeState(state, (old) => {
      old.pending = [TUESDAY];
    });
    expect(await fromFolder(...DAYS)).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("a sync of copy is replacing 2026-01-13"),
    });
  });

  test("except a day that was not changed yet", async () => {
    const { state, fromFolder } = await synced();
    await changeState(state, (old) => {
      old.pending = [TUESDAY];
    });
    expect(await fromFolder(...DAYS)).toMatchObject({ code: 0, stderr: "" });
  });

  test("except a file that the state does not know", async () => {
    const { cwd, fromFolder } = await synced();
    await mkdir(join(cwd, "copy/crawl_date=2026-01-14"));
    await writeFile(join(cwd, "copy/crawl_date=2026-01-14/part-0.parquet"), "a stranger");
    expect(await fromFolder("--strict-days", "--from", MONDAY, "--to", "2026-01-14")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("no rows match on 2026-01-14"),
    });
  });
});

test.each([
  ["--demo"],
  ["--base-url", "http://127.0.0.1:1"],
  ["--profile", "p"],
  ["--max-rate", "5"],
  ["--concurrency", "2"],
])("%s is refused, because no request is sent", async (...flags) => {
  expect(await runInProcess(["diff", "--against", "copy", "--from", "7d", ...flags])).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining(`${flags[0]} cannot be combined with --against`),
  });
});

test("a folder alone is compared over its last week", async () => {
  const rows = ["2026-01-01", "2026-01-03", "2026-01-10"].map((crawl_date, index) =>
    product({ crawl_date, sku: "A1", selling_price: 10 + index }),
  );
  const folder = await syncedFolder(rows);
  const { code, stdout } = await runInProcess(["diff", folder]);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { sku: "A1", from_date: "2026-01-03", to_date: "2026-01-10" }]);
});
