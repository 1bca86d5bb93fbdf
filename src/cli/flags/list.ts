import { UsageError } from "../../contract/errors.ts";
import { closest } from "../../contract/values/closest.ts";
import { quoted } from "../../contract/values/phrases.ts";
import type { SortKey } from "../order.ts";
import { type FlagsOf, flagSet, NamesOption, wholeNumber } from "./values.ts";

export interface ListOptions {
  sort: SortKey | undefined;
  /** Maximum number of rows, applied after sorting. */
  limit: number | undefined;
  /** False with `--no-pager`. */
  pager: boolean;
}

export type ListFlags = FlagsOf<typeof addListFlags>;

/**
 * Declares `--sort`, `--limit` and `--no-pager`.
 *
 * @param columns offered by completion for `--sort`
 * @param otherValues what else `--sort` takes, for the help
 */
export const addListFlags = flagSet(
  (
    command,
    example: string,
    columns: readonly string[],
    otherValues: string = "",
    limitHelp: string = "the first n rows only, after sorting",
  ) => {
    const description = `sort by a column${otherValues}; \`:asc\` or \`:desc\` sets the direction: ${example}:desc`;
    return command
      .addOption(new NamesOption("--sort <column>", description, columns, { isList: false }))
      .option("-n, --limit <n>", limitHelp, wholeNumber("--limit", 1))
      .option("--no-pager", "do not open a pager for a table that is longer than the screen [env: PAGER]");
  },
);

/**
 * @param known columns to sort by
 * @param sortWords short names, each for a column and a direction
 * @throws UsageError naming flag and value
 */
export function parseListFlags(
  { sort, limit, pager }: ListFlags,
  known: readonly string[],
  sortWords: Readonly<Record<string, SortKey>> = {},
): ListOptions {
  return { sort: sort === undefined ? undefined : parseSort(sort, known, sortWords), limit, pager };
}

function parseSort(text: string, known: readonly string[], sortWords: Readonly<Record<string, SortKey>>): SortKey {
  const [, name = text, direction] = /^(.*?)(?::(asc|desc))?$/i.exec(text) ?? [];
  const key = Object.hasOwn(sortWords, name) ? sortWords[name] : { column: name, descending: false };
  if (key !== undefined && known.includes(key.column)) {
    return {
      column: key.column,
      descending: direction === undefined ? key.descending : direction.toLowerCase() === "desc",
    };
  }
  const suffix = direction === undefined ? "" : `:${direction}`;
  const names = [...Object.keys(sortWords), ...known];
  const suggestions = closest(name, names, 3, 1 / 3).map((column) => column + suffix);
  const hint = suggestions.length === 0 ? `; sort by one of ${names.join(", ")}` : "";
  throw new UsageError(`--sort: there is no column ${quoted(name)}${hint}`, {
    flag: "--sort",
    value: text,
    suggestions,
  });
}
