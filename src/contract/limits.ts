/** The published limits, contract section 8. */
export const LIMITS = {
  /** Rows in a sample, fixed. */
  sampleRows: 100,
  pageSize: { minimum: 1, default: 100, maximum: 500 },
  /** Requests per window, counted per team; catalog and coverage share one bucket. */
  requestsPerWindow: { catalog: 120, sample: 30 },
  windowSeconds: 60,
} as const;

/**
 * Maximum sizes of rows. The contract states none, but service and client must agree: our service loads no larger row, and
 * our client reads every row up to these sizes.
 */
export const ROW_BOUNDS = {
  /** Characters of a number in JSON. Bounds the time to process it; far more than any price has. */
  numberCharacters: 1_000,
  /** UTF-8 bytes of a slug. The three slugs of a combination, percent-encoded, fit into the `rcd` of one request. */
  slugBytes: 200,
  /** UTF-8 bytes of the JSON text of a row. */
  rowBytes: 32_000,
  /** UTF-8 bytes of a response with a full page, including its envelope. */
  pageBytes: 16 * 1024 * 1024,
} as const;

/** Length in characters of an API key, contract section 5 rule 2. */
export const API_KEY_LENGTH = 43;

/** An endpoint group shares one rate-limit bucket per team, contract section 8. */
export type EndpointGroup = keyof typeof LIMITS.requestsPerWindow;
