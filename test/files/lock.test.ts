import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { open, readdir, rename, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { FileError } from "../../src/errors.ts";
import { lockOutput } from "../../src/files/lock.ts";
import { ownerOf } from "../../src/files/lock-owner.ts";
import { temporaryFolder } from "../helpers/cli.ts";

async function target() {
  const folder = await temporaryFolder();
  return {
    folder,
    file: join(folder, "rows.csv"),
    lockAt: (suffix: string) => join(folder, `rows.csv.partial.lock.${suffix}`),
  };
}

/** The owner that a process was which has ended. */
async function deadOwner() {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  await once(child, "spawn");
  const owner = await ownerOf(child.pid ?? 0);
  child.kill("SIGKILL");
  await once(child, "close");
  return owner;
}

test("a released lock leaves nothing behind and can be had again", async () => {
  const { folder, file } = await target();
  const lock = await lockOutput(file, process.pid);
  await lock.release();
  const again = await lockOutput(file, process.pid);
  await again.release();
  expect(await readdir(folder)).toEqual([]);
});

test("a lock that is held is refused by the name of its process", async () => {
  const { folder, file } = await target();
  await lockOutput(file, process.pid);
  await expect(lockOutput(file, process.pid)).rejects.toThrow(
    new FileError(`${file} is being written by process ${process.pid} on ${hostname()}`, file),
  );
  expect(await readdir(folder)).toEqual(["rows.csv.partial.lock.1"]);
});

test("locks of other files do not count", async () => {
  const { folder, file } = await target();
  await lockOutput(join(folder, "other.csv"), process.pid);
  const lock = await lockOutput(file, process.pid);
  await lock.release();
  expect(await readdir(folder)).toEqual(["other.csv.partial.lock.1"]);
});

test("the lock of a process that has ended is followed by the next and cleared away with its draft", async () => {
  const { folder, file, lockAt } = await target();
  const dead = JSON.stringify(await deadOwner());
  await writeFile(lockAt("7"), dead);
  await writeFile(lockAt("12.new"), dead);
  await lockOutput(file, process.pid);
  expect(await readdir(folder)).toEqual(["rows.csv.partial.lock.8"]);
});

test("a process number that is in use again by another process does not hold the lock", async () => {
  const { folder, file, lockAt } = await target();
  await writeFile(lockAt("1"), JSON.stringify({ ...(await ownerOf(process.pid)), started: "another boot/1" }));
  await lockOutput(file, process.pid);
  expect(await readdir(folder)).toEqual(["rows.csv.partial.lock.2"]);
});

test("the lock of another machine counts, and the way out is named", async () => {
  const { file, lockAt } = await target();
  await writeFile(lockAt("1"), JSON.stringify({ host: "elsewhere", pid: 1, started: null }));
  await expect(lockOutput(file, process.pid)).rejects.toThrow(
    `by process 1 on elsewhere; where that one has ended, delete ${lockAt("1")}`,
  );
});

test("a lower lock that turns up late is still respected", async () => {
  const { folder, file, lockAt } = await target();
  await writeFile(lockAt("1"), JSON.stringify(await ownerOf(process.pid)));
  await writeFile(lockAt("2"), JSON.stringify(await deadOwner()));
  await expect(lockOutput(file, process.pid)).rejects.toThrow("is being written");
  expect((await readdir(folder)).length).toBe(2);
});

test("of many that try at once exactly one has the lock", async () => {
  const { file, lockAt } = await target();
  await writeFile(lockAt("3"), JSON.stringify(await deadOwner()));
  const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lockOutput(file, process.pid)));
  expect(tries.filter(({ status }) => status === "fulfilled").length).toBe(1);
});

test("the lock of a running process that comes late is left to that process", async () => {
  const { folder, file, lockAt } = await target();
  const dead = JSON.stringify(await deadOwner());
  // Whoever reads a pipe waits for what the test writes.
  await promisify(execFile)("mkfifo", [lockAt("1")]);
  const locked = lockOutput(file, process.pid);
  await writeFile(lockAt("1"), dead);
  while (!(await readdir(folder)).includes("rows.csv.partial.lock.2")) {
    await setImmediate();
  }
  const secondLook = await open(lockAt("1"), "w");
  await writeFile(lockAt("3"), JSON.stringify(await ownerOf(process.pid)));
  await writeFile(join(folder, "plain"), dead);
  await rename(join(folder, "plain"), lockAt("1"));
  await secondLook.writeFile(dead);
  await secondLook.close();
  await locked;
  expect(await readdir(folder)).toEqual(["rows.csv.partial.lock.2", "rows.csv.partial.lock.3"]);
});
