import { type Command, Option } from "commander";
import type { Context } from "../context.ts";
import { closest } from "../contract/closest.ts";
import { isProblemCode, PROBLEM_CODES, PROBLEMS, type ProblemCode } from "../contract/problems.ts";
import { ApiError, exitCodeOf, UsageError } from "../errors.ts";
import { numberCell, textCell } from "../output/cell.ts";
import { renderTable } from "../output/table.ts";
import { addGlobalFlags, type GlobalOptions, parseGlobals } from "./global-flags.ts";
import { REMEDIES } from "./remedies.ts";
import { isColoured, widthOf } from "./terminal.ts";
import { quoted } from "./values.ts";

export interface ExplainOptions {
  globals: GlobalOptions;
  /** Undefined for the whole catalogue. */
  code: ProblemCode | undefined;
  format: "text" | "json";
}

/** One entry of the catalogue as `--format json` writes it. */
interface Explanation {
  code: ProblemCode;
  status: number;
  retryable: boolean;
  title: string;
  meaning: string;
  recovery: string;
  /** What to do with this tool. */
  remedy: string;
  exit_code: number;
}

export function declare(
  command: Command,
  context: Context,
  run: (options: ExplainOptions, context: Context) => void = runExplain,
): void {
  command
    .description("The errors of the service: what a code means, whether to try again, and what to do about it.")
    .argument("[code]", "a code such as rate_limited; all of them without it")
    .addOption(new Option("-f, --format <format>", "format of the output (default: text)").choices(["text", "json"]));
  addGlobalFlags(command)
    .addHelpText(
      "after",
      `
Examples:
  $ catalog explain
  $ catalog explain invalid_credentials
  $ catalog explain rate_limited --format json`,
    )
    .action((code: string | undefined, flags: { format?: "text" | "json" }) =>
      run(
        {
          globals: parseGlobals(command),
          code: code === undefined ? undefined : parseCode(code),
          format: flags.format ?? "text",
        },
        context,
      ),
    );
}

/** Case and hyphens do not matter to a person. */
function parseCode(text: string): ProblemCode {
  const code = text.toLowerCase().replaceAll("-", "_");
  if (!isProblemCode(code)) {
    throw new UsageError(`the service has no error code ${quoted(text)}; \`catalog explain\` lists them.`, {
      suggestions: closest(code, PROBLEM_CODES),
      value: text,
    });
  }
  return code;
}

function runExplain({ globals, code, format }: ExplainOptions, context: Context): void {
  const { stdout, env } = context;
  const colour = isColoured(stdout, globals.color, env);
  if (format === "json") {
    const document = code === undefined ? PROBLEM_CODES.map(explanationOf) : explanationOf(code);
    stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
  } else {
    stdout.write(code === undefined ? overview(widthOf(stdout), colour) : page(explanationOf(code), colour));
  }
}

function explanationOf(code: ProblemCode): Explanation {
  const { status, retryable, title, meaning, recovery } = PROBLEMS[code];
  const exit_code = exitCodeOf(new ApiError(title, { status, problem: { code }, attempts: 1 }));
  return { code, status, retryable, title, meaning, recovery, remedy: REMEDIES[code], exit_code };
}

function overview(width: number | undefined, colour: boolean): string {
  const table = {
    columns: [
      { heading: "code", rigid: true },
      { heading: "HTTP" },
      { heading: "retry" },
      { heading: "exit code" },
      { heading: "meaning" },
    ],
    rows: PROBLEM_CODES.map(explanationOf).map(({ code, status, retryable, exit_code, meaning }) => [
      textCell(code),
      numberCell(status),
      textCell(retryable ? "yes" : "no"),
      numberCell(exit_code),
      textCell(meaning),
    ]),
  };
  return renderTable(table, { width, colour }).text;
}

function page({ code, title, status, retryable, meaning, recovery, remedy, exit_code }: Explanation, colour: boolean) {
  const bold = (text: string) => (colour ? `\x1b[1m${text}\x1b[22m` : text);
  const facts = [
    ["Retry", retryable ? "yes, after a pause; the tool does so by itself" : "no, fix the request first"],
    ["Recovery", recovery],
    ["With catalog", remedy],
    ["Exit code", String(exit_code)],
  ] as const;
  const lines = facts.map(([name, text]) => `${bold(name.padEnd(12))}  ${text}\n`);
  return `${bold(code)}: ${title} (HTTP ${status})\n\n${meaning}\n\n${lines.join("")}`;
}
