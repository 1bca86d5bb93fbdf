/** The published limits, contract section 8. */
export const LIMITS = {
  /** Rows in a sample, fixed. */
  sampleRows: 100,
  pageSize: { minimum: 1, default: 100, maximum: 500 },
  /** Requests per window, counted per team; catalog and coverage share one bucket. */
  requestsPerWindow: { catalog: 120, sample: 30 },
  windowSeconds: 60,
} as const;

/** Length in characters of an API key, contract section 5 rule 2. */
export const API_KEY_LENGTH = 43;

/** An endpoint group shares one rate-limit bucket per team, contract section 8. */
export type EndpointGroup = keyof typeof LIMITS.requestsPerWindow;
