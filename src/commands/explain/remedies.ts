import type { ProblemCode } from "../../contract/problems.ts";

/** What to do with this tool about each code of the error catalogue. */
export const REMEDIES = {
  invalid_request:
    "The tool checks flags before it sends anything, so this one slipped through: the flag at fault is named in the error.",
  unknown_retailer:
    "Take one of the names in the error, or list them: `catalog coverage --group-by retailer`. Slugs are completed by the shell, see `catalog completion --help`.",
  unknown_category:
    "List what the retailer has: `catalog coverage --retailer SLUG --group-by category`. Without --retailer the category is searched everywhere.",
  unknown_department:
    "List what the retailer has: `catalog coverage --retailer SLUG --group-by department`. Without --retailer the department is searched everywhere.",
  invalid_date_range:
    "Dates are YYYY-MM-DD, today, yesterday, or 7d for seven days ago, in UTC; `--date DAY` sets both ends at once.",
  invalid_cursor:
    "`catalog export` walks the slice again from its first page by itself. It gives up where rows that cannot be taken back were written: export to a file with --output instead of a pipe.",
  missing_credentials: "Store a key with `catalog auth login`, or set CATALOG_API_KEY or CATALOG_API_KEY_FILE.",
  invalid_credentials:
    "See which key is used and where it comes from: `catalog auth status`. Replace it: `catalog auth login`. Do not try again with the same key: failed attempts are throttled.",
  insufficient_scope:
    "See what the key may do: `catalog auth status`. `catalog sample` needs catalog:sample, the rest catalog:read.",
  not_found:
    "Check the address: `catalog auth status` shows it. A service behind a path prefix needs it in --base-url, such as https://api.example.com/api; the tool adds /v1 itself.",
  rate_limited:
    "The tool paces itself and waits by itself. Others use up the same limit: leave them room with `catalog export --max-rate N`, or wait longer with --retries N.",
  internal_error:
    "The tool tried again by itself. Ask `catalog status` for an incident; report the request id where there is none.",
  service_unavailable:
    "The tool tried again by itself. Ask `catalog status` for an incident, and run the command again later.",
  upstream_timeout:
    "The tool tried again by itself. Narrow the filters (a retailer, fewer days), or ask for less at once: `catalog export --page-size 100 --concurrency 2`.",
} as const satisfies Record<ProblemCode, string>;
