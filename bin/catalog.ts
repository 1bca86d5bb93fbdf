#!/usr/bin/env node
import { existsSync, mkdirSync } from "node:fs";
import module from "node:module";
import { dirname, join } from "node:path";
import { userFolders } from "../src/config/user-folders.ts";

// Since Node.js 22.1.
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };

// The exit code of Node.js if an `await` at the top of a module never settles.
process.exitCode = 13;
run().catch(reportShortage);

async function run(): Promise<void> {
  const folders = userFolders(process.platform, process.env);
  if (folders.cache !== undefined && enableCompileCache !== undefined) {
    keepCompiledCode(join(folders.cache, "compiled"), enableCompileCache);
  }
  const { mainOfProcess } = await import("../src/main.ts");
  process.exitCode = await mainOfProcess(process.argv.slice(2), folders);
  if (process.exitCode !== 0 && process.stdout.writableLength > 0) {
    // A write that was abandoned would keep the process alive until its reader takes the bytes.
    process.exit();
  }
}

/** Keeps the compiled code of all modules that are loaded from now on for the next run. */
function keepCompiledCode(folder: string, enable: (folder: string) => unknown): void {
  try {
    makeFolder(folder);
    enable(folder);
  } catch {
    // Without the cache, the tool only starts more slowly.
  }
}

/** Creates a folder and those above it one by one: Node.js never returns if it has to create all of them below /proc. */
function makeFolder(path: string): void {
  if (!existsSync(path)) {
    makeFolder(dirname(path));
    mkdirSync(path, 0o700);
  }
}

/** Reports a limit of open files that is too low for the modules of the tool; what reports every other error is one of them. */
function reportShortage(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== "EMFILE") {
    throw error;
  }
  const detail = "this process has too many open files; allow more with `ulimit -n 256`";
  const title = "A local file could not be read or written";
  const problem = { type: "about:blank", title, detail, code: "file", retryable: false, exit_code: 1 };
  const isJson = /--error-format[= ]json/.test(process.argv.join(" "));
  process.stderr.write(isJson ? `${JSON.stringify(problem)}\n` : `error: ${detail}\n`);
  process.exitCode = 1;
}
