import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** A folder of all tests, for what is made once: the rows of `--demo`, synced folders. */
    sharedFolder: string;
  }
}

/** Builds dist/ once before the tests, so that they run the current sources. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await promisify(execFile)(process.execPath, ["scripts/build.mjs"]);
  const sharedFolder = await mkdtemp(join(tmpdir(), "catalog-tests-"));
  project.provide("sharedFolder", sharedFolder);
  return () => rm(sharedFolder, { recursive: true, force: true });
}
