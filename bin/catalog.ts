#!/usr/bin/env node
import { processContext } from "../src/context.ts";
import { main } from "../src/main.ts";

const context = processContext();
process.exitCode = await main(process.argv.slice(2), context);
