import { UsageError } from "../../contract/errors.ts";
import { closest } from "../../contract/values/closest.ts";
import { quoted } from "../../contract/values/phrases.ts";

/**
 * Reads a list of columns: names separated by commas.
 *
 * @param known the columns of the rows
 * @throws UsageError if a name is empty, repeated or not a column
 */
export function parseColumns(text: string, known: readonly string[]): string[] {
  const names = text.split(",").map((name) => name.trim());
  const unknown = [...new Set(names)].filter((name) => name !== "" && !known.includes(name));
  if (unknown.length > 0) {
    throw unknownColumns(unknown, names, text.trim(), known);
  }
  if (names.includes("")) {
    throw new UsageError("--columns contains an empty name", { flag: "--columns", value: text });
  }
  assertDistinct(names, "--columns", text);
  return names;
}

/**
 * @param flag whose value the list is
 * @param text the value as written
 * @throws UsageError if a name is repeated
 */
export function assertDistinct(names: readonly string[], flag: string, text: string): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw new UsageError(`${flag} names ${quoted(repeated)} twice`, { flag, value: text });
  }
}

/** For one name, suggests the closest columns; for several, the whole list corrected, if every name can be. */
function unknownColumns(
  unknown: readonly string[],
  names: readonly string[],
  text: string,
  known: readonly string[],
): UsageError {
  const nearest = new Map(unknown.map((name) => [name, closest(name, known)]));
  const corrected = [...new Set(names.map((name) => nearest.get(name)?.[0] ?? name))].join(",");
  const hasNoMatch = [...nearest.values()].some((columns) => columns.length === 0);
  const [only = ""] = unknown;
  const single = unknown.length === 1;
  const suggestions = single ? (nearest.get(only) ?? []) : hasNoMatch ? [] : [corrected];
  const quotedNames = unknown.map(quoted).join(", ");
  const what = single ? `there is no column ${quotedNames}` : `there are no columns ${quotedNames} of ${quoted(text)}`;
  return new UsageError(hasNoMatch ? `${what}; the columns are ${known.join(", ")}` : what, {
    flag: "--columns",
    value: single ? only : text,
    suggestions,
  });
}
