import assert from "node:assert/strict";
import { PRODUCT_COLUMNS } from "../../src/contract/product.ts";
import { isJsonObject, type JsonObject } from "../../src/contract/values/json-object.ts";
import type { RowBatch } from "../../src/rows/batch.ts";
import { scanResponse } from "../../src/rows/response.ts";

/** Fails if the scanner and `JSON.parse` do not agree about a text or its values. */
export function compareWithParse(text: string): void {
  // Half a surrogate pair cannot be written in UTF-8.
  const bytes = Buffer.from(text);
  const known = resultOf(() => JSON.parse(bytes.toString().replace(/^\uFEFF/, "")) as unknown);
  const found = resultOf(() => scanResponse(bytes));
  if ("error" in known || "error" in found) {
    const outcome = { scanner: "error" in found ? "refuses" : "accepts", text };
    assert.deepEqual(outcome, { scanner: "error" in known ? "refuses" : "accepts", text });
    return;
  }
  const { rows, foreign, document } = found.value;
  const parsed = known.value;
  if (!isJsonObject(parsed)) {
    assert.deepEqual([document, rows.length, foreign], [undefined, 0, -1]);
    return;
  }
  const data = Array.isArray(parsed.data) ? parsed.data : undefined;
  assert.deepEqual(document, { data: data && [], pagination: parsed.pagination, meta: parsed.meta });
  if (data === undefined) {
    assert.deepEqual([rows.length, foreign], [0, -1]);
    return;
  }
  assert.deepEqual(
    foreign,
    data.findIndex((row) => !isJsonObject(row)),
  );
  compareRows(rows, data.filter(isJsonObject));
}

function compareRows(rows: RowBatch, parsed: readonly JsonObject[]): void {
  assert.deepEqual(rows.length, parsed.length);
  assert.deepEqual(
    rows.texts().map((row) => JSON.parse(row)),
    parsed,
  );
  assert.deepEqual(
    rows.lines().toString(),
    rows
      .texts()
      .map((row) => `${row}\n`)
      .join(""),
  );
  const others = new Set(
    parsed.flatMap(Object.keys).filter((name) => !PRODUCT_COLUMNS.some((known) => known === name)),
  );
  assert.deepEqual(rows.others, others);
  for (const [row, members] of parsed.entries()) {
    for (const [column, name] of PRODUCT_COLUMNS.entries()) {
      const raw = rows.raw(row, column);
      assert.deepEqual(raw !== undefined, Object.hasOwn(members, name));
      assert.deepEqual(raw === undefined ? undefined : JSON.parse(raw), members[name]);
    }
  }
}

function resultOf<T>(action: () => T): { value: T } | { error: unknown } {
  try {
    return { value: action() };
  } catch (error) {
    assert(error instanceof SyntaxError);
    return { error };
  }
}
