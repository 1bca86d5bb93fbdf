import type { Command } from "commander";
import { closest } from "../../contract/values/closest.ts";
import { UsageError } from "../../errors.ts";
import { NamesOption, wholeNumber } from "./values.ts";

/** The order of the rows of a result, and how many are shown. */
export interface ListOptions {
  sort: SortKey | undefined;
  /** Most rows, counted after sorting. */
  limit: number | undefined;
  /** False with `--no-pager`. */
  pager: boolean;
}

export interface SortKey {
  column: string;
  descending: boolean;
}

export interface ListFlags {
  sort?: string;
  limit?: number;
  pager?: boolean;
}

/** Declares `--sort`, `--limit` and `--no-pager`. @param columns those that completion offers for `--sort` */
export function addListFlags(
  command: Command,
  example: string,
  columns: readonly string[],
  words = "",
  limit: { of: string; byDefault?: number } = { of: "the first n rows only, after sorting" },
): Command {
  const description = `sort by a column${words}; \`:desc\` reverses the order: ${example}:desc`;
  return command
    .addOption(new NamesOption("--sort <column>", description, columns, { isList: false }))
    .option("-n, --limit <n>", limit.of, wholeNumber("--limit", 1), limit.byDefault)
    .option("--no-pager", "do not open a pager for a table that is longer than the screen [env: PAGER]");
}

/**
 * @param known columns to sort by
 * @param words short names for columns with an order
 * @throws UsageError naming flag and value
 */
export function parseListFlags(
  { sort, limit, pager = true }: ListFlags,
  known: readonly string[],
  words: Readonly<Record<string, SortKey>> = {},
): ListOptions {
  return { sort: sort === undefined ? undefined : parseSort(sort, known, words), limit, pager };
}

function parseSort(text: string, known: readonly string[], words: Readonly<Record<string, SortKey>>): SortKey {
  const [, name = text, direction] = /^(.*?)(?::(asc|desc))?$/.exec(text) ?? [];
  const key = Object.hasOwn(words, name) ? words[name] : { column: name, descending: false };
  if (key !== undefined && known.includes(key.column)) {
    return { column: key.column, descending: direction === undefined ? key.descending : direction === "desc" };
  }
  const suffix = direction === undefined ? "" : `:${direction}`;
  const suggestions = closest(name, [...Object.keys(words), ...known]).map((column) => column + suffix);
  const hint = suggestions.length === 0 ? `; the columns are ${known.join(", ")}` : "";
  throw new UsageError(`--sort: there is no column "${name}"${hint}`, { flag: "--sort", value: text, suggestions });
}

/**
 * Sorted stably by the value of one column: numbers by size, text by code point; null comes last in both directions.
 * Unchanged without a key.
 */
export function sortBy<Item>(
  items: readonly Item[],
  key: SortKey | undefined,
  read: (item: Item, column: string) => unknown,
): readonly Item[] {
  if (key === undefined) {
    return items;
  }
  const sign = key.descending ? -1 : 1;
  return items
    .map((item) => ({ item, value: read(item, key.column) ?? null }))
    .sort((a, b) => {
      if (a.value === null || b.value === null) {
        return Number(a.value === null) - Number(b.value === null);
      }
      return sign * compareValues(a.value, b.value);
    })
    .map(({ item }) => item);
}

/** The items by the key of each, in the order in which the keys appear; `Map.groupBy` needs Node.js 21. */
export function groupBy<Key, Item>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(item);
  }
  return groups;
}

function compareValues(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") {
    return a - b;
  }
  return compareTexts(String(a), String(b));
}

/** Compares texts by code point. Operators compare code units, and have U+1F600 before U+FF5E. */
export function compareTexts(a: string, b: string): number {
  if (a === b) {
    return 0;
  }
  if (!SURROGATE.test(a) && !SURROGATE.test(b)) {
    return a < b ? -1 : 1;
  }
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) {
    at += 1;
  }
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}

const SURROGATE = /[\ud800-\udfff]/;
