import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { ACCEPTED_ENCODINGS } from "./body.ts";
import { untilAborted } from "./deadline.ts";

/** An answer whose headers are in. The body must be read or destroyed. */
export interface Answer {
  status: number;
  /** One header's value, "" where it is absent, joined with commas where it is repeated (RFC 9110 section 5.3). */
  header: (name: string) => string;
  body: Readable;
}

export interface Sender {
  dispatcher: Dispatcher;
  origin: string;
  /** Undefined for what anybody may read. */
  apiKey: string | undefined;
  userAgent: string;
}

/** Sends one GET to the origin, which is the only one that the key is for; a redirect is an answer like any other. */
export async function send(
  { dispatcher, origin, apiKey, userAgent }: Sender,
  target: string,
  signal: AbortSignal,
): Promise<Answer> {
  const answering = dispatcher.request({
    origin,
    path: target,
    method: "GET",
    signal,
    headers: {
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      accept: "application/json, application/problem+json",
      "accept-encoding": ACCEPTED_ENCODINGS,
      "user-agent": userAgent,
    },
  });
  // undici sees an abort only once a connection stands. An answer that comes after it nobody reads.
  answering.then(
    ({ body }) => signal.aborted && body.on("error", () => {}).destroy(),
    () => {},
  );
  const { statusCode, headers, body } = await untilAborted(answering, signal);
  return { status: statusCode, header: (name) => [headers[name] ?? ""].flat().join(", "), body };
}
