import type { DuckDBType } from "@duckdb/node-api";

/**
 * `@duckdb/node-api` drops a byte order mark at the start of a text, so this macro adds a second one. Other values stay as they are.
 */
export const EXACT_MACRO = `CREATE TEMP MACRO exact(value VARCHAR) AS
  if(starts_with(value, chr(65279)), chr(65279) || value, value), (value) AS value`;

/** Types with infinite values, which `@duckdb/node-api` reads as a day of the year 5881580. They are read as texts instead. */
const MAY_BE_INFINITE = /^(?:DATE|TIMESTAMP(?:_S|_MS|_NS)?)$/;

/** A quoted name in SQL. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A query whose texts `@duckdb/node-api` reads exactly. For queries with scalar columns only. */
export function exactQuery(sql: string): string {
  return `SELECT exact(COLUMNS(*)) FROM (${sql})`;
}

/** SQL for a value whose texts `@duckdb/node-api` reads exactly, also in lists, structures and maps, but not in a UNION. */
export function exactValue(value: string, type: DuckDBType, depth = 0): string {
  const part = `part${depth}`;
  const exact = (inner: string, innerType: DuckDBType) => exactValue(inner, innerType, depth + 1);
  if ("valueType" in type && !("keyType" in type)) {
    return `list_transform(${value}, lambda ${part}: ${exact(part, type.valueType)})`;
  }
  if ("keyType" in type) {
    const [key, item] = [exact(`${part}.key`, type.keyType), exact(`${part}.value`, type.valueType)];
    return `map_from_entries(list_transform(map_entries(${value}), lambda ${part}: {key: ${key}, value: ${item}}))`;
  }
  if ("entryTypes" in type) {
    const entries = type.entryTypes.map((entry, index) => exact(`struct_extract_at(${value}, ${index + 1})`, entry));
    const named = entries.map((entry, index) => `${sqlName(type.entryNames[index] ?? "")} := ${entry}`);
    const isNamed = type.entryNames.every((name) => name !== "");
    const packed = isNamed ? `struct_pack(${named.join(", ")})` : `row(${entries.join(", ")})`;
    return `if(${value} IS NULL, NULL, ${packed})`;
  }
  if (MAY_BE_INFINITE.test(String(type))) {
    const text = `${value}::VARCHAR`;
    // A day of the year 0000 would be 0001-01-01 (BC).
    return String(type) === "DATE" ? `if(year(${value}) = 0, strftime(${value}, '%Y-%m-%d'), ${text})` : text;
  }
  return String(type) === "VARCHAR" ? `exact(${value})` : value;
}
