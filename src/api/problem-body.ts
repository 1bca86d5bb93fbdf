import { STATUS_CODES } from "node:http";
import type { Readable } from "node:stream";
import type { Problem } from "../contract/problems.ts";
import { type Body, readBody } from "./body.ts";
import { plainText, redact } from "./plain-text.ts";
import { type Fields, isFields } from "./shape.ts";

/** What is read of an error body; a problem document has about 1 KiB. */
const ERROR_BODY_CAP = 64 * 1024;

export interface ErrorBody {
  /** The members of the body that have the contract's names and types. */
  problem: Partial<Problem>;
  /** What the body says, one line, fit for a terminal. */
  text: string;
  bytes: number;
}

/**
 * Reads the body of an error answer, whatever it is: a problem document, other JSON, a web page, text,
 * nothing, cut, binary or endless. `secret` is taken out of everything. Never rejects.
 */
export async function readErrorBody(
  stream: Readable,
  answer: { status: number; contentType: string; contentEncoding: string },
  secret: string,
): Promise<ErrorBody> {
  const body = await readBody(stream, answer.contentEncoding, ERROR_BODY_CAP);
  const text = body.bytes.toString("utf8");
  const document = parseObject(text);
  const problem = document === undefined ? {} : problemOf(document, secret);
  const said = problem.detail ?? problem.title ?? saidElsewhere(document, text, answer.contentType) ?? "";
  const line = plainText(redact(said, secret)) || describeSilence(answer.status, body);
  return { problem, text: line, bytes: body.bytes.length };
}

/** Members with another type than the contract's are dropped, the others kept. */
function problemOf(document: Fields, secret: string): Partial<Problem> {
  const problem: Partial<Problem> = {};
  for (const name of ["type", "title", "detail", "code", "recovery", "request_id", "field"] as const) {
    const value = document[name];
    if (typeof value === "string") {
      problem[name] = redact(value, secret);
    }
  }
  if (Number.isInteger(document.status)) {
    problem.status = document.status as number;
  }
  if (typeof document.retryable === "boolean") {
    problem.retryable = document.retryable;
  }
  const options = document.valid_options;
  if (Array.isArray(options)) {
    problem.valid_options = options
      .filter((option): option is string => typeof option === "string")
      .map((option) => redact(option, secret));
  }
  return problem;
}

/** Where gateways and other services write what went wrong. */
function saidElsewhere(document: Fields | undefined, text: string, contentType: string): string | undefined {
  if (document !== undefined) {
    const { message, error } = document;
    const nested = isFields(error) ? error.message : error;
    return [message, nested].find((value) => typeof value === "string");
  }
  if (contentType.includes("html") || /^\s*</.test(text)) {
    return pageTitle(text);
  }
  return contentType.startsWith("text/") ? text : undefined;
}

/** The title of a web page, the one part of it worth a line; undefined without one. */
export function pageTitle(html: string): string | undefined {
  return /<title[^>]*>([^<]*)<\/title/i.exec(html)?.[1];
}

function describeSilence(status: number, { bytes, end }: Body): string {
  const reason = STATUS_CODES[status] ?? "unknown status";
  if (bytes.length === 0) {
    return `${reason} (empty body)`;
  }
  return end === "complete" ? `${reason} (unreadable body)` : `${reason} (body cut or too long)`;
}

function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
