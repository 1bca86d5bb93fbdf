import { isUtf8 } from "node:buffer";
import { isVersion, VERSION_HEADER } from "../../contract/data-version.ts";
import { ContractError, NetworkError } from "../../contract/errors.ts";
import type { HttpResponse } from "../requests/direct-connections.ts";
import type { Body } from "./body.ts";
import { plainText } from "./plain-text.ts";
import { type Origin, pageTitle } from "./problem-body.ts";

/** A response with its request id, if the service gives one. */
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
    throw new ContractError(`${origin} answered ${status}, but the contract knows no success other than 200.`);
  }
  if (end === "unread") {
    const encoding = JSON.stringify(header("content-encoding"));
    throw new ContractError(`${origin} sent a body with unknown Content-Encoding ${encoding}.`);
  }
  if (end === "capped") {
    throw new ContractError(
      `${origin} sent a body of more than ${mebibytes(bytes.length)}, the longest that is accepted; --max-body allows a longer one.`,
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
