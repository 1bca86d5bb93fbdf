import { createRequester, type RequesterOptions } from "./requester.ts";
import { parseBody } from "./responses/read-response.ts";

/** Milliseconds that a person waits for a hint at most. */
const HINT_TIMEOUT = 3_000;

/**
 * The address of the developer portal, from `externalDocs` of the service's OpenAPI description. It is only a hint:
 * after any error of a request the result is undefined. No key is sent.
 *
 * @returns an http or https address; one of another origin only if it is https
 * @throws UsageError for a proxy variable that is not a URL, or the reason of the signal
 */
export async function fetchPortalAddress(baseUrl: URL, options: RequesterOptions): Promise<string | undefined> {
  const requester = createRequester(baseUrl, {}, { ...options, requestTimeout: HINT_TIMEOUT, retries: 0 });
  const target = `${baseUrl.pathname.replace(/\/+$/, "")}/openapi.json`;
  const read = (body: Buffer) => ({ address: addressIn(parseBody(body), baseUrl), meta: undefined });
  try {
    return (await requester.get({ operation: "status", target, read })).address;
  } catch {
    options.signal?.throwIfAborted();
    return undefined;
  } finally {
    await requester.close();
  }
}

function addressIn(document: unknown, baseUrl: URL): string | undefined {
  const address = (document as { externalDocs?: { url?: unknown } } | null)?.externalDocs?.url;
  if (typeof address !== "string" || !URL.canParse(address)) {
    return undefined;
  }
  const url = new URL(address);
  return url.protocol === "https:" || url.origin === baseUrl.origin ? url.href : undefined;
}
