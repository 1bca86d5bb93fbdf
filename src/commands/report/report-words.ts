import { percentText, priceCell } from "../../cli/terminal/tables/cell.ts";
import { firstFew, groupDigits, plural } from "../../contract/values/phrases.ts";
import type { AnswerRow } from "../../folder/ask/ask.ts";
import type { Report } from "./collect-report.ts";
import type { Figure } from "./figures.ts";

/** A figure that is a number of things; 0 if there is nothing to compare. */
export function countOf({ figures }: Report, name: Figure): number {
  return Number(figures[name]);
}

export function titleOf({ since, newest, isByRetailer }: Report): string {
  return since === undefined
    ? `Prices of ${newest}`
    : `Prices from ${since}${isByRetailer ? " or later" : ""} to ${newest}`;
}

/** What the figures rest on, in sentences. */
export function basisOf(report: Report): string[] {
  const { since, first, last, retailers, isByRetailer, isSinceReport } = report;
  const [products, suspects] = [countOf(report, "products"), countOf(report, "suspects")];
  const days = first === last ? `crawled on ${last}` : `crawled from ${first} to ${last}`;
  const compared = isByRetailer
    ? `Each retailer is compared with ${isSinceReport ? "its newest day in the previous report" : "a week before its newest day"}.`
    : "The last prices known on the two days are compared, within one currency.";
  return [
    `${plural(products, "known product")} of ${plural(retailers.length, "retailer")}, ${days}.`,
    since === undefined ? "There is no earlier day: nothing to compare yet." : compared,
    ...(suspects > 0
      ? [`Suspect prices of ${plural(suspects, "product")} are left out; --include-suspect takes them in.`]
      : []),
  ];
}

export function thenWords({ since, isByRetailer, isSinceReport }: Report): string {
  return isByRetailer ? (isSinceReport ? "at the previous report" : "a week before") : `on ${since}`;
}

/** `58 gone`, `213 not crawled (shop-b)` and `4 unknown`: without zeros, except for the first. */
export function goneWords(report: Report): string[] {
  const [notCrawled, unknown] = [countOf(report, "not_crawled"), countOf(report, "unknown")];
  return [
    `${groupDigits(countOf(report, "gone"))} gone`,
    ...(notCrawled > 0 ? [`${groupDigits(notCrawled)} not crawled (${firstFew(report.notCrawledAt)})`] : []),
    ...(unknown > 0 ? [`${groupDigits(unknown)} unknown`] : []),
  ];
}

export function troubleOf({ outage, outage_since, stale }: AnswerRow): string {
  return outage === true ? `outage since ${outage_since}` : stale === true ? "stale" : "";
}

/** `-16.6 %`, with a plus above zero; empty without one. */
export function changeWords(percent: number | null | undefined): string {
  return `${Number(percent) > 0 ? "+" : ""}${percentWords(percent)}`;
}

export function percentWords(percent: number | null | undefined): string {
  const text = percentText(percent ?? undefined);
  return text === undefined ? "" : `${text} %`;
}

export function priceWords(price: number, { currency }: { currency: string }): string {
  return priceCell(price, currency).text;
}
