import { readCsvTable } from "../../cli/source/csv-table.ts";
import { FileError } from "../../contract/errors.ts";
import { RowError } from "../../files/content-error.ts";
import { readNamedFile } from "../../files/read-text.ts";

type ExchangeRate = {
  currency: string;
  /** A decimal. */
  rate: string;
};

/**
 * Reads a file of exchange rates: CSV with the columns `currency` and `rate`.
 *
 * @throws FileError naming the line and what was expected
 */
export async function readExchangeRates(file: string, signal: AbortSignal): Promise<ExchangeRate[]> {
  const rates = new Map<string, { rate: string; line: number }>();
  const kind = "exchange rates are CSV with the columns currency and rate";
  const table = { name: file, kind, required: ["currency", "rate"], optional: [], ignored: ["", "date"] };
  await readCsvTable(readNamedFile(file, signal), table, ({ line, cell, refuse }) => {
    const currency = cell("currency") ?? "";
    if (!/^[A-Z]{3}$/.test(currency)) {
      refuse("currency", currency, "a currency of three capital letters, such as EUR");
    }
    const rate = cell("rate") ?? "";
    if (!/^\d{1,9}(\.\d{1,9})?$/.test(rate) || Number(rate) === 0) {
      refuse("rate", rate, "a number above 0 and below 1000000000 with at most nine decimals, such as 0.92");
    }
    const earlier = rates.get(currency);
    if (earlier !== undefined) {
      const found = `${JSON.stringify(currency)}, which is already on line ${earlier.line}`;
      throw new RowError({ line, expected: "each currency once", found });
    }
    rates.set(currency, { rate, line });
  });
  if (rates.size === 0) {
    throw new FileError(`${file} has no rate; write a line for each currency below the header, such as USD,0.92`, file);
  }
  return [...rates].map(([currency, { rate }]) => ({ currency, rate }));
}
