import type { Session } from "../database/session.ts";
import type { Windows } from "../store.ts";

/**
 * The table of the windows. Its rows are written once for each request, which need not wait for the disk: if the server
 * loses power, it may lose the counts of its last second.
 */
export const WINDOW_TABLE = `
  CREATE TABLE request_window (
    key TEXT PRIMARY KEY,
    started_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    used BIGINT NOT NULL
  ) WITH (fillfactor = 50)`;

/** A window that starts after the next one would end is of a clock that was set back. Clocks differ by less. */
const CHARGE = `
  INSERT INTO request_window AS present (key, started_at, ends_at, used)
  SELECT CAST(?1 AS TEXT), CAST(?2 AS BIGINT), CAST(?3 AS BIGINT), 1 FROM set_config('synchronous_commit', 'off', true)
  ON CONFLICT (key) DO UPDATE SET (started_at, ends_at, used) = (
    SELECT CASE WHEN is_over THEN excluded.started_at ELSE present.started_at END,
      CASE WHEN is_over THEN excluded.ends_at ELSE present.ends_at END,
      CASE WHEN is_over THEN 1 ELSE present.used + 1 END
    FROM (
      SELECT excluded.started_at >= present.ends_at OR excluded.ends_at <= present.started_at AS is_over
    ) AS window_state
  )
  RETURNING started_at, used`;

/** Windows of `length` milliseconds in the database, which all instances of the service share. */
export function storedWindows(
  name: string,
  length: number,
  run: <T>(work: (session: Session) => Promise<T>) => Promise<T>,
): Windows {
  let swept = 0;
  const keyOf = (key: string) => `${name} ${key}`;

  /** Removes ended windows, about once in their length. Those that another instance changes or removes are left to it. */
  async function sweep(time: number): Promise<void> {
    swept = time;
    const ended = "SELECT key FROM request_window WHERE ends_at <= ? FOR UPDATE SKIP LOCKED";
    await run((session) => session.query(`DELETE FROM request_window WHERE key IN (${ended})`, [time]));
  }

  return {
    charge: async (key, time) => {
      const [[startedAt, used] = []] = await run((session) => session.query(CHARGE, [keyOf(key), time, time + length]));
      if (Math.abs(time - swept) > length) {
        // Not awaited: the rows of ended windows only take space.
        sweep(time).catch(() => undefined);
      }
      return { startedAt: Number(startedAt), used: Number(used) };
    },
    read: async (key, time) => {
      const [window] = await run((session) =>
        session.query("SELECT started_at, used FROM request_window WHERE key = ? AND ends_at > ? AND started_at < ?", [
          keyOf(key),
          time,
          time + length,
        ]),
      );
      return window && { startedAt: Number(window[0]), used: Number(window[1]) };
    },
  };
}
