#!/usr/bin/env node
import module from "node:module";
import { join } from "node:path";
import { userFolders } from "../src/config/user-folders.ts";
import { makeFolderPath } from "../src/files/own-file.ts";

// Since Node.js 22.1.
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };

// The exit code of Node.js if an `await` at the top of a module never settles.
process.exitCode = 13;
void run();

async function run(): Promise<void> {
  const folders = userFolders(process.platform, process.env);
  if (folders.cache !== undefined && enableCompileCache !== undefined) {
    await keepCompiledCode(join(folders.cache, "compiled"), enableCompileCache);
  }
  const { mainOfProcess } = await import("../src/main.ts");
  process.exitCode = await mainOfProcess(process.argv.slice(2), folders);
  if (process.exitCode !== 0 && process.stdout.writableLength > 0) {
    // A write that was abandoned would keep the process alive until its reader takes the bytes.
    process.exit();
  }
}

/** Keeps the compiled code of all modules that are loaded from now on for the next run. */
async function keepCompiledCode(folder: string, enable: (folder: string) => unknown): Promise<void> {
  try {
    // Node.js never returns if it has to create the folder below /proc.
    await makeFolderPath(folder, 0o700);
    enable(folder);
  } catch {
    // Without the cache, the tool only starts more slowly.
  }
}
