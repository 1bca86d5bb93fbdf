import { KEY_COLUMNS, withGrants } from "./access/team-records.ts";
import { type DatabaseAccess, onlyRow, type Session } from "./database/database-session.ts";
import type { Dialect, SqlValue } from "./database/dialect.ts";
import type { KeyRecord } from "./store-types.ts";

/**
 * Counts a request in the window of the key that `source` selects, if it selects one. Parameter 2 is the time, 3 the end of
 * a window that starts now. If a stored window begins after that end, a clock has been set back, so it counts as over: the clocks
 * of instances differ by less than a window.
 */
const counting = ({ unsynced }: Dialect, source: string) => `
  INSERT INTO request_window AS present (key, started_at, ends_at, used)
  SELECT counted.key, CAST(?2 AS BIGINT), CAST(?3 AS BIGINT), 1 FROM (${source}) AS counted ${unsynced} WHERE true
  ON CONFLICT (key) DO UPDATE SET (started_at, ends_at, used) = (
    SELECT CASE WHEN is_over THEN excluded.started_at ELSE present.started_at END,
      CASE WHEN is_over THEN excluded.ends_at ELSE present.ends_at END,
      CASE WHEN is_over THEN 1 ELSE present.used + 1 END
    FROM (
      SELECT excluded.started_at >= present.ends_at OR excluded.ends_at <= present.started_at AS is_over
    ) AS window_state
  )
  RETURNING ends_at AS "endsAt", used`;

const countForKey = (dialect: Dialect) => counting(dialect, "SELECT CAST(?1 AS TEXT) AS key");

const KEY_MEMBERS = ["id", "name", "team", "scopes", "retailers", "created_at", "last_used_at", "revoked_at"];

const TEAM_OF_KEY = "SELECT CAST(?4 AS TEXT) || team AS key FROM api_key WHERE hash = ?1 AND revoked_at IS NULL";

const PRESENT = `
  SELECT ends_at AS "endsAt", used FROM request_window WHERE key = (${TEAM_OF_KEY}) AND ends_at > ?2 AND started_at < ?3`;

/** Reads the key of a request and counts the request in the window of its team: one round trip to the database. */
const countForTeam = (dialect: Dialect) => `
  ${counting(dialect, TEAM_OF_KEY)},
    (SELECT ${dialect.jsonObject(KEY_MEMBERS)} FROM (
      SELECT ${KEY_COLUMNS} FROM api_key JOIN team ON team.name = api_key.team WHERE hash = ?1
    ) AS key_record) AS key`;

/** The requests of a window so far. */
export interface WindowCount {
  /** Milliseconds since the epoch. An instance with another length of windows may have begun it. */
  endsAt: number;
  used: number;
}

/** Counts requests by key in windows of `length` milliseconds, shared by all services on the database. */
export function createWindows(name: string, length: number, connection: DatabaseAccess) {
  const prefix = `${name} `;
  let swept = 0;

  /** Removes ended windows, about once in their length. Those that another instance changes or removes are left to it. */
  function sweep(time: number): void {
    if (Math.abs(time - swept) <= length) {
      return;
    }
    swept = time;
    const ended = ({ unlocked }: Dialect) => `SELECT key FROM request_window WHERE ends_at <= ? ${unlocked}`;
    // Not awaited: the rows of ended windows only take space.
    connection
      .use((session) => session.query(`DELETE FROM request_window WHERE key IN (${ended(session.dialect)})`, [time]))
      .catch(() => undefined);
  }

  async function ask<T = WindowCount>(
    sql: (dialect: Dialect) => string,
    parameters: SqlValue[],
    deadline: AbortSignal,
  ): Promise<T | undefined> {
    const [row] = await connection.use((session) => session.query<T>(sql(session.dialect), parameters), deadline);
    return row;
  }

  return {
    /** Counts one request, in one step. The first one after the end of a window starts the next. */
    count: async (key: string, time: number, deadline?: AbortSignal): Promise<WindowCount> => {
      const parameters = [prefix + key, time, time + length];
      const countRequest = (session: Session) =>
        onlyRow<WindowCount>(session, countForKey(session.dialect), parameters);
      const counted = await connection.use(countRequest, deadline);
      sweep(time);
      return counted;
    },
    /**
     * Finds the valid key whose secret has this hash and counts a request of its team, in one round trip. Keys are never cached,
     * so that a revocation takes effect at once.
     */
    countForTeam: async (hash: string, time: number, deadline: AbortSignal) => {
      const parameters = [hash, time, time + length, prefix];
      const counted = await ask<WindowCount & { key: string }>(countForTeam, parameters, deadline);
      sweep(time);
      return counted && { ...counted, key: withGrants(JSON.parse(counted.key)) as KeyRecord };
    },
    /** The present window of the team of this valid key. Undefined if there is none, and without such a key. */
    readForTeam: async (hash: string, time: number, deadline: AbortSignal): Promise<WindowCount | undefined> =>
      await ask(() => PRESENT, [hash, time, time + length, prefix], deadline),
  };
}
