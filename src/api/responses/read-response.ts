import { isUtf8 } from "node:buffer";
import { isVersion, VERSION_HEADER } from "../../contract/data-version.ts";
import type { Problem } from "../../contract/problems.ts";
import { ApiError, ContractError, NetworkError } from "../../errors.ts";
import { keyFlaw } from "../key.ts";
import type { Redact } from "../redaction.ts";
import type { HttpResponse } from "../requests/connections.ts";
import type { AttemptFailure } from "../requests/failure.ts";
import type { Body } from "./body.ts";
import { plainText } from "./plain-text.ts";
import { pageTitle, readErrorBody } from "./problem-body.ts";

/** Whose responses are read. */
export interface Origin {
  origin: string;
  /** Undefined for public resources. */
  apiKey: string | undefined;
  /** Removes the key from the texts of responses before they are cut. */
  redact: Redact;
}

/** Carries the request id, if the service gives one. */
export interface Identified {
  meta: { request_id: string } | undefined;
  /** Version of the data that the response is from, if the service names it. */
  version?: string;
}

/**
 * Parses a body. The reader owns the body afterwards and may change it.
 *
 * @throws SyntaxError if the body is not JSON in UTF-8, ContractError if it is not what was promised
 */
export type Reader<T extends Identified> = (body: Buffer) => T;

/** Whether the response is an error. The contract has no success but 200. */
export function isProblem({ status, header }: HttpResponse): boolean {
  const isSuccess = status >= 200 && status < 300;
  return !isSuccess || (status === 200 && header("content-type").toLowerCase().includes("problem+json"));
}

/**
 * Reads a success with `read`.
 *
 * @throws NetworkError if the body is damaged, ContractError if it breaks the contract, or what broke the connection.
 */
export function readSuccess<T extends Identified>(
  { status, header }: HttpResponse,
  { bytes, end, error }: Body,
  { origin, redact }: Origin,
  read: Reader<T>,
): T {
  if (status !== 200) {
    throw new ContractError(`${origin} answered ${status}; the contract has no success but 200.`);
  }
  if (end === "unread") {
    const encoding = JSON.stringify(header("content-encoding"));
    throw new ContractError(`${origin} sent a body with unknown Content-Encoding ${encoding}.`);
  }
  if (end === "capped") {
    throw new ContractError(
      `${origin} sent a body of more than ${mebibytes(bytes.length)}. That is the longest body that is accepted.`,
    );
  }
  if (header("content-type").toLowerCase().includes("html")) {
    const title = plainText(redact(pageTitle(bytes.toString("utf8")) ?? "untitled"), 80);
    throw new ContractError(
      `There is no catalog service at ${origin}; check the base URL. It answered with a web page (“${title}”), which may also be the login page of this network.`,
    );
  }
  if (end === "broken") {
    throw error;
  }
  try {
    const version = header(VERSION_HEADER);
    return Object.assign(read(bytes), isVersion(version) ? { version } : {});
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) {
      throw cause;
    }
    const what = isUtf8(bytes) ? "JSON" : "UTF-8";
    throw new NetworkError(`The response of ${origin} is damaged: it is not ${what}`, { cause });
  }
}

/**
 * Parses a body as JSON.
 *
 * @throws SyntaxError if it is not JSON in UTF-8
 */
export function parseBody(body: Buffer): unknown {
  if (!isUtf8(body)) {
    throw new SyntaxError("it is not UTF-8");
  }
  return JSON.parse(new TextDecoder().decode(body));
}

function mebibytes(bytes: number): string {
  return `${Number((bytes / 1024 / 1024).toPrecision(3))} MiB`;
}

/** Reads an error response, whatever its status and body are. */
export function readProblem(
  response: HttpResponse,
  body: Body,
  { origin, apiKey, redact }: Origin,
): AttemptFailure & { error: ApiError } {
  const { status, header } = response;
  const failure = (message: string, problem: Partial<Problem>) => {
    const isOfKey = apiKey !== undefined && (status === 401 || status === 431);
    const error = new ApiError(message, { status, problem, keyFlaw: isOfKey ? keyFlaw(apiKey) : undefined });
    return { error, retryAfter: header("retry-after"), rateLimitReset: header("ratelimit-reset") };
  };
  const redirect = status >= 300 && status < 400 ? header("location") : "";
  if (redirect !== "") {
    const advice = apiKey === undefined ? ": correct the address" : ", where the key must not go: correct the base URL";
    return failure(`${origin} redirects to ${originOf(redirect, origin)}${advice}`, {});
  }
  const { problem, text } = readErrorBody(response, body, redact);
  const answer = `answered ${status}${codeInBrackets(problem)}: ${text}`;
  // No operation answers `not_found`: its path is wrong, because the path of the base URL is.
  const place =
    problem.code === undefined ? origin : problem.code === "not_found" ? `this path of ${origin}` : undefined;
  const isElsewhere = status === 404 && place !== undefined;
  const message = isElsewhere
    ? `There is no catalog service at ${place}; check the base URL. It ${answer}`
    : `${origin} ${answer}`;
  return failure(message, problem);
}

function codeInBrackets({ code }: Partial<Problem>): string {
  return code === undefined ? "" : ` (${plainText(code, 60)})`;
}

/** Only scheme, host and port, because path and query may contain secrets. */
function originOf(location: string, base: string): string {
  return URL.canParse(location, base) ? new URL(location, base).origin : "an unreadable address";
}
