import type { Measurements } from "../../http/measurements.ts";
import type { AppSettings, PortalAccess } from "../../http/service-options.ts";
import type { EmbeddedStore } from "../../store/embedded.ts";

/** What the pages for signed-in people need. */
export interface ConsoleParts {
  store: EmbeddedStore;
  settings: AppSettings;
  access: PortalAccess;
  /** Address of the service, without a final slash. */
  base: () => string;
  measurements: Measurements;
}
