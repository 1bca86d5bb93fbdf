import { ContractError } from "../contract/errors.ts";
import { FILTER_NAMES, type Filters } from "../contract/filters.ts";
import { LIMITS } from "../contract/limits.ts";
import { OPERATIONS, type OperationName } from "../contract/operations.ts";
import { createRedact } from "./redaction.ts";
import { createRequester, type RequesterOptions } from "./requester.ts";
import { type CoverageResponse, readCoverage } from "./responses/coverage-response.ts";
import { parseBody } from "./responses/read-response.ts";
import { type CatalogPage, readCatalogPage, readSample, type SampleResponse } from "./responses/rows-response.ts";

export interface ClientOptions extends RequesterOptions {
  /** Its path (`https://example.com/api`) is kept as a prefix. */
  baseUrl: URL;
  /** Trimmed. */
  apiKey: string;
  /** Where the key comes from, in words, for the error if the service refuses it. */
  keySource?: string | undefined;
}

/** What a request of the catalog operation asks for beyond the filters, contract section 4.3. */
export interface PageRequest {
  /** Maximum rows of the page, 1 to 500; the default of the service is 100. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page, exactly as received. */
  cursor?: string | undefined;
  /** Version of the data of a first page, if the service has it; default: the newest. */
  version?: string | undefined;
}

/**
 * The three operations of contract section 4. Every method retries and paces as the contract requires. It throws
 * ApiError, NetworkError, ContractError, or the reason of its own signal or of the client's signal.
 */
export interface CatalogClient {
  sample(filters: Filters, signal?: AbortSignal): Promise<SampleResponse>;
  /** @param version of the data to answer from, if the service has it; default: the newest. `CoverageResponse` names it. */
  coverage(filters: Filters, signal?: AbortSignal, version?: string): Promise<CoverageResponse>;
  /** One page. The filters must be those of the cursor's walk; the service does not check this. */
  catalog(filters: Filters, page?: PageRequest, signal?: AbortSignal): Promise<CatalogPage>;
  /** Aborts open requests and closes all connections. */
  close(): Promise<void>;
}

/** @throws UsageError for a variable that is not the address of a proxy */
export function createClient({ baseUrl, apiKey, keySource, ...options }: ClientOptions): CatalogClient {
  const { get, close } = createRequester(baseUrl, { apiKey, keySource }, options);
  const redact = createRedact(apiKey);
  /** Refuses a response that contains the API key, because rows and cursors are stored and logged unchanged. */
  const assertWithoutKey = <T extends SampleResponse | CatalogPage>(response: T): T => {
    const { rows, pagination } = response;
    const { next_cursor } = pagination;
    // Short keys are not redacted: they could be in any text.
    const isSecret = redact(apiKey) !== apiKey;
    const bytes = rows.length === 0 ? "" : rows.bytes.subarray(rows.start(0), rows.end(rows.length - 1));
    assertNoKey(isSecret && bytes.includes(apiKey), "`data`");
    assertNoKey(next_cursor !== redact(next_cursor), "`pagination.next_cursor`");
    return response;
  };
  return {
    sample: async (filters, signal) => {
      const target = requestTarget(baseUrl, "sample", filters);
      const read = (body: Buffer) => assertWithoutKey(readSample(body, filters));
      return await get({ operation: "sample", target, rows: LIMITS.sampleRows, read, signal });
    },
    coverage: async (filters, signal, version) => {
      const target = requestTarget(baseUrl, "coverage", filters);
      const read = (body: Buffer) => {
        const coverage = readCoverage(parseBody(body), filters);
        const hasKey = coverage.data.some(({ rcd }) => rcd !== redact(rcd));
        assertNoKey(hasKey, "`data`");
        return coverage;
      };
      return await get({ operation: "coverage", target, read, signal, version });
    },
    catalog: async (filters, page = {}, signal) => {
      const { limit: rows = LIMITS.pageSize.default, version } = page;
      const target = requestTarget(baseUrl, "catalog", filters, page);
      const read = (body: Buffer) => assertWithoutKey(readCatalogPage(body, filters, rows));
      return await get({ operation: "catalog", target, rows, read, signal, version });
    },
    close,
  };
}

/** @throws ContractError if the key is there */
function assertNoKey(isThere: boolean, place: string): void {
  if (isThere) {
    throw new ContractError(`The service's response contains the API key in ${place}.`);
  }
}

/** Path and query of a request below `baseUrl`, whose own path (`/api`) is kept in front. */
export function requestTarget(
  baseUrl: URL,
  operation: OperationName,
  filters: Filters,
  page: PageRequest = {},
): string {
  const parameters = [
    ...FILTER_NAMES.map((name) => [name, filters[name]] as const),
    ["limit", page.limit?.toString()] as const,
    ["cursor", page.cursor] as const,
  ];
  const query = parameters
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeQueryValue(value)}`]))
    .join("&");
  const path = baseUrl.pathname.replace(/\/+$/, "") + OPERATIONS[operation].path;
  return query === "" ? path : `${path}?${query}`;
}

/** Colons and commas need no escape in a query (RFC 3986 section 3.4); this keeps lists of triples short. */
function encodeQueryValue(value: string): string {
  return encodeURIComponent(value).replaceAll("%3A", ":").replaceAll("%2C", ",");
}
