import { ApiError } from "../../contract/errors.ts";
import { isProblemCode, PROBLEMS, type Problem } from "../../contract/problems.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../contract/values/json-object.ts";
import { keyFlaw } from "../key.ts";
import type { Redact } from "../redaction.ts";
import type { HttpResponse } from "../requests/direct-connections.ts";
import { http } from "../requests/node-http.ts";
import type { Body } from "./body.ts";
import { plainText } from "./plain-text.ts";

/** Where responses come from. */
export interface Origin {
  origin: string;
  /** Of the base URL: `/api`. */
  path: string;
  /** Undefined for public resources. */
  apiKey: string | undefined;
  /** Where the key comes from, in words. */
  keySource: string | undefined;
  /** Removes the key from the texts of responses before they are cut. */
  redact: Redact;
}

/** A 200 is an error, too, if its body is a problem document. Other 2xx are left to the reader of the body. */
export function isProblem({ status, header }: HttpResponse): boolean {
  const isSuccess = status >= 200 && status < 300;
  return !isSuccess || (status === 200 && header("content-type").toLowerCase().includes("problem+json"));
}

/** Reads an error response, whatever its status and body are. */
export function readProblem(response: HttpResponse, body: Body, whose: Origin): ApiError {
  const { origin, apiKey, keySource, redact } = whose;
  const { status, header } = response;
  const failure = (message: string, problem: Partial<Problem>) => {
    const isOfKey = apiKey !== undefined && (status === 401 || status === 431);
    const flaw = isOfKey ? keyFlaw(apiKey) : undefined;
    const flawWithSource =
      flaw === undefined || keySource === undefined ? flaw : `${flaw} (it comes from ${keySource})`;
    return new ApiError(message, { status, problem, keyFlaw: flawWithSource });
  };
  const redirect = status >= 300 && status < 400 ? header("location") : "";
  if (redirect !== "") {
    const target = originOf(redirect, origin);
    const [where, why] = target === origin ? ["another of its paths", ""] : [target, ", where the key must not go"];
    const advice = apiKey === undefined ? ": correct the address" : `${why}: correct the base URL`;
    return failure(`${origin} redirects to ${where}${advice}`, {});
  }
  const { problem, text } = readErrorBody(response, body, redact);
  const answer = `${origin} answered ${status}${codeInBrackets(problem)}: ${text}`;
  const isNotFound = status === 404 && (problem.code === undefined || problem.code === "not_found");
  return failure(isNotFound ? `${notFound(problem, whose)} ${answer}` : answer, problem);
}

/** What a 404 may mean. The contract also answers `not_found` for what the team of the key cannot see. */
function notFound({ code }: Partial<Problem>, { origin, path, apiKey }: Origin): string {
  const hasVersion = /\/v1\/*$/.test(path);
  if (code === undefined || hasVersion) {
    const advice = hasVersion ? "leave /v1 out of the base URL; the tool adds it" : "check the base URL";
    return `There is no catalog service at ${origin}${path.replace(/\/+$/, "")}; ${advice}.`;
  }
  if (apiKey === undefined) {
    return `${origin} has nothing at this path; check the base URL.`;
  }
  return `${origin} has nothing at this path (check the base URL), or what the request names is not visible to the team of this key.`;
}

function codeInBrackets({ code }: Partial<Problem>): string {
  return code === undefined ? "" : ` (${plainText(code, 60)})`;
}

/** Only scheme, host and port, because path and query may contain secrets. */
function originOf(location: string, base: string): string {
  return URL.canParse(location, base) ? new URL(location, base).origin : "an unreadable address";
}

/**
 * Reads the body of an error response: a problem document, other JSON, a web page, text, or a body that is empty, cut,
 * binary or endless. Never throws.
 *
 * @returns the members that have the contract's names and types, and the message as one line that is safe for a terminal
 */
export function readErrorBody(
  { status, header }: HttpResponse,
  body: Body,
  redact: Redact,
): { problem: Partial<Problem>; text: string } {
  const text = body.bytes.toString("utf8");
  const document = parseJsonObject(text);
  const problem = redact(document === undefined ? {} : problemOf(document));
  const { detail, title } = problem;
  const said = detail ?? title ?? foreignErrorMessage(document, text, header("content-type").toLowerCase()) ?? "";
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
function foreignErrorMessage(document: JsonObject | undefined, text: string, contentType: string): string | undefined {
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
  // Neither part goes beyond the next tag: with many tags that never end, the search would take quadratic time.
  const [, title] = /<title[^<>]*>([^<]*)<\/title/i.exec(html) ?? [];
  return title?.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi, characterOf);
}

const NAMED_CHARACTERS: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

/** The character of a reference in HTML. */
function characterOf(reference: string, decimal?: string, hex?: string, name = ""): string {
  const code = decimal === undefined ? Number(`0x${hex ?? "0"}`) : Number(decimal);
  const isCharacter = code > 0 && code <= 0x10ffff;
  return isCharacter ? String.fromCodePoint(code) : (NAMED_CHARACTERS[name.toLowerCase()] ?? reference);
}

function describeSilence(status: number, { code }: Partial<Problem>, { bytes, end }: Body): string {
  const reason = http.STATUS_CODES[status] ?? "unknown status";
  if (code !== undefined) {
    return isProblemCode(code) ? PROBLEMS[code].title : reason;
  }
  if (end === "broken" || end === "capped") {
    return `${reason} (body cut, damaged or too long)`;
  }
  // Here the encoding of an unread body is unknown.
  return end === "complete" && bytes.length === 0 ? `${reason} (empty body)` : `${reason} (unreadable body)`;
}
