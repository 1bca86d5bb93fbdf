import type { Session, SqlParameter, SqlValue } from "./session.ts";

/** The SQL expression of a member of a record. `json` is a list or an object that is stored as JSON. */
type Expression = string | { json: string };

/**
 * Reads records of type `T`.
 *
 * @param rest of the statement, from `FROM` on
 */
export async function readRecords<T>(
  session: Session,
  members: Readonly<Record<keyof T, Expression>>,
  rest: string,
  parameters: readonly SqlParameter[] = [],
): Promise<T[]> {
  const read = Object.entries<Expression>(members);
  const columns = read.map(([, expression]) => (typeof expression === "string" ? expression : expression.json));
  const rows = await session.query(`SELECT ${columns.join(", ")} ${rest}`, parameters);
  const parsed = (value: SqlValue, expression: Expression) =>
    typeof expression === "string" || value === null ? value : JSON.parse(String(value));
  return rows.map(
    (row) => Object.fromEntries(read.map(([name, member], at) => [name, parsed(row[at] ?? null, member)])) as T,
  );
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
