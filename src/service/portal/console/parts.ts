import type { EmbeddedStore } from "../../store/embedded.ts";
import type { MeasuredPart } from "../../store/store.ts";

/** Sends the one-time code of a sign-in to an address. */
export type SendCode = (email: string, code: string) => Promise<void>;

/** How people sign in. */
export interface PortalAccess {
  sendCode: SendCode;
  /** Whether the service prints the codes instead of mailing them. The code page says so. */
  codesArePrinted: boolean;
}

/** What the pages for signed-in people need. */
export interface ConsoleParts {
  store: EmbeddedStore;
  access: PortalAccess;
  /** Origin of the public address, if one is set. */
  publicOrigin: string | undefined;
  /** Address of the service, without a final slash. */
  base: () => string;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** The address or network by which sign-in attempts are counted. */
  sourceOf: (address: string) => string;
  count: (part: MeasuredPart, failed: boolean) => void;
  onUnexpectedError: (error: unknown, requestId: string) => void;
}
