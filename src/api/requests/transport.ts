import type { Redact } from "../redaction.ts";
import { ACCEPTED_ENCODINGS } from "../responses/body.ts";
import type { Connections, RawResponse } from "./connections.ts";
import { untilAborted } from "./request-deadline.ts";

/** A response whose headers have arrived. The body must be read or destroyed. */
export interface HttpResponse extends Pick<RawResponse, "status" | "body"> {
  /** One header's value, "" if it is absent, joined with commas if it is repeated (RFC 9110 section 5.3). */
  header: (name: string) => string;
}

export interface Sender {
  connections: Connections;
  origin: string;
  /** Undefined for public resources. */
  apiKey: string | undefined;
  userAgent: string;
  /** Removes the key from the texts of responses before they are cut. */
  redact: Redact;
}

/** Sends one GET to the origin. Redirects are not followed, because the key is only for this origin. */
export async function send(
  { connections, apiKey, userAgent }: Sender,
  target: string,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const sent = {
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    accept: "application/json, application/problem+json",
    "accept-encoding": ACCEPTED_ENCODINGS,
    "user-agent": userAgent,
  };
  const { status, headers, body } = await untilAborted(connections.get(target, sent, signal), signal);
  return { status, body, header: (name) => [headers[name] ?? ""].flat().join(", ") };
}
