import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** A cache folder that all runs with `--demo` share, so that the generated rows are stored once. */
    demoCache: string;
  }
}

/** Builds dist/ once before the tests, so that they run the current sources. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await promisify(execFile)(process.execPath, ["scripts/build.mjs"]);
  const demoCache = await mkdtemp(join(tmpdir(), "catalog-demo-"));
  project.provide("demoCache", demoCache);
  return () => rm(demoCache, { recursive: true, force: true });
}
