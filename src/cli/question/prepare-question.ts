import { NotFoundError } from "../../contract/errors.ts";
import { closest } from "../../contract/values/closest.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";
import { plural, quoted } from "../../contract/values/phrases.ts";
import type { DuckDb } from "../../files/duckdb.ts";
import { type Parameters, readRows } from "../../folder/ask/ask.ts";
import { openJudgedPrices } from "../../folder/ask/judged-prices.ts";
import type { PriceIndexRequest } from "../../folder/index/update-index.ts";
import type { Context } from "../context.ts";
import type { Reporter } from "../reporter.ts";
import { readProductList } from "../source/product-list.ts";
import type { SyncedFolder } from "../source/synced-folder.ts";
import { daysOfRetailers, newestDayOf, newestOfRetailers, rowsAfter } from "./compared-days.ts";
import { checkOwnList, ownListParameter } from "./own-list.ts";
import type { PriceOptions, Question } from "./question.ts";
import { type SinceOfRetailers, sinceDay, sinceOfRetailers } from "./since.ts";

/** What a question needs before it is asked: the open prices of a folder, and the parameters that all questions have. */
export interface PreparedQuestion extends AsyncDisposable {
  prices: DuckDb;
  /** Statements that `--show-sql` prints before the question. */
  preamble: string;
  parameters: Parameters;
  /** The retailers that the filters match, sorted. */
  retailers: readonly string[];
  /** The newest day that counts. */
  newest: string;
  /** Undefined for a question that compares nothing. */
  comparison: SinceOfRetailers | undefined;
}

/**
 * Resolves the days of a question, opens the prices of a folder, and warns of products on the `--skus` list that it does not have.
 *
 * @throws NotFoundError if the folder has no product of a given brand
 * @throws UsageError if there is nothing to compare since the given day
 */
export async function prepareQuestion<Options extends PriceOptions>(
  question: Pick<Question<Options>, "bookmarks" | "days">,
  options: Options,
  synced: SyncedFolder,
  context: Context,
): Promise<PreparedQuestion> {
  const { reporter, signal, folder, name, state } = synced;
  const newestInFolder = newestDayOf(synced, context.now());
  const ownList = options.ownList === undefined ? undefined : await readProductList(options.ownList, context, signal);
  const days = question.days?.(options, synced, { newest: newestInFolder, now: context.now() });
  const newest = days?.to ?? synced.filters.end_date ?? newestInFolder;
  const laterRows = rowsAfter(synced, newest, context.now());
  if (laterRows > 0) {
    reporter.warn(`${plural(laterRows, "row")} of ${name} dated after today left out`);
  }
  const newestByRetailer = newestOfRetailers(synced, newest);
  const comparison = days
    ? sinceDay(days.from)
    : question.bookmarks !== undefined
      ? await sinceOfRetailers({ since: options.since, command: question.bookmarks }, synced, newestByRetailer, context)
      : undefined;
  let prices: Awaited<ReturnType<typeof openJudgedPrices>> | undefined;
  const release = async () => {
    try {
      await prices?.[Symbol.asyncDispose]();
    } finally {
      await comparison?.bookmark?.release();
    }
  };
  try {
    const scope = {
      ...scopeOf(synced, options),
      days: daysOfRetailers(
        synced,
        newestByRetailer,
        { lastDay: newest, today: dayOf(context.now()) },
        comparison?.sinceOf,
      ),
      // Left null here: each question applies the list itself, because a report also covers products that are not on it.
      own_list: null,
    };
    const isNewest = days === undefined || days.isNewest === true || newest > newestInFolder;
    prices = await openJudgedPrices({
      folder,
      state,
      signal,
      lastDay: isNewest ? newest : newestInFolder,
      earlierDays: Object.entries(synced.filters.daysByRetailer ?? {}).flatMap(([retailer, { end_date }]) =>
        end_date === undefined ? [] : { retailer, lastDay: end_date },
      ),
      suspectFactor: options.suspectFactor,
      scope,
      ...indexMessages(reporter, name),
    });
    reporter.progress.clear();
    await checkBrandNames(prices, options.brands, name);
    if (ownList !== undefined && options.ownList !== undefined) {
      await checkOwnList(ownList, options.ownList, prices, synced);
    }
    const parameters = {
      ...scope,
      own_list: ownList === undefined ? null : ownListParameter(ownList),
      max_age: options.maxAge ?? null,
      last_day: newest,
    };
    return {
      prices,
      preamble: prices.preamble,
      parameters,
      retailers: [...newestByRetailer.keys()].sort(),
      newest,
      comparison,
      [Symbol.asyncDispose]: release,
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Callbacks that tell the user that an index is being built or cannot be stored. */
export function indexMessages(reporter: Reporter, name: string): Pick<PriceIndexRequest, "onBuild" | "onNotStored"> {
  return {
    onBuild: (days) => reporter.progress.update({ doing: `reading the prices of ${plural(days, "day")}` }),
    onNotStored: (reason) => reporter.note(`the index of ${name} cannot be stored for the next command: ${reason}`),
  };
}

/** The SQL parameters for the filters, except the days. */
function scopeOf({ filters }: SyncedFolder, { brands }: PriceOptions): Parameters {
  const list = (value: string | undefined) => (value === undefined ? null : [value]);
  return {
    departments: list(filters.department),
    categories: list(filters.category),
    combinations: filters.rcd?.split(",") ?? null,
    brands: brands ?? null,
  };
}

export async function checkBrandNames(
  prices: DuckDb,
  brands: readonly string[] | undefined,
  folderName: string,
): Promise<void> {
  for (const brand of brands ?? []) {
    const found = await readRows(prices, "SELECT 1 FROM brand WHERE brand_key = lower(trim($brand))", { brand });
    if (found.length === 0) {
      const names = (await readRows(prices, "SELECT brand FROM brand ORDER BY brand", {})).map(([name]) =>
        String(name),
      );
      throw new NotFoundError(`${folderName} has no product of the brand ${quoted(brand)}.`, {
        flag: "--brand",
        value: brand,
        suggestions: closest(brand, names),
      });
    }
  }
}
