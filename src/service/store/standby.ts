import type { DatabaseAccess, Session } from "./database/database-session.ts";
import { hasVersion } from "./product-rows/versions.ts";
import { withinDeadline } from "./query-deadline.ts";

/** Timeout of a read from the standby, and how long a failed standby is left alone, in milliseconds. */
const STANDBY_TIMEOUT = 2_000;
const STANDBY_PAUSE = 5_000;

/** Runs a read of the rows of one version. */
export type ReadVersion = <T>(
  version: number,
  read: (session: Session) => Promise<T>,
  deadline?: AbortSignal,
) => Promise<T>;

/** Reads rows from a standby once their version is published there. Until then, or if it fails, reads them from the primary. */
export function readFromStandby(primary: DatabaseAccess, standby: DatabaseAccess): ReadVersion {
  let pausedUntil = 0;
  return async (version, read, deadline) => {
    if (performance.now() >= pausedUntil) {
      try {
        const readIfThere = async (session: Session) =>
          (await hasVersion(session, version)) ? { rows: await read(session) } : undefined;
        const found = await withinDeadline(STANDBY_TIMEOUT, (timeout) => standby.use(readIfThere, timeout), deadline);
        if (found !== undefined) {
          return found.rows;
        }
      } catch {
        deadline?.throwIfAborted();
        pausedUntil = performance.now() + STANDBY_PAUSE;
      }
    }
    return await primary.use(read, deadline);
  };
}
