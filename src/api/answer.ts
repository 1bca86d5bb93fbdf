import type { Problem } from "../contract/problems.ts";
import { ContractError } from "../errors.ts";
import { readBody, UnknownEncodingError } from "./body.ts";
import type { Outcome } from "./failure.ts";
import { networkFault } from "./network-fault.ts";
import { plainText } from "./plain-text.ts";
import { pageTitle, readErrorBody } from "./problem-body.ts";
import type { Answer } from "./transport.ts";

/** A page of 500 rows has about 0.3 MiB; beyond this it is no answer of the service. */
const BODY_CAP = 128 * 1024 * 1024;

/** What an answer held. */
export interface ReadAnswer<T> {
  outcome: Outcome<T>;
  /** Of the body, decompressed. */
  bytes: number;
  requestId: string | undefined;
}

/** Carries the request id, where the service gives one. */
export interface Identified {
  meta: { request_id: string } | undefined;
}

/** Reads what a caller wants from the parsed document and its text; throws a ContractError where it cannot. */
export type Reader<T extends Identified> = (document: unknown, text: string) => T;

/**
 * Reads a 200 of `origin` with `read`.
 *
 * @throws ContractError for an answer that is JSON but not the contract's, or that another attempt would not change.
 */
export async function readSuccess<T extends Identified>(
  answer: Answer,
  origin: string,
  read: Reader<T>,
): Promise<ReadAnswer<T>> {
  const { bytes, end, error } = await readBody(answer.body, answer.header("content-encoding"), BODY_CAP);
  const size = bytes.length;
  const contentType = answer.header("content-type").toLowerCase();
  if (error instanceof UnknownEncodingError) {
    throw new ContractError(`${origin} sent a body with ${error.message}.`);
  }
  if (end === "capped") {
    throw new ContractError(`${origin} sent a body of more than ${BODY_CAP / 1024 / 1024} MiB.`);
  }
  if (contentType.includes("html")) {
    const title = plainText(pageTitle(bytes.toString("utf8")) ?? "untitled", 80);
    throw new ContractError(
      `${origin} answered with a web page (“${title}”) instead of JSON: ` +
        "the base URL is wrong, or a login page of this network stands in between.",
    );
  }
  if (end === "broken") {
    return { outcome: { failure: networkFault(error, origin, true) }, bytes: size, requestId: undefined };
  }
  const parsed = parse(bytes);
  if ("cause" in parsed) {
    const message = `The answer of ${origin} is damaged: ${parsed.what}`;
    const failure = { kind: "broken", message, permanent: false, cause: parsed.cause } as const;
    return { outcome: { failure }, bytes: size, requestId: undefined };
  }
  const value = read(parsed.document, parsed.text);
  return { outcome: { value }, bytes: size, requestId: value.meta?.request_id };
}

type Parsed = { document: unknown; text: string } | { what: string; cause: unknown };

function parse(bytes: Buffer): Parsed {
  let what = "it is not UTF-8";
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    what = "it is not JSON";
    return { document: JSON.parse(text), text };
  } catch (cause) {
    return { what, cause };
  }
}

/** Reads an answer other than 200. */
export async function readRefusal(
  answer: Answer,
  origin: string,
  apiKey: string | undefined,
): Promise<ReadAnswer<never>> {
  const { status, header, body } = answer;
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
  const type = header("content-type").toLowerCase();
  const coding = header("content-encoding");
  const read = await readErrorBody(body, { status, contentType: type, contentEncoding: coding }, apiKey ?? "");
  const message = `${origin} answered ${status}${codeInBrackets(read.problem)}: ${read.text}`;
  return {
    outcome: { failure: { ...facts, message, problem: read.problem } },
    bytes: read.bytes,
    requestId: read.problem.request_id,
  };
}

function codeInBrackets({ code }: Partial<Problem>): string {
  return code === undefined ? "" : ` (${plainText(code, 60)})`;
}

/** Scheme, host and port alone: path and query may hold secrets. */
function originOf(location: string, base: string): string {
  return URL.canParse(location, base) ? new URL(location, base).origin : "an unreadable address";
}
