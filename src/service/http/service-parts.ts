import type { EndpointGroup } from "../../contract/limits.ts";
import type { WritableStore } from "../store/writable-store.ts";
import type { FixedWindow } from "./admission/rate-limit.ts";
import type { Measurements } from "./measurements.ts";
import type { AppSettings } from "./service-options.ts";

/** What the routes of a service share. */
export interface ServiceParts {
  store: WritableStore;
  settings: AppSettings;
  /** The requests that each team has left, by endpoint group (contract section 8). */
  budgets: Readonly<Record<EndpointGroup, FixedWindow>>;
  /** Failed authentications, by source address. */
  failedAttempts: FixedWindow;
  measurements: Measurements;
  /** Address of the service, without a final slash. */
  base: () => string;
  /** Address of the host of the error catalogue, to which the `type` of each problem links. */
  errorBase: () => string;
}
