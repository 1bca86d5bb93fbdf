import type { Command } from "commander";
import { wholeNumber } from "./values.ts";

/** The flags of every command that reads rows or counts. */
export interface ReadFlags {
  failOnEmpty?: boolean;
  demo?: boolean;
}

/** The flags of every command that pulls whole sets. */
export interface PullFlags {
  concurrency: number;
  /** Requests a minute. */
  maxRate?: number;
}

/** @param emptiness condition in the help of `--fail-on-empty` */
export function addReadFlags(command: Command, emptiness = "if nothing matches"): Command {
  return addDemoFlag(command.option("--fail-on-empty", `exit with 7 ${emptiness}`));
}

export function addDemoFlag(command: Command): Command {
  return command.option("--demo", "use a generated data set; needs no key and no configuration");
}

export function addPullFlags(command: Command): Command {
  const concurrency = wholeNumber("--concurrency", 1, 64);
  return command
    .option("--concurrency <n>", "parts of the set that are read at the same time", concurrency, 8)
    .option(
      "--max-rate <n>",
      "most requests a minute, to leave some to the rest of the team",
      wholeNumber("--max-rate", 1),
    );
}
