import { execFile } from "node:child_process";
import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { profileToWrite, writeProfile } from "../../src/config/profile-writer.ts";
import { FileError, LockedError, UsageError } from "../../src/contract/errors.ts";
import { lock } from "../../src/files/lock.ts";
import { replacePrivateFile } from "../../src/files/replace-file.ts";
import { temporaryFolder } from "../helpers/cli.ts";

const STORED = `# mine
[profiles.work]
base_url = "https://work.example"
`;

/** A configuration file, with `text` where that is given; `slept` has the waits, each of them a second of the clock. */
async function setUp(text?: string, mode = 0o600) {
  const folder = await temporaryFolder();
  const path = join(folder, "catalog", "config.toml");
  if (text !== undefined) {
    await mkdir(join(folder, "catalog"));
    await writeFile(path, text);
    await chmod(path, mode);
  }
  const slept: number[] = [];
  const context = {
    env: { CATALOG_CONFIG: path },
    folders: { config: folder, data: folder, cache: folder },
    pid: process.pid,
    platform: process.platform,
    elapsed: () => 1_000 * slept.length,
    sleep: async (milliseconds: number) => void slept.push(milliseconds),
  };
  return { path, slept, context, read: () => readFile(path, "utf8") };
}

describe("writing a profile", () => {
  test("leaves a malformed file as it is, and the lock to the next", async () => {
    const { context, path, read } = await setUp("[");
    await expect(writeProfile(context, "work", () => ({}))).rejects.toBeInstanceOf(UsageError);
    expect(await read()).toBe("[");
    const held = await lock(path, `${path}.lock`, process.pid);
    await held.release();
  });

  test("names the file that cannot be written", async () => {
    const { context, path } = await setUp("");
    const below = join(path, "config.toml");
    const refusal = writeProfile({ ...context, env: { CATALOG_CONFIG: below } }, "work", () => ({}));
    await expect(refusal).rejects.toThrow(`the configuration file ${below} cannot be written: `);
    await expect(refusal).rejects.toBeInstanceOf(FileError);
  });

  test("waits for ten seconds while another process writes", async () => {
    const { context, path, slept, read } = await setUp(STORED);
    const held = await lock(path, `${path}.lock`, process.pid);
    await expect(writeProfile(context, "work", () => ({}))).rejects.toBeInstanceOf(LockedError);
    expect({ slept, read: await read() }).toEqual({ slept: Array(11).fill(20), read: STORED });
    slept.length = 0;
    const sleep = async (milliseconds: number) => {
      slept.push(milliseconds);
      await held.release();
    };
    await writeProfile({ ...context, sleep }, "work", () => ({ api_key: "k" }));
    expect({ slept, read: await read() }).toEqual({ slept: [20], read: `# mine\n[profiles.work]\napi_key = "k"\n` });
  });
});

test("what is no regular file stays, as /dev/null must if root stores a key there", async () => {
  const pipe = join(await temporaryFolder(), "pipe");
  await promisify(execFile)("mkfifo", [pipe]);
  await expect(replacePrivateFile(pipe, "text", process.pid)).rejects.toThrow(`${pipe} is not a regular file`);
  expect((await stat(pipe)).isFIFO()).toBe(true);
});

describe("the profile to write", () => {
  test.each([
    ["that is asked for", "b", "a", { CATALOG_PROFILE: "c" }, "b"],
    ["of the environment", undefined, "a", { CATALOG_PROFILE: "c" }, "c"],
    ["that is configured", undefined, "a", {}, "a"],
    ["named default", undefined, undefined, {}, "default"],
  ])("is the one %s", async (_, flag, configured, env, name) => {
    const { context } = await setUp(`${configured ? `default_profile = "${configured}"` : ""}\n${STORED}`);
    const found = await profileToWrite(flag, { ...context, env: { ...context.env, ...env } });
    expect(found).toEqual({ name, values: {} });
  });

  test('is none if the flag is empty, as --profile "$UNSET" is', async () => {
    const { context } = await setUp(STORED);
    await expect(profileToWrite("", context)).rejects.toThrow("--profile is empty");
  });

  test("has its values, and none where there is no file", async () => {
    const { context } = await setUp(STORED);
    expect(await profileToWrite("work", context)).toEqual({
      name: "work",
      values: { base_url: "https://work.example" },
    });
    expect(await profileToWrite("work", (await setUp()).context)).toEqual({ name: "work", values: {} });
  });
});
