import type { Session } from "./database/database-connection.ts";
import type { DayCount, MeasuredPart } from "./store.ts";

/** Adds to what is counted already. */
export async function addDayCounts(session: Session, counts: readonly DayCount[]): Promise<void> {
  for (const { date, operation, requests, failures } of counts) {
    await session.query(
      `INSERT INTO day_count VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
         requests = requests + excluded.requests, failures = failures + excluded.failures`,
      [date, operation, requests, failures],
    );
  }
}

/** Counts from the day `since` (`YYYY-MM-DD`) on, by day and operation. */
export async function readDayCounts(session: Session, since: string): Promise<DayCount[]> {
  const rows = await session.query(
    "SELECT date, operation, requests, failures FROM day_count WHERE date >= ? ORDER BY date, operation",
    [since],
  );
  return rows.map(([date, operation, requests, failures]) => ({
    date: String(date),
    operation: operation as MeasuredPart,
    requests: Number(requests),
    failures: Number(failures),
  }));
}
