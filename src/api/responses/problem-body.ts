import { STATUS_CODES } from "node:http";
import { isProblemCode, PROBLEMS, type Problem } from "../../contract/problems.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../contract/values/json-object.ts";
import type { Redact } from "../redaction.ts";
import type { HttpResponse } from "../requests/connections.ts";
import type { Body } from "./body.ts";
import { plainText } from "./plain-text.ts";

export interface ErrorBody {
  /** The members of the body that have the contract's names and types. */
  problem: Partial<Problem>;
  /** The message of the body, as one line that is safe for a terminal. */
  text: string;
}

/**
 * Reads the body of an error response: a problem document, other JSON, a web page, text, or a body that is empty, cut,
 * binary or endless. Never throws.
 */
export function readErrorBody({ status, header }: HttpResponse, body: Body, redact: Redact): ErrorBody {
  const text = body.bytes.toString("utf8");
  const document = parseJsonObject(text);
  const problem = redact(document === undefined ? {} : problemOf(document));
  const { detail, title } = problem;
  const said = detail ?? title ?? saidElsewhere(document, text, header("content-type").toLowerCase()) ?? "";
  // Redact before cutting: half a key would not be found.
  const line = plainText(redact(said)) || describeSilence(status, problem, body);
  return { problem, text: line };
}

const isText = (value: unknown) => typeof value === "string";

/** Checks of the members' types, without `valid_options`. */
const MEMBERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: isText,
  title: isText,
  detail: isText,
  code: isText,
  recovery: isText,
  request_id: isText,
  field: isText,
  status: Number.isInteger,
  retryable: (value) => typeof value === "boolean",
};

/** Drops members whose type is not the contract's. */
function problemOf(document: JsonObject): Partial<Problem> {
  const valid = Object.entries(MEMBERS).filter(([name, isValid]) => isValid(document[name]));
  const options = document.valid_options;
  return {
    ...Object.fromEntries(valid.map(([name]) => [name, document[name]])),
    ...(Array.isArray(options) && { valid_options: options.filter(isText) }),
  };
}

/** Finds the message in responses of gateways and other services. */
function saidElsewhere(document: JsonObject | undefined, text: string, contentType: string): string | undefined {
  if (document !== undefined) {
    const { message, error } = document;
    const nested = isJsonObject(error) ? error.message : error;
    return [message, nested].find((value) => typeof value === "string");
  }
  if (contentType.includes("html") || /^\s*</.test(text)) {
    return pageTitle(text);
  }
  return contentType.startsWith("text/") ? text : undefined;
}

/** The title of a web page; undefined if it has none. */
export function pageTitle(html: string): string | undefined {
  return /<title[^>]*>([^<]*)<\/title/i.exec(html)?.[1];
}

function describeSilence(status: number, { code }: Partial<Problem>, { bytes, end }: Body): string {
  const reason = STATUS_CODES[status] ?? "unknown status";
  if (code !== undefined) {
    return isProblemCode(code) ? PROBLEMS[code].title : reason;
  }
  if (bytes.length === 0) {
    return `${reason} (empty body)`;
  }
  return end === "complete" ? `${reason} (unreadable body)` : `${reason} (body cut or too long)`;
}
