import { expect, test } from "vitest";
import { SCOPES } from "../../src/contract/operations.ts";
import { PROBLEMS } from "../../src/contract/problems.ts";
import { INCIDENT_SEVERITIES, INCIDENT_STATES } from "../../src/contract/status.ts";
import { ERROR_CODES } from "../helpers/contract-literals.ts";

test("the error catalogue is the table of contract section 7", () => {
  const codes = Object.entries(PROBLEMS).map(([code, { status, retryable, extensions }]) => [
    code,
    [status, retryable, extensions.join(" ")],
  ]);

  expect(Object.fromEntries(codes)).toEqual(ERROR_CODES);
});

test("the two titles of the contract are used, and each code has a different title", () => {
  const titles = Object.values(PROBLEMS).map(({ title }) => title);

  expect({ category: PROBLEMS.unknown_category.title, department: PROBLEMS.unknown_department.title }).toEqual({
    category: "Unknown category",
    department: "Unknown department",
  });
  expect(new Set(titles).size).toBe(14);
});

test("incidents have the states and severities of contract section 3.2, in order", () => {
  expect([...INCIDENT_STATES]).toEqual(["investigating", "identified", "monitoring", "resolved"]);
  expect([...INCIDENT_SEVERITIES]).toEqual(["minor", "major"]);
});

test("the scopes are those of contract section 5.5", () => {
  expect([...SCOPES].sort()).toEqual(["catalog:read", "catalog:sample"]);
});
