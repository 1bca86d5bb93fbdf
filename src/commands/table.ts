import type { Command } from "commander";
import type { Context } from "../context.ts";

/** A command's name and summary, and the module that declares the rest of it. */
interface CommandEntry {
  name: string;
  summary: string;
  /** Not for people. */
  hidden?: true;
  load: () => Promise<{ declare: (command: Command, context: Context) => void }>;
}

/** What the completion scripts call. */
export const COMPLETE = "__complete";

/** Every command, in the order of the help. A module is loaded only for the command line that names it. */
export const COMMANDS: readonly CommandEntry[] = [
  { name: "coverage", summary: "how much data exists, per combination", load: () => import("./coverage.ts") },
  { name: "sample", summary: "at most 100 rows, to judge the shape of the data", load: () => import("./sample.ts") },
  { name: "export", summary: "the complete filtered set, to stdout or a file", load: () => import("./export.ts") },
  { name: "verify", summary: "an exported file checked against its manifest", load: () => import("./verify.ts") },
  { name: "diff", summary: "what changed between two crawl days", load: () => import("./diff.ts") },
  { name: "auth", summary: "store, check and forget an API key", load: () => import("./auth.ts") },
  { name: "status", summary: "whether the service works, day by day", load: () => import("./status.ts") },
  { name: "explain", summary: "what an error code means, and what to do", load: () => import("./explain.ts") },
  { name: "sync", summary: "a local copy that is kept up to date, as Parquet", load: () => import("./sync.ts") },
  { name: "service", summary: "run, fill and administer the embedded service", load: () => import("./service.ts") },
  { name: "completion", summary: "completion for bash, zsh or fish", load: () => import("./completion.ts") },
  { name: "help", summary: "help for a command or a topic", load: () => import("./help.ts") },
  {
    name: COMPLETE,
    summary: "what can stand at the end of a command line",
    hidden: true,
    load: () => import("./complete.ts"),
  },
];
