/** Contract section 7, copied from the contract and not from the code: HTTP status, retryable, extension members. */
export const ERROR_CODES = {
  invalid_request: [400, false, "field valid_options"],
  unknown_retailer: [400, false, "field valid_options"],
  unknown_category: [400, false, "field valid_options"],
  unknown_department: [400, false, "field valid_options"],
  invalid_date_range: [400, false, "field"],
  invalid_cursor: [400, false, "field"],
  missing_credentials: [401, false, ""],
  invalid_credentials: [401, false, ""],
  insufficient_scope: [403, false, ""],
  not_found: [404, false, ""],
  rate_limited: [429, true, ""],
  internal_error: [500, true, ""],
  service_unavailable: [503, true, ""],
  upstream_timeout: [504, true, ""],
} as const;
