import { execFileSync } from "node:child_process";
import { constants } from "node:fs";
import files, {
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { ClosedPipeError, FileError, LockedError } from "../../../src/contract/errors.ts";
import type { Destination } from "../../../src/export/destination/destination.ts";
import { type FileOptions, openFile } from "../../../src/export/destination/partial-file.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { followSyncs, openPaths } from "../../helpers/durability.ts";
import { rejectionOf } from "../faults.ts";

const RUN = { pid: process.pid };

/** An output that is disposed of at the latest when the test ends. */
async function opened(path: string, options: Partial<FileOptions> = {}): Promise<Destination> {
  const destination = await openFile(path, { ...RUN, ...options });
  onTestFinished(() => destination[Symbol.asyncDispose]());
  return destination;
}

let folder: string;
let target: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  target = join(folder, "rows.csv");
});

/** The files of the folder without locks. */
async function listed(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => !name.endsWith(".lock"));
}

function namedPipe(): string {
  const pipe = join(folder, "pipe");
  execFileSync("sh", ["-c", 'mkfifo "$0"', pipe]);
  return pipe;
}

test("the target appears only when the output is finished", async () => {
  const destination = await opened(target);
  await destination.write("a,b\r\n");
  await destination.write(Buffer.from("1,é\r\n"));
  expect(await listed()).toEqual(["rows.csv.partial"]);
  await destination.finish();
  expect(await listed()).toEqual(["rows.csv"]);
  expect(await readFile(target, "utf8")).toBe("a,b\r\n1,é\r\n");
});

test("an existing file stays whole until it is replaced, and its permissions are kept", async () => {
  await writeFile(target, "old");
  await chmod(target, 0o640);
  const destination = await opened(target);
  await destination.write("new");
  expect(await readFile(target, "utf8")).toBe("old");
  await destination.finish();
  expect(await readFile(target, "utf8")).toBe("new");
  expect((await stat(target)).mode & 0o777).toBe(0o640);
});

test("nothing is left of an output whose permissions cannot be set", async () => {
  await writeFile(target, "old");
  await chmod(target, 0o640);
  const probe = await open(target);
  const refused = Object.assign(new Error("no"), { code: "EPERM" });
  const spy = vi.spyOn(Object.getPrototypeOf(probe), "chmod").mockRejectedValue(refused);
  onTestFinished(() => spy.mockRestore());
  await probe.close();
  expect(await rejectionOf(opened(target))).toMatchObject({ message: expect.stringContaining("not permitted") });
  expect({ listed: await listed(), paths: openPaths(folder) }).toEqual({ listed: ["rows.csv"], paths: [] });
});

test("what is open already by a name like /dev/fd/3 is appended to, and not replaced", async () => {
  await writeFile(target, "before\n");
  const file = await open(target, "a");
  const destination = await openFile(`/dev/fd/${file.fd}`, RUN);
  await destination.write("after\n");
  await destination.finish();
  await destination[Symbol.asyncDispose]();
  await file.close();
  expect({ file: destination.file, content: await readFile(target, "utf8"), listed: await listed() }).toEqual({
    file: undefined,
    content: "before\nafter\n",
    listed: ["rows.csv"],
  });
});

test("a file is on disk before it gets its name, and so is its folder after that", async () => {
  const destination = await opened(target);
  await destination.write("new");
  const syncs = await followSyncs(folder);
  await destination.finish();
  expect(syncs).toEqual([
    { kind: "file", names: ["rows.csv.partial", "rows.csv.partial.lock"] },
    { kind: "folder", names: ["rows.csv", "rows.csv.partial.lock"] },
  ]);
  await destination[Symbol.asyncDispose]();
  expect(openPaths(folder)).toEqual([]);
});

test("an abandoned output leaves the folder unchanged, and abandoning it again does not affect the next one", async () => {
  await writeFile(target, "old");
  const abandoned = await opened(target);
  await abandoned.write("new");
  await abandoned[Symbol.asyncDispose]();
  expect({ listed: await listed(), content: await readFile(target, "utf8") }).toEqual({
    listed: ["rows.csv"],
    content: "old",
  });
  const next = await opened(target);
  await abandoned[Symbol.asyncDispose]();
  expect(await listed()).toEqual(["rows.csv", "rows.csv.partial"]);
  await next.finish();
});

test("an output whose partial file somebody removed can be abandoned, and cannot get its name", async () => {
  const abandoned = await opened(target);
  await rm(`${target}.partial`);
  await abandoned[Symbol.asyncDispose]();
  const finished = await opened(target);
  await rm(`${target}.partial`);
  expect(await rejectionOf(finished.finish())).toMatchObject({
    constructor: FileError,
    message: `${target}: no such file or folder`,
  });
  await finished[Symbol.asyncDispose]();
  expect(openPaths(folder)).toEqual([]);
});

test("a complete output is kept if a folder has its name meanwhile", async () => {
  const destination = await opened(target);
  await destination.write("mine");
  await mkdir(target);
  expect(await rejectionOf(destination.finish())).toMatchObject({
    constructor: FileError,
    message: `${target}: it is a folder, not a file; the complete output is in ${target}.partial`,
  });
  expect(await readFile(`${target}.partial`, "utf8")).toBe("mine");
});

test("a second output to the same target is refused while the first is being written", async () => {
  const first = await opened(target);
  expect(await rejectionOf(openFile(target, RUN))).toBeInstanceOf(LockedError);
  await first.finish();
  await first[Symbol.asyncDispose]();
  expect(await readdir(folder)).toEqual(["rows.csv"]);
});

test("what a killed run left beside an output is replaced", async () => {
  for (const ending of [".partial", ".partial.rows", ".partial.copy"]) {
    await writeFile(target + ending, "half");
  }
  const destination = await opened(target);
  await destination.write("whole");
  await destination.finish();
  await destination[Symbol.asyncDispose]();
  expect({ listed: await listed(), content: await readFile(target, "utf8") }).toEqual({
    listed: ["rows.csv"],
    content: "whole",
  });
});

test("an output is not placed by a run that has lost its lock", async () => {
  const destination = await opened(target);
  await destination.write("mine");
  // Another process takes the lock, as after a minute in which this one was stopped.
  await writeFile(join(folder, "other"), "{}");
  await rename(join(folder, "other"), `${target}.partial.lock`);
  expect(await rejectionOf(destination.finish())).toBeInstanceOf(LockedError);
  await destination[Symbol.asyncDispose]();
  expect(await listed()).toEqual(["rows.csv.partial"]);
});

test("the wait for the reader of a named pipe ends with its signal", async () => {
  const ending = new AbortController();
  const opening = openFile(namedPipe(), { ...RUN, signal: ending.signal });
  ending.abort(new Error("interrupted"));
  await expect(opening).rejects.toThrow("interrupted");
});

test("a named pipe without a reader yet is written when there is one, and stays a pipe", async () => {
  const pipe = namedPipe();
  const opening = opened(pipe);
  const reader = open(pipe, constants.O_RDONLY);
  const destination = await opening;
  await destination.write("row\n");
  await destination.finish();
  expect(await (await reader).readFile("utf8")).toBe("row\n");
  expect({ listed: await listed(), isFIFO: (await stat(pipe)).isFIFO() }).toEqual({ listed: ["pipe"], isFIFO: true });
  await (await reader).close();
  expect(openPaths(folder)).toEqual([]);
});

test("--no-clobber refuses an existing file before anything is written", async () => {
  await writeFile(target, "old");
  expect(await rejectionOf(openFile(target, { ...RUN, noClobber: true }))).toMatchObject({
    constructor: FileError,
    message: `${target} already exists, and --no-clobber keeps it`,
  });
  expect(await listed()).toEqual(["rows.csv"]);
});

/** Lets no file have two names, as file systems without hard links do; only root could mount one. */
function refuseLinks(code?: string): void {
  const spy = vi.spyOn(files, "link").mockRejectedValue(Object.assign(new Error("link failed"), { code }));
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

test.each([undefined, "EPERM"])(
  "--no-clobber keeps a file that appeared meanwhile, and also the finished rows, with links or without (%s)",
  async (code) => {
    const destination = await opened(target, { noClobber: true });
    await destination.write("mine");
    await writeFile(target, "theirs");
    code && refuseLinks(code);
    expect(await rejectionOf(destination.finish())).toMatchObject({
      constructor: FileError,
      message: `${target}: another process has created it; the complete output is in ${target}.partial`,
    });
    await destination[Symbol.asyncDispose]();
    expect(await readFile(target, "utf8")).toBe("theirs");
    expect(await readFile(`${target}.partial`, "utf8")).toBe("mine");
  },
);

test.each([undefined, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])(
  "--no-clobber leaves one file, not two, when the target is free, with links or without (%s)",
  async (code) => {
    const destination = await opened(target, { noClobber: true });
    await destination.write("mine");
    code && refuseLinks(code);
    await destination.finish();
    expect({ listed: await listed(), content: await readFile(target, "utf8") }).toEqual({
      listed: ["rows.csv"],
      content: "mine",
    });
  },
);

test.each([
  ["EIO", "the device failed to read or write"],
  [undefined, "link failed"],
])("with --no-clobber, another failure (%s) is reported, and nothing is renamed", async (code, reason) => {
  const destination = await opened(target, { noClobber: true });
  refuseLinks(code);
  expect(await rejectionOf(destination.finish())).toMatchObject({
    constructor: FileError,
    message: `${target}: ${reason}; the complete output is in ${target}.partial`,
  });
  expect(await listed()).toEqual(["rows.csv.partial"]);
});

test("a symbolic link stays a link, and its target is replaced, or created if it does not exist yet", async () => {
  await mkdir(join(folder, "real"));
  await symlink("real/data.csv", target);
  for (const content of ["first", "second"]) {
    const destination = await opened(target);
    await destination.write(content);
    await destination.finish();
    expect(await readFile(join(folder, "real", "data.csv"), "utf8")).toBe(content);
    expect({ listed: await listed(), isSymbolicLink: (await lstat(target)).isSymbolicLink() }).toEqual({
      listed: ["real", "rows.csv"],
      isSymbolicLink: true,
    });
    await destination[Symbol.asyncDispose]();
  }
});

test.each([
  ["a folder", "", '"PATH" names a folder, not a file'],
  ["an empty name", undefined, '"PATH" names a folder, not a file'],
  ["a name with a final slash", "/rows.csv/", '"PATH" names a folder, not a file'],
  ["a folder that does not exist", "/missing/rows.csv", "PATH: the folder FOLDER/missing does not exist"],
  ["a path through a file", "/file/rows.csv", "PATH: a part of the path is not a folder"],
  ["links that lead to each other", "/a/rows.csv", "PATH: too many symbolic links"],
  ["a name that is too long for a partial file", `/${"x".repeat(250)}`, "PATH.partial.lock: the name is too long"],
])("%s is refused as a target, and named", async (_, name, message) => {
  await writeFile(join(folder, "file"), "");
  await symlink("b", join(folder, "a"));
  await symlink("a", join(folder, "b"));
  const path = name === undefined ? "" : `${folder}${name}`;
  expect(await rejectionOf(openFile(path, RUN))).toMatchObject({
    constructor: FileError,
    message: message.replace("PATH", path).replace("FOLDER", folder),
  });
});

test("a full disk is reported with a clear message", async () => {
  const destination = await opened("/dev/full");
  try {
    expect(await rejectionOf(destination.write("row"))).toMatchObject({
      constructor: FileError,
      message: "/dev/full: the disk is full",
    });
  } finally {
    // Never finished: a fault that took the device for a file would rename a file over it.
    await destination[Symbol.asyncDispose]();
  }
});

test("a named pipe ends quietly when its reader goes away", async () => {
  const pipe = namedPipe();
  const reader = await open(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const destination = await opened(pipe);
  await destination.write("row\n");
  expect((await reader.read()).buffer.toString("utf8", 0, 4)).toBe("row\n");
  await reader.close();
  expect(await rejectionOf(destination.write("row\n"))).toStrictEqual(
    new ClosedPipeError(`the reader of ${pipe} went away`),
  );
  await destination[Symbol.asyncDispose]();
});

test("the file behind an output is named, whether it exists or not, and that of a device is not", async () => {
  await symlink("later.csv", target);
  const later = join(await realpath(folder), "later.csv");
  for (const _ of ["missing", "there"]) {
    await using destination = await openFile(target, RUN);
    expect(destination.file?.path).toBe(later);
    await destination.finish();
  }
  await using device = await openFile("/dev/null", RUN);
  expect(device.file).toBeUndefined();
});
