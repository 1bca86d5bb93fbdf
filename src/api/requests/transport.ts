import { ACCEPTED_ENCODINGS } from "../answers/body.ts";
import type { Redact } from "../redaction.ts";
import type { Connections, RawAnswer } from "./connections.ts";
import { untilAborted } from "./deadline.ts";

/** An answer whose headers have arrived. The body must be read or destroyed. */
export interface Answer extends Pick<RawAnswer, "status" | "body"> {
  /** One header's value, "" if it is absent, joined with commas if it is repeated (RFC 9110 section 5.3). */
  header: (name: string) => string;
}

export interface Sender {
  connections: Connections;
  origin: string;
  /** Undefined for public resources. */
  apiKey: string | undefined;
  userAgent: string;
  /** Removes the key from the headers and texts of answers. */
  redact: Redact;
}

/** Sends one GET to the origin. Redirects are not followed, because the key is only for this origin. */
export async function send(
  { connections, apiKey, userAgent, redact }: Sender,
  target: string,
  signal: AbortSignal,
): Promise<Answer> {
  const sent = {
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    accept: "application/json, application/problem+json",
    "accept-encoding": ACCEPTED_ENCODINGS,
    "user-agent": userAgent,
  };
  const { status, headers, body } = await untilAborted(connections.get(target, sent, signal), signal);
  return { status, body, header: (name) => redact([headers[name] ?? ""].flat().join(", ")) };
}
