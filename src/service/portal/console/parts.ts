import type { EmbeddedStore } from "../../store/embedded.ts";
import type { MeasuredPart } from "../../store/store.ts";

/** Sends the one-time code of a sign-in to an address. */
export type SendCode = (email: string, code: string) => Promise<void>;

/** How people sign in. */
export interface PortalAccess {
  sendCode: SendCode;
  /** Whether codes are printed by the service instead of mailed; pages say so. */
  codesArePrinted: boolean;
}

/** What the console works with. */
export interface ConsoleParts {
  store: EmbeddedStore;
  access: PortalAccess;
  /** Origin of the public address, where one is set. */
  publicOrigin: string | undefined;
  /** Address of the service, without a final slash. */
  base: () => string;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Source address as attempts are counted by. */
  sourceOf: (address: string) => string;
  count: (part: MeasuredPart, failed: boolean) => void;
  onUnexpectedError: (error: unknown, requestId: string) => void;
}
