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
 * Reads the status feed. The contract shows a state "no data" (section 3.2) but does not give its name in JSON. So
 * `no_data`, `no-data`, `no data` and `nodata` in any letter case mean this state, and null too. For a day, every unknown
 * name means it as well. Members that the contract does not name are left out.
 *
 * @throws ContractError if the document is not what contract section 4.5 promises.
 */
function readStatusFeed(document: unknown): StatusFeed {
  const named = withState(document, stateName);
  const suites = mapped(named, "suites", (suite) =>
    mapped(
      mapped(withState(suite, stateName), "endpoints", (endpoint) => withState(endpoint, stateName)),
      "days",
      (day) => withState(day, dayState),
    ),
  );
  const feed = readShape<StatusFeed>(statusFeedSchema, suites, undefined);
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

function stateName(state: unknown): unknown {
  return state === null || (typeof state === "string" && /^no[ _-]?data$/i.test(state)) ? "no_data" : state;
}

function dayState(state: unknown): unknown {
  return typeof state !== "string" || SERVICE_STATES.some((known) => known === state) ? stateName(state) : "no_data";
}

/** Replaces the spelling of the item's state. An item without a state stays unchanged; the schema check refuses it. */
function withState(item: unknown, name: (state: unknown) => unknown): unknown {
  if (!isJsonObject(item) || item.state === undefined) {
    return item;
  }
  const state = name(item.state);
  const isUnmeasured = state === "no_data" && typeof item.uptime_pct !== "number";
  return { ...item, state, ...(isUnmeasured ? { uptime_pct: null } : {}) };
}

function mapped(item: unknown, member: string, change: (value: unknown) => unknown): unknown {
  const list = isJsonObject(item) ? item[member] : undefined;
  return isJsonObject(item) && Array.isArray(list) ? { ...item, [member]: list.map(change) } : item;
}
