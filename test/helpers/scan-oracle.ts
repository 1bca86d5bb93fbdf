import { expect } from "vitest";
import { PRODUCT_COLUMNS } from "../../src/contract/product.ts";
import { scanAnswer } from "../../src/rows/answer.ts";
import type { RowBatch } from "../../src/rows/batch.ts";

/** Fails where the scanner and `JSON.parse` do not agree about a text, or about what is in it. */
export function compareWithParse(text: string): void {
  // Half a surrogate pair has no UTF-8.
  const bytes = Buffer.from(text);
  const known = resultOf(() => JSON.parse(bytes.toString().replace(/^\uFEFF/, "")) as unknown);
  const found = resultOf(() => scanAnswer(bytes));
  if ("error" in known || "error" in found) {
    const outcome = { scanner: "error" in found ? "refuses" : "accepts", text };
    expect(outcome).toEqual({ scanner: "error" in known ? "refuses" : "accepts", text });
    return;
  }
  const { rows, foreign, document } = found.value;
  const parsed = known.value as { data?: unknown; pagination?: unknown; meta?: unknown } | null;
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    expect(document).toBeUndefined();
    return;
  }
  const data = Array.isArray(parsed.data) ? parsed.data : undefined;
  expect(document).toEqual({ data: data && [], pagination: parsed.pagination, meta: parsed.meta });
  if (data === undefined) {
    expect(rows.length).toBe(0);
    return;
  }
  expect(foreign).toBe(data.findIndex((row) => !isObject(row)));
  compareRows(rows, data.filter(isObject));
}

function compareRows(rows: RowBatch, parsed: readonly Record<string, unknown>[]): void {
  expect(rows.length).toBe(parsed.length);
  expect(rows.texts().map((row) => JSON.parse(row))).toEqual(parsed);
  expect(rows.lines().toString()).toBe(
    rows
      .texts()
      .map((row) => `${row}\n`)
      .join(""),
  );
  const others = new Set(
    parsed.flatMap(Object.keys).filter((name) => !PRODUCT_COLUMNS.some((known) => known === name)),
  );
  expect(rows.others).toEqual(others);
  for (const [row, members] of parsed.entries()) {
    for (const [column, name] of PRODUCT_COLUMNS.entries()) {
      const raw = rows.raw(row, column);
      expect(raw !== undefined).toBe(Object.hasOwn(members, name));
      expect(raw === undefined ? undefined : JSON.parse(raw)).toEqual(members[name]);
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function resultOf<T>(action: () => T): { value: T } | { error: unknown } {
  try {
    return { value: action() };
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return { error };
  }
}
