import type { StatusFeed } from "../contract/status.ts";
import { parseBody } from "./answers/answer.ts";
import { readStatusFeed } from "./answers/status-answer.ts";
import { createRequester, type RequesterOptions } from "./requester.ts";

/** The status feed, contract section 4.5, and the document that it was read from. */
export interface StatusAnswer {
  feed: StatusFeed;
  document: unknown;
}

/**
 * Reads the status feed at `url`. The feed is public and may have another origin than the service, so no key is sent.
 *
 * @throws ApiError, NetworkError or ContractError, or the reason of the signal.
 */
export async function fetchStatus(url: URL, options: RequesterOptions): Promise<StatusAnswer> {
  const { get, close } = createRequester({ origin: url, apiKey: undefined }, options);
  try {
    const read = (body: Buffer) => {
      const document = parseBody(body);
      return { feed: readStatusFeed(document), document, meta: undefined };
    };
    return await get({ operation: "status", target: url.pathname + url.search, read });
  } finally {
    await close();
  }
}
