import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Builds dist/ once before the tests, so that they run the current sources. */
export async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, ["scripts/build.mjs"]);
}
