import { type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import type { ProgressMode } from "../terminal/progress/progress.ts";
import { wrap } from "../terminal/wrap.ts";
import { duration, type FlagsOf, flagError, flagSet, size, wholeNumber } from "./values.ts";

/** The global options, with all defaults filled in. */
export interface GlobalOptions {
  baseUrl: string | undefined;
  profile: string | undefined;
  /** Time limit for one request including its response, in milliseconds. */
  timeout: number;
  /** Time limit for the whole command, in milliseconds; undefined for no limit. */
  maxTime: number | undefined;
  retries: number;
  /** Maximum bytes of one response; undefined for the default, which depends on the page size. */
  maxBody: number | undefined;
  quiet: boolean;
  verbose: boolean;
  /** False with `--no-color`; if true, the environment and the terminal decide. */
  color: boolean;
  progress: ProgressMode;
  errorFormat: "human" | "json";
}

/**
 * Declares the global options, before or after the name of the command, and appends `note` and `examples` to the help.
 *
 * @param examples command lines
 * @param note shown before the examples; each of its lines is wrapped to the width of the help
 */
export const addGlobalFlags = flagSet((command, examples: readonly string[] = [], note: string = "") => {
  const requesting = command
    .optionsGroup("Global options:")
    .option("--base-url <url>", "address of the service; a path prefix such as /api is kept [env: CATALOG_BASE_URL]")
    .option("--profile <name>", "profile of the configuration file [env: CATALOG_PROFILE]")
    .option(
      "--timeout <duration>",
      "time limit for one request, including its response (default: 30s)",
      duration("--timeout"),
    )
    .option("--retries <n>", "how often a failed request is sent again (default: 5)", wholeNumber("--retries", 0, 100))
    .option(
      "--max-body <size>",
      "limit for the size of one response, such as 64MiB (default: 16MiB for 500 rows)",
      size("--max-body"),
    );
  return addReportingFlags(requesting, examples, note);
});

/** Like `addGlobalFlags`, without the options about requests. */
export const addReportingFlags = flagSet((command, examples: readonly string[] = [], note: string = "") => {
  if (examples.length > 0) {
    const list = `Examples:\n${examples.map((line) => `  $ ${line}`).join("\n")}`;
    command.addHelpText("after", () => {
      const width = command.configureOutput().getOutHelpWidth?.();
      return note === "" ? `\n${list}` : `\n${wrapLines(note, width)}\n\n${list}`;
    });
  }
  return command
    .optionsGroup("Global options:")
    .option("--max-time <duration>", "time limit for the whole command (default: none)", duration("--max-time"))
    .option("-q, --quiet", "print nothing but errors to stderr")
    .option("-v, --verbose", "log each request to stderr")
    .option("--no-color", "no colour [env: NO_COLOR]")
    .addOption(
      new Option("--progress <mode>", "plain: a line every ten seconds, for logs (default: auto)").choices([
        "auto",
        "plain",
        "none",
      ]),
    )
    .option("--no-progress", "the same as --progress none")
    .addOption(
      new Option(
        "--error-format <format>",
        "json: print each error or warning as one line of JSON on stderr (default: human)",
      ).choices(["human", "json"]),
    )
    .helpOption("-h, --help", "show help");
});

/** Wraps each line. A line such as `  term  meaning` continues below its meaning. */
function wrapLines(text: string, width: number | undefined): string {
  return text
    .split("\n")
    .map((line) => wrap(line, width, /^ {2}\S.*? {2,}/.exec(line)?.[0].length))
    .join("\n");
}

/** The flags that are on the command line, before or after the name of the command. */
type GlobalFlags = FlagsOf<typeof addGlobalFlags>;

export function parseGlobals(command: CommandUnknownOpts): GlobalOptions {
  const given: Partial<GlobalFlags> = command.optsWithGlobals();
  const { quiet = false, verbose = false, progress = "auto", ...flags } = given;
  if (quiet && verbose) {
    throw flagError("--quiet", "cannot be combined with --verbose.");
  }
  return {
    baseUrl: flags.baseUrl,
    profile: flags.profile,
    timeout: flags.timeout ?? 30_000,
    maxTime: flags.maxTime,
    retries: flags.retries ?? 5,
    maxBody: flags.maxBody,
    quiet,
    verbose,
    // `optsWithGlobals` lets the program's default (`color: true`) override `--no-color` given after the command.
    color: command.opts().color !== false && flags.color !== false,
    progress: progress === false ? "none" : progress,
    errorFormat: flags.errorFormat ?? "human",
  };
}
