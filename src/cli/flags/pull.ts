import type { Command } from "commander";
import { parseWhole } from "./values.ts";

/** The flags of every command that reads rows or counts, as typed. */
export interface ReadFlags {
  failOnEmpty?: boolean;
  demo?: boolean;
}

/** The flags of every command that pulls whole sets, as typed. */
export interface PullFlags {
  concurrency?: string;
  maxRate?: string;
}

/** @param emptiness condition in the help of `--fail-on-empty` */
export function addReadFlags(command: Command, emptiness = "if nothing matches"): Command {
  return addDemoFlag(command.option("--fail-on-empty", `exit with 7 ${emptiness}`));
}

export function addDemoFlag(command: Command): Command {
  return command.option("--demo", "use a generated data set; needs no key and no configuration");
}

export function addPullFlags(command: Command): Command {
  return command
    .option("--concurrency <n>", "parts of the set that are read at the same time (default: 8)")
    .option("--max-rate <n>", "most requests a minute, to leave some to the rest of the team");
}

/** @throws UsageError naming flag and value */
export function parsePullFlags({ concurrency, maxRate }: PullFlags): {
  concurrency: number;
  maxRate: number | undefined;
} {
  return {
    concurrency: parseWhole(concurrency ?? "8", "--concurrency", 1, 64),
    maxRate: maxRate === undefined ? undefined : parseWhole(maxRate, "--max-rate", 1),
  };
}
