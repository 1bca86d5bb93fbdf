import type { Command } from "commander";
import type { Context } from "../context.ts";
import { COMPLETE } from "./completion/complete-command.ts";

/** A command's name and summary, and the module that declares the rest of it. */
interface CommandEntry {
  name: string;
  summary: string;
  /** Not for people. */
  hidden?: true;
  load: () => Promise<{ declare: (command: Command, context: Context) => void }>;
}

/** Every command, in the order of the help. A module is loaded only for the command line that names it. */
export const COMMANDS: readonly CommandEntry[] = [
  { name: "coverage", summary: "how much data exists, per combination", load: () => import("./coverage/command.ts") },
  {
    name: "sample",
    summary: "at most 100 rows, to judge the shape of the data",
    load: () => import("./sample/command.ts"),
  },
  {
    name: "export",
    summary: "the complete filtered set, to stdout or a file",
    load: () => import("./export/command.ts"),
  },
  {
    name: "verify",
    summary: "an exported file checked against its manifest",
    load: () => import("./verify/command.ts"),
  },
  { name: "diff", summary: "what changed between two crawl days", load: () => import("./diff/command.ts") },
  { name: "auth", summary: "store, check and forget an API key", load: () => import("./auth/command.ts") },
  { name: "status", summary: "whether the service works, day by day", load: () => import("./status/command.ts") },
  { name: "explain", summary: "what an error code means, and what to do", load: () => import("./explain/command.ts") },
  {
    name: "sync",
    summary: "a local copy that is kept up to date, as Parquet",
    load: () => import("./sync/command.ts"),
  },
  {
    name: "service",
    summary: "run, fill and administer the embedded service",
    load: () => import("./service/command.ts"),
  },
  { name: "completion", summary: "completion for bash, zsh or fish", load: () => import("./completion/command.ts") },
  { name: "help", summary: "help for a command or a topic", load: () => import("./help/command.ts") },
  {
    name: COMPLETE,
    summary: "what can stand at the end of a command line",
    hidden: true,
    load: () => import("./completion/complete.ts"),
  },
];
