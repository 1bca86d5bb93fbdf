import type { Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { type ErrorEntry, SERVICE_ERRORS, TOOL_ERRORS } from "../../cli/errors/error-table.ts";
import { addGlobalFlags, type GlobalOptions, parseGlobals } from "../../cli/flags/global.ts";
import { formatOption } from "../../cli/flags/values.ts";
import { createReporter } from "../../cli/reporter.ts";
import { screenOf } from "../../cli/terminal/screen.ts";
import { type Screen, style } from "../../cli/terminal/style.ts";
import { itemTable, numberColumn, textColumn } from "../../cli/terminal/tables/item-table.ts";
import { renderTable } from "../../cli/terminal/tables/table.ts";
import { wrap } from "../../cli/terminal/wrap.ts";
import { UsageError } from "../../contract/errors.ts";
import { isProblemCode, PROBLEMS } from "../../contract/problems.ts";
import { closest } from "../../contract/values/closest.ts";
import { quoted } from "../../contract/values/phrases.ts";

type Explanation = ReturnType<typeof explanationOf>;

/** An error code as `--format json` writes it. */
function explanationOf({ code, retryable, title, meaning, recovery, remedy, exitCode }: ErrorEntry) {
  return {
    code,
    source: isProblemCode(code) ? "service" : "catalog",
    /** Null for a code of this tool. */
    status: isProblemCode(code) ? PROBLEMS[code].status : null,
    retryable,
    title,
    meaning,
    recovery: recovery ?? null,
    remedy,
    exit_code: exitCode,
  };
}

const EXPLANATIONS = [...SERVICE_ERRORS, ...TOOL_ERRORS].map(explanationOf);

interface ExplainOptions {
  globals: GlobalOptions;
  /** Undefined for an overview. */
  found: Explanation | undefined;
  format: "text" | "json";
}

export function declare(command: Command, context: Context, run: Run<ExplainOptions> = explain): void {
  const declared = command
    .description(
      "Explains the errors of the service and of this tool: what a code means, whether to retry, and what to do.",
    )
    .argument("[code]", "a code such as rate_limited (default: list all codes)", findCode)
    .addOption(formatOption(["text", "json"], "text"));
  addGlobalFlags(declared, [
    "catalog explain",
    "catalog explain invalid_credentials",
    "catalog explain network",
    "catalog explain rate_limited --format json",
  ]).action((found, { format = "text" }) => run({ globals: parseGlobals(command), found, format }, context));
}

async function explain({ globals, found, format }: ExplainOptions, context: Context): Promise<void> {
  const screen = screenOf(context, { globals });
  if (format === "json") {
    await context.print(`${JSON.stringify(found ?? EXPLANATIONS, undefined, 2)}\n`);
  } else if (found === undefined) {
    await context.print(overview(screen));
    createReporter(globals, context).note("`catalog explain CODE` explains one code in full.");
  } else {
    await context.print(explanationText(found, screen));
  }
}

/** Ignores letter case, and accepts hyphens for underscores. */
function findCode(text: string): Explanation {
  const code = text.toLowerCase().replaceAll("-", "_");
  const found = EXPLANATIONS.find((explanation) => explanation.code === code);
  if (found === undefined) {
    const known = EXPLANATIONS.map((explanation) => explanation.code);
    throw new UsageError(`there is no error code ${quoted(text)}; \`catalog explain\` lists them.`, {
      suggestions: closest(code, known),
      value: text,
    });
  }
  return found;
}

function overview(screen: Screen): string {
  const tables = (["service", "catalog"] as const).map((source) => {
    const columns = COLUMNS.filter(({ heading }) => source === "service" || heading !== "HTTP");
    const explanations = EXPLANATIONS.filter((explanation) => explanation.source === source);
    return renderTable(itemTable(explanations, columns), screen).text;
  });
  return tables.join("\nErrors of this tool, and of proxies between it and the service:\n\n");
}

const COLUMNS = [
  textColumn<Explanation>("code", ({ code }) => code, { rigid: true }),
  numberColumn<Explanation>("HTTP", ({ status }) => status),
  textColumn<Explanation>("retry", ({ retryable }) => (retryable ? "yes" : "no")),
  numberColumn<Explanation>("exit code", ({ exit_code }) => exit_code),
  textColumn<Explanation>("meaning", ({ meaning }) => meaning),
];

const NAME_WIDTH = 12;

function explanationText(explanation: Explanation, { width, colour }: Screen): string {
  const { code, title, status, meaning, recovery, remedy, exit_code } = explanation;
  const bold = (text: string) => style("bold", text, colour);
  const facts = [
    ["Retry", retryAdvice(explanation)],
    ...(recovery === null ? [] : [["Recovery", recovery] as const]),
    ["With catalog", remedy],
    ["Exit code", String(exit_code)],
  ] as const;
  const lines = facts.map(
    ([name, text]) => `${wrap(`${name.padEnd(NAME_WIDTH)}  ${text}`, width, NAME_WIDTH + 2).replace(name, bold)}\n`,
  );
  const source = status === null ? "of this tool" : `HTTP ${status}`;
  return `${bold(code)}: ${title} (${source})\n\n${wrap(meaning, width)}\n\n${lines.join("")}`;
}

function retryAdvice({ source, retryable }: Explanation): string {
  if (source === "service") {
    return retryable ? "yes, after a pause; the tool does so automatically" : "no, fix the request first";
  }
  return retryable ? "yes, run the command again" : "no, fix the cause first";
}
