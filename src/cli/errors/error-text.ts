import {
  ApiError,
  ContractError,
  FileError,
  isTemporary,
  MismatchError,
  NetworkError,
  SetChangedError,
  UsageError,
} from "../../contract/errors.ts";
import { isProblemCode, PROBLEMS } from "../../contract/problems.ts";
import { closest } from "../../contract/values/closest.ts";
import { firstFew, quoted } from "../../contract/values/phrases.ts";
import { quoteCommand } from "../../contract/values/quote-command.ts";
import { visible, visibleJson } from "../../contract/values/visible.ts";
import { style } from "../terminal/style.ts";
import { fill, wrap } from "../terminal/wrap.ts";
import { errorEntryOf, HTTP_ERROR } from "./error-table.ts";

/**
 * Any error in the shape of a problem document, contract section 2.7. Errors of the tool have codes that the service does not
 * use, and lack the members that describe a response.
 */
interface ProblemDocument {
  /** `about:blank` if no error catalogue describes it (RFC 9457 section 4.2.1). */
  type: string;
  title: string;
  status?: number;
  detail: string;
  code: string;
  retryable: boolean;
  recovery?: string;
  request_id?: string;
  field?: string;
  valid_options?: readonly string[];
  /** What looks wrong with the key that was sent, worded to follow `The key looks wrong: `. */
  key_flaw?: string;
}

export interface ErrorContext {
  command?: readonly string[] | undefined;
  /** The value that the service refused. */
  value?: string | undefined;
  /** Adds flags of the command line to the commands in a text. */
  complete?: (text: string) => string;
  colour?: boolean | undefined;
  /** The width of the terminal, if there is one. Command lines are not wrapped, so that they can be pasted. */
  width?: number | undefined;
  verbose?: boolean | undefined;
}

/**
 * Describes an error for people: what was wrong, suggestions, the corrected command line, how to recover, and what to quote in
 * a report.
 */
export function describeError(error: unknown, context: ErrorContext = {}): string {
  const problem = problemDocumentOf(error);
  const { colour = false, complete = (text) => text } = context;
  // The options are listed above, so the text only says how to get all of them.
  const recovery = problem.recovery?.includes("valid_options")
    ? complete(errorEntryOf(error).remedy)
    : problem.recovery;
  const sentence = (text: string) => wrap(visible(shortened(text)), context.width);
  const text = headline(error, problem, context.value);
  // Only usage errors have several lines. In any other text, line ends are escaped.
  const [first = "", ...details] = error instanceof UsageError ? text.split("\n") : [text];
  const lines = [
    sentence(`error: ${first}`).replace(/^error:/, (word) => style("bold", style("red", word, colour), colour)),
    ...details.map((line) => wrap(`  ${visible(line)}`, context.width, 2)),
    ...(problem.key_flaw === undefined ? [] : [sentence(`The key looks wrong: ${problem.key_flaw}.`)]),
    ...offer(problem.valid_options ?? [], error instanceof ApiError ? context.value : undefined).map(sentence),
    ...(context.command === undefined || context.command.some((word) => word.length > LONGEST_WORD)
      ? []
      : [`  ${style("bold", quoteCommand(context.command), colour)}`]),
    ...(recovery === undefined ? [] : [sentence(recovery)]),
    ...facts(error, problem).map((words) => style("dim", fill(words.map(visible), context.width), colour)),
    ...(context.verbose && problem.code === "unexpected" && error instanceof Error
      ? String(error.stack).split("\n").slice(1).map(visible)
      : []),
  ];
  return lines.join("\n");
}

/** Maximum characters of a word in a message; longer words were probably pasted by mistake. */
const LONGEST_WORD = 1_000;

function shortened(text: string): string {
  return text.replace(
    new RegExp(`(\\S{80})\\S{${LONGEST_WORD - 80},}`, "g"),
    (word: string, start: string) => `${start}… (${word.length} characters)`,
  );
}

export function errorAsJson(error: unknown, exitCode: number): string {
  return visibleJson({ ...problemDocumentOf(error), exit_code: exitCode });
}

/** The `detail` of a refused request, else the message, which also names the responder and the number of attempts. */
function headline(error: unknown, { title, code }: ProblemDocument, value: string | undefined): string {
  const refused = error instanceof ApiError && error.status === 400 ? error.problem.detail : undefined;
  const text = (refused ?? (error instanceof Error ? error.message : String(error))) || title;
  if (code === "unexpected") {
    return `unexpected failure: ${text}`;
  }
  return value === undefined || text.includes(value) || text.includes(quoted(value)) ? text : `"${value}": ${text}`;
}

/** A line that offers the options close to the refused value or, if none is close, some of the valid ones. */
function offer(options: readonly string[], refused: string | undefined): string[] {
  const near = refused === undefined ? options : closest(refused, options, options.length);
  const shown = near.length === 0 ? options : near;
  if (shown.length === 0) {
    return [];
  }
  const list = firstFew(shown, 10);
  return [near.length === 0 ? `Valid values include ${list}.` : `Did you mean ${list}?`];
}

/** Errors whose message does not say what to do. */
const TO_EXPLAIN = [ApiError, ContractError, MismatchError, NetworkError, SetChangedError] as const;

/** What to quote in a report, and the command that explains the error, as a line that may only be wrapped between its parts. */
function facts(error: unknown, { code, request_id }: ProblemDocument): string[][] {
  if (!TO_EXPLAIN.some((kind) => error instanceof kind)) {
    return [];
  }
  const request = request_id === undefined ? [] : [`request ${request_id}`];
  const isKnown = !(error instanceof ApiError) || isProblemCode(code) || code === HTTP_ERROR.code;
  const parts = [code, ...request, ...(isKnown ? [`catalog explain ${code}`] : [])];
  return [parts.map((part, index) => (index < parts.length - 1 ? `${part} ·` : part))];
}

function problemDocumentOf(error: unknown): ProblemDocument {
  if (error instanceof ApiError) {
    return documentOfResponse(error);
  }
  const { code, title, retryable, recovery } = errorEntryOf(error);
  const detail = error instanceof Error ? error.message : String(error);
  return {
    type: "about:blank",
    title,
    detail,
    code,
    retryable,
    ...(recovery !== undefined && { recovery }),
    ...(error instanceof ContractError && error.requestId !== undefined && { request_id: error.requestId }),
    ...(error instanceof UsageError && error.flag !== undefined && { field: error.flag }),
    ...((error instanceof UsageError || error instanceof FileError) &&
      error.suggestions.length > 0 && { valid_options: error.suggestions }),
  };
}

/** The problem document of the service; members that it lacks are filled in from the error catalogue. */
function documentOfResponse({ status, problem, message, keyFlaw }: ApiError): ProblemDocument {
  const { code = HTTP_ERROR.code } = problem;
  const known = isProblemCode(code) ? PROBLEMS[code] : undefined;
  return {
    type: "about:blank",
    title: known?.title ?? `HTTP ${status}`,
    detail: message,
    code,
    retryable: known?.retryable ?? isTemporary(status),
    ...(known !== undefined && { recovery: known.recovery }),
    ...problem,
    status,
    ...(keyFlaw !== undefined && { key_flaw: keyFlaw }),
  };
}
