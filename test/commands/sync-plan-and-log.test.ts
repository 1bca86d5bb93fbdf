import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { recordsOf, runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { FIRST_DAY, LAST_DAY, servedFolder, sixteenDays } from "../helpers/synced-folder.ts";

/** A folder of a service, and a way to run `catalog sync` on it that returns the JSON. */
async function served() {
  const rows = await servedFolder(sixteenDays());
  const sync = async (...flags: string[]) => {
    const args = ["sync", rows.folder, "-f", "json", ...flags];
    const { code, stdout } = await runInProcess(args, { env: rows.env });
    expect(code).toBe(EXIT.ok);
    return JSON.parse(stdout);
  };
  return { rows, sync };
}

test("--dry-run tells the requests and rows of the next sync, and changes nothing", async () => {
  const { rows, sync } = await served();
  const first = await sync("--dry-run");
  expect(existsSync(rows.folder)).toBe(false);
  expect({ days: first.days, rows: first.rows, requests: (await sync()).requests }).toEqual({
    days: 16,
    rows: 48,
    requests: first.requests,
  });

  const [, , ...others] = rows.all();
  await rows.replace([...others, product({ crawl_date: "2026-01-20" })]);
  const copied = await rows.copy();
  const expected = await sync("--dry-run");
  expect(await rows.copy()).toEqual(copied);
  expect({ requests: (await sync()).requests, hasRows: expected.rows > 0 }).toEqual({
    requests: expected.requests,
    hasRows: true,
  });
});

test("--dry-run refuses what the sync would refuse", async () => {
  const { rows } = await served();
  await rows.alreadySynced();
  await rows.replace([product({ crawl_date: FIRST_DAY })]);
  expect(await runInProcess(["sync", rows.folder, "--dry-run"], { env: rows.env })).toMatchObject({
    code: EXIT.changed,
    stderr: expect.stringContaining("--allow-shrink"),
  });
});

test("--dry-run --prune refuses to remove all days, as the sync would, which says that it did so if it may", async () => {
  const rows = await servedFolder(sixteenDays());
  const sync = (day: number, ...flags: string[]) =>
    runInProcess(["sync", rows.folder, "--start-date", "15d", ...flags], {
      env: rows.env,
      now: () => Date.parse(addDays(LAST_DAY, day)),
    });
  await sync(0);
  expect(await sync(60, "--dry-run", "--prune")).toMatchObject({
    code: EXIT.changed,
    stderr: expect.stringContaining("--prune would remove all of them"),
  });
  expect((await sync(60, "--prune", "--allow-shrink")).stdout).toBe(
    "No rows since 2026-03-02; the newest day is 2026-01-16; 16 days left the window\n",
  );
});

test("sync log measures a run by a clock that nobody sets", async () => {
  const { rows } = await served();
  let time = Date.parse(LAST_DAY);
  const now = () => {
    time -= 3_600_000;
    return time;
  };
  let elapsed = 0;
  await runInProcess(["sync", rows.folder], { env: rows.env, now, elapsed: () => (elapsed += 100) });
  const { stdout } = await runInProcess(["sync", "log", rows.folder]);
  expect(JSON.parse(stdout).seconds).toBeGreaterThan(0);
});

test("sync log lists the runs of a folder: when, what they changed, their requests and how they ended", async () => {
  const { rows, sync } = await served();
  const { requests } = await sync();
  await runInProcess(["sync", rows.folder, "--retailer", "bolt"], { env: rows.env });
  const { code, stdout } = await runInProcess(["sync", "log", rows.folder]);
  const time = { started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/), seconds: expect.any(Number) };
  const none = { rows_added: null, rows_replaced: null, rows_removed: null, days_changed: null };
  expect({ code, records: recordsOf(stdout) }).toEqual({
    code: EXIT.ok,
    records: [
      { ...time, rows_added: 48, rows_replaced: 0, rows_removed: 0, days_changed: 16, requests, outcome: "done" },
      { ...time, ...none, requests: 0, outcome: "usage" },
    ],
  });
});

test("a sync whose log cannot be written tells what it did, and warns", async () => {
  const { rows } = await served();
  await rows.alreadySynced();
  await mkdir(join(rows.folder, ".catalog/log.ndjson"));
  const { code, stdout, stderr } = await runInProcess(["sync", rows.folder], { env: rows.env });
  expect({ code, stdout }).toEqual({ code: EXIT.ok, stdout: expect.stringContaining("Up to date") });
  expect(stderr).toContain("this run is missing from the log: ");
});

test("sync log leaves out a line that was cut or is of no run but not the next run, and refuses a folder that no sync wrote", async () => {
  const { rows, sync } = await served();
  await sync();
  await writeFile(join(rows.folder, ".catalog/log.ndjson"), '{"a":1}\n{"started_at":"2026', { flag: "a" });
  expect((await runInProcess(["sync", "log", rows.folder])).stdout.split("\n")).toHaveLength(2);
  await sync();
  expect((await runInProcess(["sync", "log", rows.folder])).stdout.split("\n")).toHaveLength(3);
  expect(await runInProcess(["sync", "log", await temporaryFolder()])).toMatchObject({
    code: EXIT.failure,
    stderr: expect.stringContaining("was not written by `catalog sync`"),
  });
});
