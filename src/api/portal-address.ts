import { parseBody } from "./answers/answer.ts";
import { createRequester, type RequesterOptions } from "./requester.ts";

/** Milliseconds that a person is kept waiting for a hint at most. */
const PATIENCE = 3_000;

/**
 * The address of the developer portal, where the service's OpenAPI description names one in `externalDocs`. A hint for
 * people: whatever goes wrong, there is none. No key is sent.
 *
 * @returns an http or https address; one of another origin only where it is https
 * @throws the reason of the signal
 */
export async function fetchPortalAddress(baseUrl: URL, options: RequesterOptions): Promise<string | undefined> {
  const requester = createRequester(
    { origin: baseUrl, apiKey: undefined },
    { ...options, requestTimeout: PATIENCE, retries: 0 },
  );
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
