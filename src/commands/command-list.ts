import type { Command } from "@commander-js/extra-typings";
import type { Context } from "../cli/context.ts";
import { COMPLETE } from "./completion/scripts.ts";

const LOOK = "Look at the data:";
const PULL = "Pull it:";
const KEEP = "Keep it:";
const SET_UP = "Set up:";

interface CommandEntry {
  name: string;
  /** Empty for a hidden command. */
  group: string;
  summary: string;
  /** Imports the command; only called if the command line names it. */
  load: () => Promise<{ declare: (command: Command, context: Context) => void }>;
}

function entry(name: string, group: string, summary: string, load: CommandEntry["load"]): CommandEntry {
  return { name, group, summary, load };
}

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandEntry[] = [
  entry("coverage", LOOK, "how much data exists, and how fresh it is", () => import("./coverage/command.ts")),
  entry("sample", LOOK, "at most 100 rows, to judge the shape of the data", () => import("./sample/command.ts")),
  entry("diff", LOOK, "what changed price, is new or is gone, between two days", () => import("./diff/command.ts")),
  entry(
    "history",
    LOOK,
    "prices of products over time: a new low? who is the cheapest?",
    () => import("./history/command.ts"),
  ),
  entry("movers", LOOK, "what dropped or rose: new lows, top discounts", () => import("./movers/command.ts")),
  entry(
    "latest",
    LOOK,
    "last known prices with their age; discounts by brand or category",
    () => import("./latest/command.ts"),
  ),
  entry(
    "compare",
    LOOK,
    "the same product across retailers: who is the cheapest, and by how much",
    () => import("./compare/command.ts"),
  ),
  entry("why", LOOK, "which crawled rows a figure comes from, and by which rules", () => import("./why/command.ts")),
  entry("report", LOOK, "the morning report: a page, or a text for a mail", () => import("./report/command.ts")),
  entry(
    "index",
    LOOK,
    "price index: what a basket of products costs, by retailer and day",
    () => import("./index/command.ts"),
  ),
  entry("export", PULL, "the complete filtered set, to stdout or a file", () => import("./export/command.ts")),
  entry("verify", PULL, "check an exported file against its manifest", () => import("./verify/command.ts")),
  entry("sync", KEEP, "keep a local copy up to date, as Parquet", () => import("./sync/command.ts")),
  entry("sql", KEEP, "SQL over a synced folder, with DuckDB", () => import("./sql/command.ts")),
  entry("auth", SET_UP, "store, check and remove an API key", () => import("./auth/command.ts")),
  entry("status", SET_UP, "whether the service works, day by day", () => import("./status/command.ts")),
  entry("explain", SET_UP, "what an error code means, and what to do", () => import("./explain/command.ts")),
  entry("service", SET_UP, "run, fill and administer the embedded service", () => import("./service/command.ts")),
  entry("completion", SET_UP, "completion for bash, zsh or fish", () => import("./completion/command.ts")),
  entry("help", SET_UP, "help for a command or a topic", () => import("./help/command.ts")),
  entry(COMPLETE, "", "candidates for the end of a command line", () => import("./completion/complete.ts")),
];
