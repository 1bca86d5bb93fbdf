import { isUtf8 } from "node:buffer";
import type { Problem } from "../../contract/problems.ts";
import { ContractError } from "../../errors.ts";
import type { Redact } from "../redaction.ts";
import type { HttpResponse } from "../requests/connections.ts";
import type { BrokenFailure, Outcome } from "../requests/failure.ts";
import { networkFailure } from "../requests/network-failure.ts";
import { readBody } from "./body.ts";
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

/** The content of a response. */
export interface ReadResponse<T> {
  outcome: Outcome<T>;
  /** Of the body, decompressed. */
  bytes: number;
  requestId: string | undefined;
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

/**
 * Reads a 200 with `read`.
 *
 * @param maxBody maximum of bytes of the body, decompressed
 * @throws ContractError if the response is JSON but breaks the contract, or if a retry would not help.
 */
export async function readSuccess<T extends Identified>(
  { body, header }: HttpResponse,
  { origin, redact }: Origin,
  maxBody: number,
  read: Reader<T>,
): Promise<ReadResponse<T>> {
  const encoding = header("content-encoding");
  const { bytes, end, error } = await readBody(body, encoding, maxBody);
  const failed = (failure: BrokenFailure) => ({ outcome: { failure }, bytes: bytes.length, requestId: undefined });
  if (end === "undecodable") {
    throw new ContractError(`${origin} sent a body with unknown Content-Encoding ${JSON.stringify(encoding)}.`);
  }
  if (end === "capped") {
    throw new ContractError(
      `${origin} sent a body of more than ${mebibytes(maxBody)}. That is the longest body that is accepted.`,
    );
  }
  if (header("content-type").toLowerCase().includes("html")) {
    const title = plainText(redact(pageTitle(bytes.toString("utf8")) ?? "untitled"), 80);
    throw new ContractError(
      `There is no catalog service at ${origin}; check the base URL. It answered with a web page (“${title}”), which may also be the login page of this network.`,
    );
  }
  if (end === "broken") {
    return failed(networkFailure(error, origin, true));
  }
  try {
    const value = read(bytes);
    return { outcome: { value }, bytes: bytes.length, requestId: value.meta?.request_id };
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) {
      throw cause;
    }
    const what = isUtf8(bytes) ? "JSON" : "UTF-8";
    const message = `The response of ${origin} is damaged: it is not ${what}`;
    return failed({ kind: "broken", message, permanent: false, cause });
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

/** Reads a problem document, whatever its status is. */
export async function readProblem(
  response: HttpResponse,
  { origin, apiKey, redact }: Origin,
  maxBody: number,
): Promise<ReadResponse<never>> {
  const { status, header, body } = response;
  const facts = {
    kind: "refused",
    status,
    retryAfter: header("retry-after") || undefined,
    rateLimitReset: header("ratelimit-reset") || undefined,
  } as const;
  const redirect = status >= 300 && status < 400 ? header("location") : "";
  if (redirect !== "") {
    body.on("error", () => {}).destroy();
    const advice = apiKey === undefined ? ": correct the address" : ", where the key must not go: correct the base URL";
    const message = `${origin} redirects to ${originOf(redirect, origin)}${advice}`;
    return { outcome: { failure: { ...facts, message, problem: {} } }, bytes: 0, requestId: undefined };
  }
  const read = await readErrorBody(response, maxBody, redact);
  const { problem, text } = read;
  const answer = `answered ${status}${codeInBrackets(problem)}: ${text}`;
  // No operation answers `not_found`: its path is wrong, because the path of the base URL is.
  const place =
    problem.code === undefined ? origin : problem.code === "not_found" ? `this path of ${origin}` : undefined;
  const message =
    status === 404 && place !== undefined
      ? `There is no catalog service at ${place}; check the base URL. It ${answer}`
      : `${origin} ${answer}`;
  return {
    outcome: { failure: { ...facts, message, problem: read.problem } },
    bytes: read.bytes,
    requestId: read.problem.request_id,
  };
}

function codeInBrackets({ code }: Partial<Problem>): string {
  return code === undefined ? "" : ` (${plainText(code, 60)})`;
}

/** Only scheme, host and port, because path and query may contain secrets. */
function originOf(location: string, base: string): string {
  return URL.canParse(location, base) ? new URL(location, base).origin : "an unreadable address";
}
