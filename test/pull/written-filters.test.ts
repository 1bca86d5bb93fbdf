import { expect, test } from "vitest";
import { ApiError, UsageError } from "../../src/contract/errors.ts";
import { type Filters, fitsRequest } from "../../src/contract/filters.ts";
import {
  type FilterSource,
  filtersAsFlags,
  namedRetailers,
  resolveFilters,
  type WrittenFilters,
} from "../../src/pull/written-filters.ts";
import { problemError } from "../helpers/fake-client.ts";

const NOW = Date.UTC(2026, 0, 20);

const KNOWN = [
  ["acme:lamps:home", "2026-01-15"],
  ["acme:shoes:clothing", "2026-01-14"],
  ["bolt:lamps:home", "2026-01-12"],
  ["bolt:drills:tools", "2026-01-10"],
  ["casa:chairs:home", "2026-01-15"],
] as const;

/** A source of these combinations, and what it was asked for. */
function sourceOf(known: readonly (readonly [rcd: string, latest: string])[] = KNOWN) {
  const asked: unknown[] = [];
  const source: FilterSource = {
    combinations: async (filters) => {
      asked.push(filters);
      return known.map(([rcd, latest_date]) => {
        const [retailer = "", category = "", department = ""] = rcd.split(":");
        return { retailer, category, department, rcd, latest_date };
      });
    },
    check: async (filters) => void asked.push(["check", filters]),
  };
  return { source, asked };
}

async function resolved(written: WrittenFilters, options?: { oneWindow: boolean }) {
  const { source, asked } = sourceOf();
  const found = await resolveFilters(written, source, NOW, options);
  return { found, asked };
}

test.each<[string, WrittenFilters, object]>([
  ["nothing", {}, {}],
  [
    "single values",
    { retailer: ["acme"], category: ["lamps"], department: ["home"] },
    { retailer: "acme", category: "lamps", department: "home" },
  ],
  ["no value", { retailer: [] }, {}],
  ["triples", { rcd: ["a:b:c", "d:e:f"] }, { rcd: "a:b:c,d:e:f" }],
  ["days", { start_date: "5d", end_date: "yesterday" }, { start_date: "2026-01-15", end_date: "2026-01-19" }],
  ["one of two days", { end_date: "2026-01-31" }, { end_date: "2026-01-31" }],
])("%s are resolved without a request", async (_, written, expected) => {
  expect(await resolved(written)).toStrictEqual({ found: expected, asked: [] });
});

const BOTH = "acme:lamps:home,acme:shoes:clothing,bolt:drills:tools,bolt:lamps:home";

test.each<[WrittenFilters, object, object]>([
  [{ retailer: ["bolt", "acme"] }, { rcd: BOTH }, {}],
  [
    { retailer: ["bolt", "acme"], category: ["lamps"], start_date: "2026-01-01" },
    { rcd: "acme:lamps:home,bolt:lamps:home", start_date: "2026-01-01" },
    { category: "lamps" },
  ],
  [{ category: ["lamps", "chairs"] }, { rcd: "acme:lamps:home,bolt:lamps:home,casa:chairs:home" }, {}],
  [{ retailer: ["bolt"], end_date: "latest" }, { retailer: "bolt", end_date: "2026-01-12" }, { retailer: "bolt" }],
  [
    { category: ["chairs"], end_date: "latest" },
    { category: "chairs", end_date: "2026-01-15" },
    { category: "chairs" },
  ],
  [
    { rcd: ["bolt:drills:tools"], start_date: "latest" },
    { rcd: "bolt:drills:tools", start_date: "2026-01-10" },
    { rcd: "bolt:drills:tools" },
  ],
  [
    { retailer: ["acme", "bolt"], start_date: "latest", end_date: "latest" },
    {
      rcd: BOTH,
      start_date: "2026-01-12",
      end_date: "2026-01-15",
      daysByRetailer: {
        acme: { start_date: "2026-01-15", end_date: "2026-01-15" },
        bolt: { start_date: "2026-01-12", end_date: "2026-01-12" },
      },
    },
    {},
  ],
  // A short list is not checked.
  [
    { rcd: ["bolt:drills:tools", "none:x:y"], start_date: "latest" },
    { rcd: "bolt:drills:tools,none:x:y", start_date: "2026-01-10" },
    { rcd: "bolt:drills:tools,none:x:y" },
  ],
  // The days of both are the same.
  [
    { retailer: ["acme", "casa"], start_date: "latest" },
    { rcd: "acme:lamps:home,acme:shoes:clothing,casa:chairs:home", start_date: "2026-01-15" },
    {},
  ],
  // One of them has no row in the written days.
  [
    { retailer: ["acme", "bolt"], start_date: "2026-01-13", end_date: "latest" },
    {
      rcd: BOTH,
      start_date: "2026-01-13",
      end_date: "2026-01-15",
      daysByRetailer: {
        acme: { start_date: "2026-01-13", end_date: "2026-01-15" },
        bolt: { start_date: "2026-01-13", end_date: "2026-01-12" },
      },
    },
    {},
  ],
  // One of them may have rows in the days of the other, but not in its own, of which there are none.
  [
    { retailer: ["acme", "bolt"], start_date: "latest", end_date: "2026-01-13" },
    {
      rcd: BOTH,
      start_date: "2026-01-12",
      end_date: "2026-01-13",
      daysByRetailer: {
        acme: { start_date: "2026-01-15", end_date: "2026-01-13" },
        bolt: { start_date: "2026-01-12", end_date: "2026-01-13" },
      },
    },
    {},
  ],
  [
    { rcd: ["bolt:lamps:home", "casa:chairs:home"], end_date: "latest-1d" },
    {
      rcd: "bolt:lamps:home,casa:chairs:home",
      end_date: "2026-01-14",
      daysByRetailer: { bolt: { end_date: "2026-01-11" }, casa: { end_date: "2026-01-14" } },
    },
    { rcd: "bolt:lamps:home,casa:chairs:home" },
  ],
])("%j become filters of the contract by one lookup", async (written, expected, lookup) => {
  expect(await resolved(written)).toStrictEqual({ found: expected, asked: [lookup] });
});

test("the newest day of all retailers counts for each where that is asked for", async () => {
  const written: WrittenFilters = { retailer: ["acme", "bolt"], start_date: "latest-1d", end_date: "latest" };
  const { found } = await resolved(written, { oneWindow: true });
  expect(found).toEqual({ rcd: BOTH, start_date: "2026-01-14", end_date: "2026-01-15" });
});

test.each<[string, WrittenFilters, string]>([
  [
    "a first day after the last",
    { start_date: "2026-01-02", end_date: "2026-01-01" },
    "--start-date 2026-01-02 is after --end-date 2026-01-01.",
  ],
  [
    "such days from the newest one",
    { start_date: "latest", end_date: "2026-01-01" },
    "--start-date latest (2026-01-15) is after --end-date 2026-01-01.",
  ],
  [
    "such days for each of several retailers",
    { retailer: ["acme", "bolt"], start_date: "2026-01-16", end_date: "latest" },
    "--start-date 2026-01-16 is after --end-date latest (2026-01-15).",
  ],
  [
    "a value that has no rows with the others",
    { retailer: ["acme", "casa"], category: ["shoes", "lamps"] },
    '--retailer "casa" has no rows together with --category shoes,lamps; leave it out.',
  ],
  ["a value that has no rows", { retailer: ["acme", "none"] }, '--retailer "none" has no rows; leave it out.'],
])("%s is refused", async (_, written, message) => {
  const error = (await resolved(written).catch((caught: unknown) => caught)) as UsageError;
  expect(error).toBeInstanceOf(UsageError);
  expect(error.message).toBe(message);
  expect(error).toMatchObject({ flag: message.split(" ")[0] });
});

test("the closest values that have rows with the others are suggested", async () => {
  const error = await resolved({ retailer: ["acme", "cassa"], category: ["lamps", "chairs"] }).catch(
    (caught) => caught,
  );
  expect(error).toMatchObject({ flag: "--retailer", value: "cassa", suggestions: ["casa"] });
});

test("filters are written as they are on a command line", () => {
  const written: WrittenFilters = { retailer: ["a", "b"], start_date: "1d" };
  expect(filtersAsFlags(written, ["L'Oréal"])).toBe("--retailer a,b --start-date 1d --brand 'L'\\''Oréal'");
});

test("values that the source does not know are checked there, each with the retailer", async () => {
  const { source, asked } = sourceOf(KNOWN.slice(0, 2));
  const written: WrittenFilters = { retailer: ["acme"], category: ["lamps", "boots", "hats"] };
  await expect(resolveFilters(written, source, NOW)).rejects.toThrow(UsageError);
  expect(asked).toStrictEqual([
    { retailer: "acme" },
    ["check", { retailer: "acme", category: "boots" }],
    ["check", { retailer: "acme", category: "hats" }],
  ]);
  const several = sourceOf();
  await expect(resolveFilters({ retailer: ["acme", "none"] }, several.source, NOW)).rejects.toThrow(UsageError);
  expect(several.asked).toStrictEqual([{}, ["check", { retailer: "none" }]]);
});

test("more triples than a request can carry are looked up without them, and unknown ones are checked in few requests", async () => {
  const { source, asked } = sourceOf();
  const missing = Array.from({ length: 300 }, (_, index) => `acme:category-with-a-long-name-${index}:home`);
  const { rcd } = await resolveFilters({ rcd: ["casa:chairs:home", ...missing] }, source, NOW);
  expect(rcd).toBe(["casa:chairs:home", ...missing].join(","));
  const [lookup, ...checks] = asked as [object, ...[string, Filters][]];
  expect({ lookup, checkCount: checks.length, fit: checks.every(([, filters]) => fitsRequest(filters)) }).toEqual({
    lookup: {},
    checkCount: 2,
    fit: true,
  });
  expect(checks.map(([, filters]) => filters.rcd).join(",")).toBe(missing.join(","));
});

test.each<[WrittenFilters, string]>([
  [
    { category: ["lamps", "shoes"] },
    "Several values of category are looked up in the coverage, which needs the scope catalog:read; this key lacks it. Use another key, or name one value",
  ],
  [
    { rcd: Array<string>(300).fill("acme:category-with-a-long-name:home") },
    "So many values of rcd are looked up in the coverage, which needs the scope catalog:read; this key lacks it. Use another key, or name fewer",
  ],
  [
    { start_date: "latest" },
    '"latest" is looked up in the coverage, which needs the scope catalog:read; this key lacks it. Use another key, or name the day, as in `yesterday`',
  ],
])("a key that may not look filters up is told why it has to", async (written, message) => {
  const failing = (failure: Error) => {
    const source = { ...sourceOf().source, combinations: () => Promise.reject(failure) };
    return resolveFilters(written, source, NOW).catch((error: unknown) => error);
  };
  const refused = (await failing(problemError("insufficient_scope"))) as ApiError;
  expect({ isApiError: refused instanceof ApiError, message: refused.message }).toEqual({
    isApiError: true,
    message: expect.stringContaining(message),
  });
  for (const other of [problemError("rate_limited"), new Error("other")]) {
    expect(await failing(other)).toBe(other);
  }
});

test("retailers are named alone or in triples, each once", () => {
  expect(namedRetailers({ rcd: ["b:x:y", "a:x:y", "b:z:y"] })).toEqual(["b", "a"]);
  expect([namedRetailers({ retailer: ["a", "a"] }), namedRetailers({})]).toEqual([["a"], []]);
});
