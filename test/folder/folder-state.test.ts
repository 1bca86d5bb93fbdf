import { execFile } from "node:child_process";
import { mkdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { AlteredFolderError } from "../../src/contract/errors.ts";
import { withChecksum } from "../../src/files/text-checksum.ts";
import { ownFolderOf } from "../../src/folder/folder-lock.ts";
import { newState, readStateOf, statePathOf, writeState } from "../../src/folder/folder-state.ts";
import { runCatalog, temporaryFolder } from "../helpers/cli.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { servedFolder, sixteenDays } from "../helpers/synced-folder.ts";
import { failureOf } from "../helpers/test-client.ts";

const DAY = "2026-01-01";

/** A day of one row. */
const CONTENT = { rows: 1, digest: "", bytes: 900, sha256: "0".repeat(64), counts: new Map([["acme:lamps:home", 1]]) };

describe("a state with its own checksum", () => {
  const DAMAGED = "is damaged";
  const OTHER_VERSION = "was written by another version of catalog";
  const day = (members: object) => ({ days: { [DAY]: { ...CONTENT, counts: [0, 1], ...members } } });

  test.each<[title: string, members: object, reason?: string]>([
    ["of a later version", { version: 99 }, OTHER_VERSION],
    ["of an earlier version", { version: 3, ...day({ counts: { "acme:lamps:home": 1 } }) }, OTHER_VERSION],
    ["of no version", { version: undefined }, OTHER_VERSION],
    ["without days", { days: null }],
    ["without what is pending", { pending: undefined }],
    ["without combinations", { combinations: undefined }],
    ["with a combination that is none", { combinations: ["acme"] }],
    ["with a day that is none", { days: { soon: day({}).days[DAY] } }],
    ["with a pending day that is none", { pending: ["soon"] }],
    ["with a number for a pending day", { pending: [20260101] }],
    ["with a number for a slug", { filters: { retailer: 5 } }],
    ["with numbers for slugs", { filters: { retailer: [5] } }],
    ["with a text for slugs", { filters: { retailer: "acme" } }],
    ["with a number among slugs", { filters: { rcd: ["a:b:c", 5] } }],
    ["with a date that is none", { filters: { end_date: "soon" } }],
    ["with a number for a date", { filters: { end_date: 20260101 } }],
    ["with a list for a date", { filters: { end_date: [DAY] } }],
    ["with an unknown filter", { filters: { colour: ["red"] } }],
    ["with a list of filters", { filters: [] }],
    ["with a window of no day", { window: { end_date: "soon" } }],
    ["with a number in the window", { window: { end_date: 5 } }],
    ["with a number for the service", { service: 5 }],
    ["with a day that says nothing", { days: { [DAY]: null } }],
    ["with a day without counts", { days: { [DAY]: { rows: 1 } } }],
    ["with rows below zero", day({ rows: -1 })],
    ["with a part of a row", day({ rows: 1.5 })],
    ["with a file of no bytes", day({ bytes: 0 })],
    ["with a number for a checksum", day({ sha256: 5 })],
    ["with a number for a time", day({ checked: 5 })],
    ["with a place of no combination", day({ counts: [1, 1] })],
    ["with a place below zero", day({ counts: [-1, 1] })],
    ["with a count that is a text", day({ counts: [0, "1"] })],
    ["with a count of zero", day({ counts: [0, 0] })],
    ["with a count that is missing", day({ counts: [0] })],
    ["with counts by name", day({ counts: { "acme:lamps:home": 1 } })],
  ])("%s is refused with a solution", async (_, members, reason = DAMAGED) => {
    const folder = await temporaryFolder();
    await mkdir(ownFolderOf(folder));
    await writeState(folder, { ...newState({ service: "test", filters: {} }), days: { [DAY]: CONTENT } });
    const path = statePathOf(folder);
    const whole = JSON.parse(await readFile(path, "utf8"));
    const text = JSON.stringify({ ...whole, checksum: undefined, ...members });
    await writeFile(path, withChecksum(text.slice(0, -1)));
    await expect(readStateOf(folder)).rejects.toThrow(
      `${path} ${reason}; delete it and run \`catalog sync ${folder} --adopt\` with the filters of the folder to start over`,
    );
  });

  test("is read as it was written", async () => {
    const folder = await temporaryFolder();
    await mkdir(ownFolderOf(folder));
    const state = { ...newState({ service: "test", filters: {} }), days: { [DAY]: CONTENT } };
    await writeState(folder, state);
    const { days, ...read } = (await readStateOf(folder)) ?? expect.fail("there is no state");
    const { [DAY]: { counts, ...content } = expect.fail("the day is missing") } = days;
    expect({ ...read, days: { [DAY]: { ...content, counts: new Map(counts) } } }).toEqual(state);
    expect([...counts.keys()]).toEqual(["acme:lamps:home"]);
  });

  test("is refused wherever a bit of it is another one, or its end is missing", async () => {
    const { folder, alreadySynced } = await servedFolder(sixteenDays().slice(0, 3));
    await alreadySynced();
    const path = statePathOf(folder);
    const whole = await readFile(path);
    const flips = Array.from({ length: whole.length }, (_, at) => {
      const flipped = Buffer.from(whole);
      flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
      return flipped;
    });
    const cuts = [whole.length - 1, whole.length >> 1, 15, 0].map((length) => whole.subarray(0, length));
    for (const damaged of [...flips, ...cuts]) {
      await writeFile(path, damaged);
      expect(await failureOf(readStateOf(folder))).toBeInstanceOf(AlteredFolderError);
    }
    expect(flips.length).toBeGreaterThan(400);
    await writeFile(path, whole);
    expect(Object.keys((await readStateOf(folder))?.days ?? {})).toHaveLength(1);
  });

  test("ends what reads the folder with exit code 6 and a solution", async () => {
    const { folder, alreadySynced } = await servedFolder(sixteenDays());
    await alreadySynced();
    const path = statePathOf(folder);
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace("acme:lamps:home", "acme:lamps:hame"));
    const refusal = {
      code: 6,
      stdout: "",
      stderr: `error: ${path} was altered: its own checksum is wrong; delete it and run \`catalog sync ${folder} --adopt\` with the filters of the folder to start over\n`,
    };
    const env = { CATALOG_BASE_URL: "http://127.0.0.1:1", CATALOG_API_KEY: "k" };
    for (const args of [
      ["coverage", "--from", folder],
      ["history", "s0", folder],
      ["sync", folder],
    ]) {
      expect(await runInProcess(args, { env })).toMatchObject(refusal);
    }
  });
});

describe("what is no regular file in a synced folder is refused, and is not waited for:", () => {
  test.each([
    ["a named pipe", (path: string) => promisify(execFile)("mkfifo", [path]), runCatalog],
    ["a symbolic link", (path: string) => symlink("/dev/zero", path), runInProcess],
    ["a folder", (path: string) => mkdir(path), runInProcess],
  ])("%s", async (kind, make, run) => {
    const { folder, alreadySynced, file } = await servedFolder(sixteenDays());
    await alreadySynced();
    for (const [path, args] of [
      [file(DAY), ["history", "s0", folder]],
      [statePathOf(folder), ["coverage", "--from", folder]],
    ] as const) {
      await rm(path);
      await make(path);
      const { code, stderr } = await run(args, { env: {} });
      expect({ code, stderr: stderr.replace(/\s+/g, " ") }).toEqual({
        code: 1,
        stderr: expect.stringContaining(`${path} is ${kind}, but catalog needs a file of its own there`),
      });
      await rm(path, { recursive: true });
    }
  });

  test("a state that is too long is not read", async () => {
    const { folder, alreadySynced } = await servedFolder(sixteenDays());
    await alreadySynced();
    await truncate(statePathOf(folder), 3 * 1024 ** 3);
    await expect(readStateOf(folder)).rejects.toThrow(/has 3221225472 bytes; at most 268435456 are read/);
  });
});
