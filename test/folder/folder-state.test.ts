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

/** The same day as version 3 stored it. */
const STORED = { ...CONTENT, counts: { "acme:lamps:home": 1 } };

describe("a state of an earlier version that cannot be read is refused with a solution:", () => {
  const days = (held: object) => (text: string) => changed(text, { days: { [DAY]: { ...STORED, ...held } } });

  test.each([
    ["cut short", (text: string) => text.slice(0, 40), "is damaged"],
    ["empty", () => "", "is damaged"],
    ["null", () => "null", "is damaged"],
    ["without days", (text: string) => changed(text, { days: null }), "is damaged"],
    ["without what is pending", (text: string) => changed(text, { pending: undefined }), "is damaged"],
    ["with a day that is none", (text: string) => changed(text, { pending: ["soon"] }), "is damaged"],
    ["with a day that says nothing", (text: string) => changed(text, { days: { [DAY]: null } }), "is damaged"],
    ["with a day without counts", (text: string) => changed(text, { days: { [DAY]: { rows: 1 } } }), "is damaged"],
    ["with a number for a slug", (text: string) => changed(text, { filters: { retailer: 5 } }), "is damaged"],
    ["with numbers for slugs", (text: string) => changed(text, { filters: { retailer: [5] } }), "is damaged"],
    ["with a date that is none", (text: string) => changed(text, { filters: { end_date: "soon" } }), "is damaged"],
    ["with a number for a date", (text: string) => changed(text, { filters: { end_date: 20260101 } }), "is damaged"],
    ["with a list for a date", (text: string) => changed(text, { filters: { end_date: [DAY] } }), "is damaged"],
    ["with a text for slugs", (text: string) => changed(text, { filters: { retailer: "acme" } }), "is damaged"],
    ["with a number among slugs", (text: string) => changed(text, { filters: { rcd: ["a:b:c", 5] } }), "is damaged"],
    ["with a number for a pending day", (text: string) => changed(text, { pending: [20260101] }), "is damaged"],
    ["with a window of no day", (text: string) => changed(text, { window: { end_date: "soon" } }), "is damaged"],
    ["with a number in the window", (text: string) => changed(text, { window: { end_date: 5 } }), "is damaged"],
    ["with an unknown filter", (text: string) => changed(text, { filters: { colour: ["red"] } }), "is damaged"],
    ["with a list of filters", (text: string) => changed(text, { filters: [] }), "is damaged"],
    ["with a number for the service", (text: string) => changed(text, { service: 5 }), "is damaged"],
    ["with rows below zero", days({ rows: -1 }), "is damaged"],
    ["with a file of no bytes", days({ bytes: 0 }), "is damaged"],
    ["with a part of a row", days({ rows: 1.5 }), "is damaged"],
    ["with a number for a checksum", days({ sha256: 5 }), "is damaged"],
    ["with a number for a time", days({ checked: 5 }), "is damaged"],
    ["with a count that is a text", days({ counts: { "acme:lamps:home": "1" } }), "is damaged"],
    ["with a count of no combination", days({ counts: { acme: 1 } }), "is damaged"],
    [
      "of a later version",
      (text: string) => changed(text, { version: 99 }),
      "was written by another version of catalog",
    ],
  ])("%s", async (_, damage, reason) => {
    const folder = await temporaryFolder();
    await mkdir(ownFolderOf(folder));
    await writeState(folder, { ...newState({ service: "test", filters: {} }), days: { [DAY]: CONTENT } });
    const path = statePathOf(folder);
    const text = changed(await readFile(path, "utf8"), {
      ...{ version: 2, checksum: undefined, combinations: undefined },
      days: { [DAY]: STORED },
    });
    await writeFile(path, text);
    expect((await readStateOf(folder))?.days).toEqual({ [DAY]: CONTENT });
    await writeFile(path, damage(text));
    await expect(readStateOf(folder)).rejects.toThrow(
      `${path} ${reason}; delete it and run \`catalog sync ${folder} --adopt\` with the filters of the folder to start over`,
    );
  });
});

function changed(state: string, members: object): string {
  return JSON.stringify({ ...JSON.parse(state), ...members });
}

describe("a state with its own checksum", () => {
  const stored = { counts: [0, 1] };
  test.each([
    ["without combinations", { combinations: undefined }, {}],
    ["with a combination that is none", { combinations: ["acme"] }, stored],
    ["with a place of no combination", {}, { counts: [1, 1] }],
    ["with a count that is a text", {}, { counts: [0, "1"] }],
    ["with a count of zero", {}, { counts: [0, 0] }],
    ["with a count that is missing", {}, { counts: [0] }],
    ["with counts of version 3", {}, { counts: STORED.counts }],
    ["with a day that says nothing", {}, null],
  ])("%s is damaged", async (_, members, day) => {
    const folder = await temporaryFolder();
    await mkdir(ownFolderOf(folder));
    await writeState(folder, { ...newState({ service: "test", filters: {} }), days: { [DAY]: CONTENT } });
    const path = statePathOf(folder);
    const whole = JSON.parse(await readFile(path, "utf8"));
    expect((await readStateOf(folder))?.days).toEqual({ [DAY]: CONTENT });
    const days = { [DAY]: day && { ...whole.days[DAY], ...day } };
    const text = JSON.stringify({ ...whole, checksum: undefined, days, ...members });
    await writeFile(path, withChecksum(text.slice(0, -1)));
    await expect(readStateOf(folder)).rejects.toThrow(`${path} is damaged`);
  });

  test("of version 3 is read, and says the same", async () => {
    const folder = await temporaryFolder();
    await mkdir(ownFolderOf(folder));
    const state = newState({ service: "test", filters: {} });
    const stored = JSON.stringify({ ...state, version: 3, days: { [DAY]: STORED } });
    await writeFile(statePathOf(folder), withChecksum(stored.slice(0, -1)));
    expect(await readStateOf(folder)).toEqual({ ...state, days: { [DAY]: CONTENT } });
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
    const cuts = [whole.length - 1, whole.length >> 1, 15].map((length) => whole.subarray(0, length));
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
      expect([code, stderr.replace(/\s+/g, " ")]).toEqual([
        1,
        expect.stringContaining(`${path} is ${kind}, but catalog needs a file of its own there`),
      ]);
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
