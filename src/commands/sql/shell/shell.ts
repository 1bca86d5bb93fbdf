import type { Context } from "../../../cli/context.ts";
import { describeError } from "../../../cli/errors/error-text.ts";
import type { SyncedFolder } from "../../../cli/source/synced-folder.ts";
import { isColoured, terminalWidth } from "../../../cli/terminal/screen.ts";
import type { Query } from "../../../cli/write-query.ts";
import { InterruptedError, UsageError } from "../../../contract/errors.ts";
import { counted } from "../../../contract/values/counted.ts";
import { QueryError, type SqlSession } from "../../../folder/sql/sql-session.ts";
import type { SqlOptions } from "../options.ts";
import { showQuery } from "../query-view.ts";
import { completions, shellWords } from "./completion.ts";
import { DOT_COMMANDS, dotCommands } from "./dot-commands.ts";
import { openHistory } from "./shell-history.ts";
import { typedLines } from "./typed-lines.ts";

/**
 * Runs the queries and commands that a person types, until Ctrl-D. An error is shown, and the shell goes on.
 *
 * @throws the reason of the folder's signal
 */
export async function runShell(
  session: SqlSession,
  options: SqlOptions,
  { days, name, reporter, signal }: SyncedFolder,
  context: Context,
): Promise<void> {
  const words = await shellWords(session);
  const history = await openHistory(context, (reason) => reporter.note(`what you type is not kept: ${reason}`));
  const complete = (line: string) => completions(words, DOT_COMMANDS, line);
  const lines = typedLines(context, { history, signal, complete });
  let isOver = false;
  const quit = () => {
    isOver = true;
  };
  const show = (query: Query) =>
    showQuery(query, session, { ...options, output: commands.output(), hasCards: true }, reporter, context);
  const commands = dotCommands(options, words.tables, { show, quit }, context);
  /** Runs something that Ctrl-C ends. */
  const attempt = async (action: () => Promise<void>) => {
    const stop = new AbortController();
    const release = context.takeInterrupts(() => stop.abort(new InterruptedError("SIGINT")));
    try {
      await session.interruptible(stop.signal, action);
    } catch (error) {
      signal.throwIfAborted();
      if (stop.signal.aborted) {
        lines.forget();
        // The terminal has echoed ^C.
        context.stdout.write("\n");
        context.stderr.write("interrupted\n");
      } else {
        context.stderr.write(`${textOf(error, options, context)}\n`);
      }
    } finally {
      release();
    }
  };

  reporter.note(`${name}: ${counted(days.length, "day")}, ${days[0]} to ${days.at(-1)}. .help shows the commands.`);
  let begun = "";
  while (!isOver) {
    const typed = await lines.ask(begun === "" ? "sql> " : "...> ");
    if (typed.kind === "ended") {
      quit();
      context.stdout.write("\n");
    } else if (typed.kind === "interrupted") {
      context.stdout.write("\n");
      context.stderr.write(begun === "" && typed.wasEmpty ? "Ctrl-D or .quit ends the shell\n" : "");
      begun = "";
    } else {
      await history.add(typed.line);
      const { command, operand, statements, rest } = read(begun, typed.line);
      begun = rest;
      if (command !== undefined) {
        await attempt(() => commands.run(command, operand));
      }
      for (const sql of statements) {
        await attempt(() => show({ sql }));
      }
    }
  }
}

/** What a line is after the lines that have begun a query: a command with its operand, or the ends of queries. */
function read(begun: string, line: string) {
  const [, command, operand] = /^\s*(\.\S+)\s*(.*?)[\s;]*$/.exec(begun === "" ? line : "") ?? [];
  const queries = command === undefined ? splitStatements(`${begun}${line}\n`) : { statements: [], rest: "" };
  return { command, operand: operand === "" ? undefined : operand, ...queries };
}

function textOf(error: unknown, { globals }: SqlOptions, { stderr, env }: Context): string {
  const told = error instanceof QueryError ? new UsageError(error.message) : error;
  return describeError(told, { colour: isColoured(stderr, globals.color, env), width: terminalWidth(stderr) });
}

/** A quoted text, a comment, or any other character. What is not closed goes on to the end. */
const PART =
  /e'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\$(\w*)\$[\s\S]*?(?:\$\1\$|$)|[\s\S]/gi;

/** The statements of a text, each up to its semicolon, and the text after the last one. Blank ones are left out. */
export function splitStatements(text: string): { statements: string[]; rest: string } {
  const statements: string[] = [];
  let from = 0;
  for (const { 0: part, index } of text.matchAll(PART)) {
    if (part === ";") {
      statements.push(text.slice(from, index));
      from = index + 1;
    }
  }
  const isText = (one: string) => one.trim() !== "";
  const rest = text.slice(from);
  return { statements: statements.filter(isText), rest: isText(rest) ? rest : "" };
}
