import fc from "fast-check";

/** JSON values of the kind with one member, at any depth, that is another value or missing. */
export function damagedJson(whole: unknown): fc.Arbitrary<unknown> {
  const places = placesIn(whole);
  const other = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined), fc.constantFrom(-1, 1e300, "", [], {}));
  return fc.tuple(fc.constantFrom(...places), other).map(([place, value]) => replaced(whole, place, value));
}

type Place = readonly string[];

function placesIn(value: unknown, place: Place = []): Place[] {
  const members = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return [place, ...members.flatMap(([name, member]) => placesIn(member, [...place, name]))];
}

function replaced(whole: unknown, [name, ...rest]: Place, value: unknown): unknown {
  if (name === undefined) {
    return value;
  }
  const copy = structuredClone(whole) as Record<string, unknown>;
  copy[name] = replaced(copy[name], rest, value);
  return copy;
}
