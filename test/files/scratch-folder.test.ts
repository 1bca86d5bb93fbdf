import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownerOf } from "../../src/files/process-owner.ts";
import { scratchFolder } from "../../src/files/scratch-folder.ts";
import { temporaryFolder } from "../helpers/cli.ts";

const DAY = 86_400_000;

test("a folder is removed at its end, and others stay unless their process has ended or is unknown for a day", async () => {
  const parent = await temporaryFolder();
  const here = await ownerOf(process.pid);
  const leave = async (name: string, owner: object | undefined, age = 0) => {
    const path = join(parent, `catalog-scratch-${name}`);
    await mkdir(path);
    await (owner && writeFile(join(path, "owner.json"), JSON.stringify(owner)));
    const time = new Date(Date.now() - age);
    await utimes(path, time, time);
  };
  await leave("running", here, 9 * DAY);
  await leave("ended", { ...here, started: "1" });
  await leave("elsewhere", { ...here, host: "elsewhere" }, DAY / 2);
  await leave("elsewhere-old", { ...here, host: "elsewhere" }, 2 * DAY);
  await leave("nameless", undefined, DAY / 2);
  await leave("nameless-old", undefined, 2 * DAY);
  await writeFile(join(parent, "catalog-scratch-file"), "");
  await mkdir(join(parent, "catalog-scratch"));

  const scratch = await scratchFolder(parent);
  expect(await readdir(scratch.path)).toEqual(["owner.json"]);
  await scratch[Symbol.asyncDispose]();

  expect((await readdir(parent)).sort()).toEqual([
    "catalog-scratch",
    "catalog-scratch-elsewhere",
    "catalog-scratch-file",
    "catalog-scratch-nameless",
    "catalog-scratch-running",
  ]);
});
