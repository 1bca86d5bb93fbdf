import { FILTER_NAMES, type Filters } from "../../contract/filters.ts";
import { OPERATIONS, type OperationName } from "../../contract/operations.ts";

/** The query of the catalog operation beyond the filters, contract section 4.3. */
export interface PageRequest {
  /** Rows in the page at most, 1 to 500; the service's default is 100. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page, exactly as received. */
  cursor?: string | undefined;
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
