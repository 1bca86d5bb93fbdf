import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { ACCEPTED_ENCODINGS } from "../answers/body.ts";
import type { Redact } from "../redaction.ts";
import { untilAborted } from "./deadline.ts";

/** An answer whose headers have arrived. The body must be read or destroyed. */
export interface Answer {
  status: number;
  /** One header's value, "" if it is absent, joined with commas if it is repeated (RFC 9110 section 5.3). */
  header: (name: string) => string;
  body: Readable;
}

export interface Sender {
  dispatcher: Dispatcher;
  origin: string;
  /** Undefined for public resources. */
  apiKey: string | undefined;
  userAgent: string;
  /** Removes the key from the headers and texts of answers. */
  redact: Redact;
}

/** Sends one GET to the origin. Redirects are not followed, because the key is only for this origin. */
export async function send(
  { dispatcher, origin, apiKey, userAgent, redact }: Sender,
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
  // undici notices an abort only once it is connected. Late responses are discarded.
  answering.then(
    ({ body }) => signal.aborted && body.on("error", () => {}).destroy(),
    () => {},
  );
  const { statusCode, headers, body } = await untilAborted(answering, signal);
  return { status: statusCode, header: (name) => redact([headers[name] ?? ""].flat().join(", ")), body };
}
