#!/usr/bin/env node
import module from "node:module";
import { join } from "node:path";
import envPaths from "env-paths";

// Node.js 22 and newer can keep compiled code between two runs. Only what is loaded after this call profits.
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
enableCompileCache?.(join(envPaths("catalog", { suffix: "" }).cache, "compiled"));

const { main } = await import("../src/main.ts");
process.exitCode = await main(process.argv.slice(2));
if (process.exitCode !== 0 && process.stdout.writableLength > 0) {
  // A write that was given up would keep the process alive until its reader takes it.
  process.exit();
}
