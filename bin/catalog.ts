#!/usr/bin/env node
import module from "node:module";
import { join } from "node:path";
import envPaths from "env-paths";

const folders = envPaths("catalog", { suffix: "" });

// Node.js 22 and newer can keep compiled code between two runs, of modules that are loaded after this call.
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
enableCompileCache?.(join(folders.cache, "compiled"));

// The exit code of Node.js if an `await` at the top of a module never settles.
process.exitCode = 13;
void run();

async function run(): Promise<void> {
  const { mainOfProcess } = await import("../src/main.ts");
  process.exitCode = await mainOfProcess(process.argv.slice(2), folders);
  if (process.exitCode !== 0 && process.stdout.writableLength > 0) {
    // A write that was abandoned would keep the process alive until its reader takes the bytes.
    process.exit();
  }
}
