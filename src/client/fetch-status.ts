import { SERVICE_STATES, type StatusFeed, statusFeedSchema } from "../contract/status.ts";
import { isJsonObject } from "../contract/values/json-object.ts";
import { createRequester, type RequesterOptions } from "./requester.ts";
import { parseBody } from "./responses/read-response.ts";
import { brokenContract, readShape } from "./responses/shape.ts";

/** The status feed, contract section 4.5, and the document that it was read from. */
export interface StatusResponse {
  feed: StatusFeed;
  document: unknown;
}

/**
 * Reads the status feed at `url`. The feed is public and may have another origin than the service, so no key is sent.
 *
 * @throws ApiError, NetworkError or ContractError, or the reason of the signal.
 */
export async function fetchStatus(url: URL, options: RequesterOptions): Promise<StatusResponse> {
  const { get, close } = createRequester(url, {}, options);
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

/**
 * Reads the status feed. Members that the contract does not name are left out.
 *
 * @throws ContractError if the document is not what contract section 4.5 promises.
 */
function readStatusFeed(document: unknown): StatusFeed {
  const named = JSON.parse(JSON.stringify(document), withNoData);
  const feed = readShape<StatusFeed>(statusFeedSchema, named, undefined);
  for (const [index, { days }] of feed.suites.entries()) {
    const unmeasured = days.findIndex(({ state, uptime_pct }) => state !== "no_data" && uptime_pct === null);
    if (unmeasured >= 0) {
      throw brokenContract(
        `\`suites[${index}].days[${unmeasured}].uptime_pct\` is not a number from 0 to 100`,
        undefined,
      );
    }
  }
  return feed;
}

/**
 * Gives the state "no data" one name, because the contract (section 3.2) does not say how it is spelt in JSON: `no_data`,
 * `no-data`, `no data` and `nodata` in any letter case, and null. A day whose state is an unknown name has no data either.
 */
function withNoData(_: string, value: unknown): unknown {
  if (!isJsonObject(value) || value.state === undefined) {
    return value;
  }
  const { state, date, uptime_pct } = value;
  const isUnknownName = typeof state === "string" && !SERVICE_STATES.some((known) => known === state);
  const isNoData = state === null || /^no[ _-]?data$/i.test(String(state)) || (date !== undefined && isUnknownName);
  return isNoData
    ? { ...value, state: "no_data", uptime_pct: typeof uptime_pct === "number" ? uptime_pct : null }
    : value;
}
