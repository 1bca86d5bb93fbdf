import type { Command } from "commander";
import type { Context } from "../../context.ts";
import type { ServiceFlags } from "./options.ts";

/** What all the commands below `service` have in common. */
export interface Shared {
  context: Context;
  /** Declares the flags that they share, after their own. */
  finish(command: Command): Command;
  /** Fills in the default database. */
  complete<Flags extends ServiceFlags>(flags: Flags): Flags & { database: string };
}

/** The end of a help text. */
export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`;
}
