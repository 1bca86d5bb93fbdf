import type { Run } from "../../cli/context.ts";
import { namesOf, type Question } from "../../cli/question/question.ts";
import { runQuestion } from "../../cli/question/run-question.ts";
import { UsageError } from "../../contract/errors.ts";
import { closest } from "../../contract/values/closest.ts";
import { plural, quoted } from "../../contract/values/phrases.ts";
import { type DuckDb, sqlText } from "../../files/duckdb.ts";
import { sqlName } from "../../files/duckdb-texts.ts";
import { type Parameters, readRows } from "../../folder/ask/ask.ts";
import COMPARE from "../../folder/questions/compare.sql";
import { readExchangeRates } from "./exchange-rates.ts";
import { type CompareOptions, compareColumns, priceOfRetailer } from "./options.ts";

export const askCompare: Run<CompareOptions> = (options, context) => runQuestion(questionOf(options), options, context);

function questionOf({ by, conversion }: CompareOptions): Question<CompareOptions> {
  return {
    sql: COMPARE,
    columns: compareColumns(by),
    ofRetailers: columnsOfRetailers,
    parameters: () => ({ by, currency: conversion?.currency ?? null }),
    find: async (prices, parameters, _, { signal, reporter }) => {
      if (conversion === undefined) {
        return { rates: null };
      }
      const rates = await readExchangeRates(conversion.rates, signal);
      for (const [currency, products] of await withoutRate(prices, { ...parameters, rates })) {
        const what = `${plural(Number(products), "product")} in ${currency} left out`;
        reporter.warn(`${what}: ${conversion.rates} has no rate for it`);
      }
      return { rates };
    },
    subject: by,
    noun: "product",
    view: async () => (await import("./compare-table.ts")).compareText,
  };
}

/** Adds a column for each retailer. @throws UsageError if the command line names the column of an unknown retailer */
function columnsOfRetailers(options: CompareOptions, retailers: readonly string[]) {
  const { by, columns = [], list, failIf } = options;
  const all = [...compareColumns(by), ...retailers.map(priceOfRetailer)];
  const known = [...namesOf(all), "count"];
  const named = [...columns, ...[list.sort, ...(failIf?.comparisons ?? [])].flatMap((one) => one?.column ?? [])];
  const wrong = named.find((name) => !known.includes(name));
  if (wrong !== undefined) {
    throw new UsageError(`There is no column ${quoted(wrong)}: the retailers are ${retailers.join(", ")}.`, {
      value: wrong,
      suggestions: closest(wrong, known),
    });
  }
  const parts = by.map((name, index) => `parts[${index + 1}] AS ${name}`);
  const sqlNames = sqlNamesOf(retailers);
  const prices = retailers.map((retailer) => {
    const { name } = priceOfRetailer(retailer);
    return `prices[${sqlText(retailer)}] AS ${sqlName(sqlNames[name] ?? name)}`;
  });
  return {
    sqlNames,
    sql: `SELECT ${[...parts, "* EXCLUDE (parts, prices)", ...prices].join(", ")} FROM (\n${COMPARE.trim()}\n)`,
    columns: all,
  };
}

/** Another name in SQL for each column whose name differs from an earlier one in the case of letters only. */
function sqlNamesOf(retailers: readonly string[]): Record<string, string> {
  const names = retailers.map((retailer) => priceOfRetailer(retailer).name);
  const folded = names.map((name) => name.toLowerCase());
  const sqlNameOf = (name: string, index: number) =>
    folded.indexOf(name.toLowerCase()) === index ? name : `price ${index + 1}`;
  return Object.fromEntries(names.map((name, index) => [name, sqlNameOf(name, index)]));
}

/** The currencies of known prices that have no rate, with their products. */
async function withoutRate(prices: DuckDb, parameters: Parameters) {
  const sql = `SELECT currency, count(*)
    FROM last_observed($days, $departments, $categories, $combinations, $brands, $own_list)
    WHERE currency <> $currency AND ($max_age IS NULL OR day >= last_day - $max_age::INTEGER)
      AND currency NOT IN (SELECT unnest($rates::STRUCT(currency VARCHAR, rate VARCHAR)[]).currency)
    GROUP BY currency ORDER BY currency`;
  return await readRows(prices, sql, parameters);
}
