import { expect, test } from "vitest";
import { readShape } from "../../../src/client/responses/shape.ts";
import type { Schema } from "../../../src/contract/object-schema.ts";

const BREAKS = "The service's response breaks its contract: ";

function said(shape: Schema, value: unknown): unknown {
  try {
    return readShape({ type: "object", properties: { value: shape } }, { value }, undefined);
  } catch (error) {
    return (error as Error).message.replace(BREAKS, "");
  }
}

test.each<[Schema, unknown]>([
  [{ type: "number" }, 1.5],
  [{ type: "number", minimum: 0, maximum: 100 }, 0],
  [{ type: "number", minimum: 0, maximum: 100 }, 100],
  [{ type: ["number", "null"] }, null],
  [{ type: "null" }, null],
  [{ type: "integer" }, -3],
  [{ type: "string" }, ""],
  [{ type: "string", format: "date" }, "2026-02-28"],
  [{ type: "string", format: "date-time" }, "2026-02-28T12:00:00Z"],
  [{ type: "string", format: "slug" }, "Any Text"],
  [{ type: "string", enum: ["a", "b"] }, "b"],
  [{ type: "boolean" }, false],
  [{ type: "array", items: { type: "integer" } }, [1, 2]],
])("the shape %j fits %j", (shape, value) => {
  expect(said(shape, value)).toEqual({ value });
});

test.each<[Schema, unknown, string]>([
  [{ type: "number" }, "1", "a number"],
  [{ type: "number", minimum: 0, maximum: 100 }, 100.5, "a number from 0 to 100"],
  [{ type: "number", minimum: 0, maximum: 100 }, -1, "a number from 0 to 100"],
  [{ type: "number", maximum: 100 }, 101, "a number to 100"],
  [{ type: ["number", "null"], minimum: 0 }, "x", "a number from 0 or null"],
  [{ type: "null" }, 0, "null"],
  [{ type: "string", format: "date" }, "2026-02-30", "a date"],
  [{ type: "string", format: "date-time" }, "yesterday", "a timestamp"],
  [{ type: "string", enum: ["a", "b"] }, "c", "one of a, b"],
  [{ type: "string", enum: ["a", "b"] }, 1, "one of a, b"],
  [{ type: "boolean" }, 0, "true or false"],
  [{ type: "integer" }, 2 ** 53, "an integer"],
])("the shape %j does not fit %j", (shape, value, expected) => {
  expect(said(shape, value)).toBe(`\`value\` is not ${expected}`);
});

test("a missing member is null if it may be, and other members are left out", () => {
  const shape: Schema = { type: "object", properties: { a: { type: ["string", "null"] } } };
  expect(readShape(shape, { b: 1 }, undefined)).toEqual({ a: null });
});
