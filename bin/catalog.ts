#!/usr/bin/env node
import { processContext } from "../src/context.ts";
import { main } from "../src/main.ts";

const context = processContext();
process.exitCode = await main(process.argv.slice(2), context);
if (process.exitCode !== 0 && process.stdout.writableLength > 0) {
  // A write that was given up would keep the process alive until its reader takes it.
  process.exit();
}
