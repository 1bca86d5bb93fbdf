/** Flags of the `catalog service` commands, as typed. */
export interface ServiceFlags {
  database?: string;
}

export interface StartFlags extends ServiceFlags {
  host?: string;
  port?: string;
  rateLimit?: string;
  sampleRateLimit?: string;
  window?: string;
  cursorTtl?: string;
  queryTimeout?: string;
  errorBase?: string;
  publicUrl?: string;
  trustProxy?: string;
  smtpUrl?: string;
  mailFrom?: string;
}

export type LoadFlags = ServiceFlags;

export interface KeyFlags extends ServiceFlags {
  output?: string;
  team?: string;
  scope?: string[];
  retailer?: string[];
  format?: "table" | "json";
}

export interface TeamFlags extends ServiceFlags {
  scope?: string[];
  retailer?: string[];
  allRetailers?: boolean;
  format?: "table" | "json";
}

export interface IncidentFlags extends ServiceFlags {
  severity?: string;
  suite?: string;
  body?: string;
  state?: string;
  format?: "table" | "json";
}
