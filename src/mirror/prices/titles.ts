import type { Rcd } from "../../contract/filters.ts";
import type { SyncState } from "../folder/folder-state.ts";
import { readColumns } from "./read-prices.ts";

/** A row of which the title is wanted. */
export interface TitledRow {
  day: string;
  retailer: string;
  sku: string;
}

/** A product whose title was found, with the newest day that has it. */
export interface FoundTitle extends TitledRow, Rcd {
  title: string;
}

/**
 * Titles of rows, each day read once.
 *
 * @returns the title by `titleKey`; a row that is gone has none
 */
export async function readTitles(
  folder: string,
  state: SyncState,
  rows: readonly TitledRow[],
): Promise<Map<string, string>> {
  const wanted = new Map<string, Set<string>>();
  for (const row of rows) {
    wanted.set(row.day, (wanted.get(row.day) ?? new Set()).add(titleKey(row)));
  }
  const titles = new Map<string, string>();
  for (const [day, keys] of wanted) {
    for (const row of await titlesOf(folder, state, day)) {
      if (keys.has(titleKey(row))) {
        titles.set(titleKey(row), row.title);
      }
    }
  }
  return titles;
}

export function titleKey({ day, retailer, sku }: TitledRow): string {
  return `${day}\0${retailer}\0${sku}`;
}

/**
 * Products whose newest title holds all of the words, in any order and any case. Memory: the name of each product.
 *
 * @param days newest first
 */
export async function searchTitles(
  folder: string,
  state: SyncState,
  days: readonly string[],
  words: readonly string[],
  { isWanted, signal }: { isWanted: (combination: Rcd) => boolean; signal: AbortSignal },
): Promise<FoundTitle[]> {
  const folded = words.map(fold);
  const seen = new Set<string>();
  const found: FoundTitle[] = [];
  for (const day of days) {
    signal.throwIfAborted();
    for (const row of await titlesOf(folder, state, day)) {
      const product = `${row.retailer}\0${row.sku}`;
      if (isWanted(row) && !seen.has(product)) {
        seen.add(product);
        const title = fold(row.title);
        if (folded.every((word) => title.includes(word))) {
          found.push(row);
        }
      }
    }
  }
  return found;
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

const COLUMNS = ["retailer", "category", "department", "sku", "title"] as const;

async function titlesOf(folder: string, state: SyncState, day: string): Promise<FoundTitle[]> {
  const columns = (await readColumns(folder, state, day, COLUMNS))?.columns;
  return (columns?.sku ?? []).map((_, row) => {
    const texts = Object.fromEntries(COLUMNS.map((name) => [name, columns?.[name][row]])) as Omit<FoundTitle, "day">;
    return { day, ...texts };
  });
}
