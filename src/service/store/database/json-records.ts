import type { Session, SqlValue } from "./database-connection.ts";

/**
 * Reads records of type `T`.
 *
 * @param members the SQL expression of each member; `json(…)` reads a list or an object that is stored as JSON
 * @param rest of the statement, from `FROM` on
 */
export async function readRecords<T>(
  session: Session,
  members: Readonly<Record<keyof T, string>>,
  rest: string,
  parameters: readonly SqlValue[] = [],
): Promise<T[]> {
  const pairs = Object.entries(members).map(([name, expression]) => `'${name}', ${expression}`);
  const rows = await session.query(`SELECT json_object(${pairs.join(", ")}) ${rest}`, parameters);
  return rows.map(([text]) => JSON.parse(String(text)) as T);
}

/** Inserts one row. @param values by column */
export async function insertRow(session: Session, table: string, values: Record<string, SqlValue>): Promise<void> {
  const columns = Object.keys(values);
  const marks = columns.map(() => "?");
  await session.query(
    `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${marks.join(", ")})`,
    Object.values(values),
  );
}
