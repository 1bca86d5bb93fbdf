import { closest } from "../../../contract/closest.ts";
import { isProblemCode } from "../../../contract/problems.ts";
import {
  ApiError,
  ClosedPipeError,
  ContractError,
  MismatchError,
  NetworkError,
  SetChangedError,
} from "../../../errors.ts";
import { failureOf, HTTP_ERROR } from "../../../failures.ts";
import { quoteCommand } from "../quote.ts";
import { style } from "../style.ts";
import { visible } from "../visible.ts";
import { fill, wrap } from "../wrap.ts";
import { type ProblemDocument, problemDocumentOf } from "./problem-document.ts";

export interface ErrorContext {
  /** The command line put right, word by word, where it can be. */
  command?: readonly string[] | undefined;
  /** The value that the service refused, as it was sent. */
  value?: string | undefined;
  colour?: boolean | undefined;
  /** Cells of the terminal, where there is one. Command lines are not broken: they are there to be pasted. */
  width?: number | undefined;
  /** Show where in the tool an unexpected failure arose. */
  verbose?: boolean | undefined;
}

/** Suggestions beyond this number help nobody; the JSON form has them all. */
const MOST_OPTIONS = 10;

/**
 * An error for people: what was wrong, what may have been meant, the command line to paste, how to recover, and what to
 * quote in a report. Lines are joined without a last line end; nothing for a reader that went away.
 */
export function describeError(error: unknown, context: ErrorContext = {}): string {
  if (error instanceof ClosedPipeError) {
    return "";
  }
  const problem = problemDocumentOf(error);
  const { colour = false } = context;
  const sentence = (text: string) => wrap(visible(text), context.width);
  const lines = [
    sentence(`error: ${headline(error, problem, context.value)}`).replace(/^error:/, (word) =>
      style("bold", style("red", word, colour), colour),
    ),
    ...(problem.key_flaw === undefined ? [] : [sentence(`The key looks wrong: ${problem.key_flaw}.`)]),
    ...offer(problem.valid_options ?? [], error instanceof ApiError ? context.value : undefined).map(sentence),
    ...(context.command === undefined ? [] : [`  ${style("bold", quoteCommand(context.command), colour)}`]),
    ...recoveryOf(error, problem).map(sentence),
    ...facts(error, problem).map((words) => style("dim", fill(words.map(visible), context.width), colour)),
    ...(context.verbose && problem.code === "unexpected" ? stackOf(error) : []),
  ];
  return lines.join("\n");
}

/** One line of JSON: the problem document with `exit_code` added. */
export function errorAsJson(error: unknown, exitCode: number): string {
  const text = JSON.stringify({ ...problemDocumentOf(error), exit_code: exitCode });
  // JSON.stringify leaves C1 controls and bidirectional overrides as they are, and stderr may be a terminal.
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => unicodeEscape(character.charCodeAt(index))).join(""),
  );
}

function unicodeEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}

/**
 * What went wrong. Of a refused request that is the service's `detail`; of other answers the message, which also tells
 * who answered and how often was asked.
 */
function headline(error: unknown, { title, code }: ProblemDocument, value: string | undefined): string {
  const refused = error instanceof ApiError && error.status === 400 ? error.problem.detail : undefined;
  const text = (refused ?? (error instanceof Error ? error.message : String(error))) || title;
  if (code === "unexpected") {
    return `unexpected failure: ${text}`;
  }
  return value === undefined || text.includes(value) ? text : `"${value}": ${text}`;
}

/** What may be meant; where none is near the value that a service refused, some of those that it takes. */
function offer(options: readonly string[], refused: string | undefined): string[] {
  const near = refused === undefined ? options : closest(refused, options, options.length);
  const shown = near.length === 0 ? options : near;
  if (shown.length === 0) {
    return [];
  }
  const more = shown.length > MOST_OPTIONS ? ` and ${shown.length - MOST_OPTIONS} more` : "";
  const list = `${shown.slice(0, MOST_OPTIONS).join(", ")}${more}`;
  return [near.length === 0 ? `There are, among others: ${list}.` : `Did you mean ${list}?`];
}

/** A person has just read the `valid_options`; what is left to say is how to see them all. */
function recoveryOf(error: unknown, { recovery }: ProblemDocument): string[] {
  const text = recovery?.includes("valid_options") ? failureOf(error).remedy : recovery;
  return text === undefined ? [] : [text];
}

/** The errors whose message alone does not tell a person what to do. */
const EXPLAINED = [ApiError, ContractError, MismatchError, NetworkError, SetChangedError] as const;

/** What to quote in a report, and where to read more: a line of parts that are not to be broken. */
function facts(error: unknown, { code, request_id }: ProblemDocument): string[][] {
  if (!EXPLAINED.some((kind) => error instanceof kind)) {
    return [];
  }
  const request = request_id === undefined ? [] : [`request ${request_id}`];
  const isKnown = !(error instanceof ApiError) || isProblemCode(code) || code === HTTP_ERROR.code;
  const parts = [code, ...request, ...(isKnown ? [`catalog explain ${code}`] : [])];
  return [parts.map((part, index) => (index < parts.length - 1 ? `${part} ·` : part))];
}

function stackOf(error: unknown): string[] {
  return error instanceof Error ? (error.stack ?? "").split("\n").slice(1).map(visible) : [];
}
