import type { GlobalOptions } from "../../cli/flags/global.ts";

/** What `catalog auth login` stores. */
export interface LoginOptions {
  globals: GlobalOptions;
  /** A command to store instead of a key; undefined to store a key. */
  apiKeyCommand: string | undefined;
  /** Whether the service is asked if it accepts the key. */
  check: boolean;
}

/** How `catalog auth status` shows the key in use. */
export interface AuthStatusOptions {
  globals: GlobalOptions;
  format: "text" | "json";
}

/** Which profile `catalog auth logout` takes the key out of. */
export interface LogoutOptions {
  globals: GlobalOptions;
}
