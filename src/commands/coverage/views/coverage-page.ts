import type { CoverageResponse } from "../../../api/responses/coverage-response.ts";
import { groupBy } from "../../../cli/flags/list.ts";
import type { Coverage, CoverageSummary } from "../../../contract/coverage.ts";
import { FILTER_NAMES, type Filters } from "../../../contract/filters.ts";
import { dayNumber } from "../../../contract/values/day-arithmetic.ts";
import { counted, groupDigits } from "../../../contract/values/decimal.ts";
import { escapeHtml, renderPage } from "../../../output/html-document.ts";
import { visible } from "../../../output/terminal/visible.ts";
import { entriesInOrder } from "../groups.ts";
import type { Activity, Period } from "./activity.ts";
import { SCRIPT, STYLE } from "./page-assets.ts";

export interface PageFacts {
  filters: Filters;
  service: string;
  /** Milliseconds since the epoch. */
  now: number;
  activity: Activity;
}

/** A complete HTML page of a coverage: when each retailer was crawled, and every combination, folded by retailer. */
export function coveragePage({ data, meta }: CoverageResponse, facts: PageFacts): string {
  const entries = entriesInOrder(data, { sort: undefined, limit: undefined }) as Coverage[];
  const body = [
    "<h1>Coverage</h1>",
    `<p>${escapeHtml(describeSet(meta.coverage))}</p>`,
    `<p>${escapeHtml(describeOrigin(facts))}</p>`,
    ...(entries.length === 0 ? [] : [heatMap(facts.activity), combinationLists(entries, meta.coverage)]),
  ];
  return renderPage({ title: "Coverage", body: body.join("\n"), style: STYLE, script: SCRIPT });
}

function describeSet(summary: CoverageSummary): string {
  const { matching_rows, corpus_rows, earliest_date, latest_date } = summary;
  const counts = `${groupDigits(matching_rows)} matching of ${groupDigits(corpus_rows)} rows`;
  const days = earliest_date === null ? "nothing matches" : `crawled from ${earliest_date} to ${latest_date}`;
  return `${counts} in ${counted(summary.combinations, "combination")}; ${days}.`;
}

function describeOrigin({ filters, service, now }: PageFacts): string {
  const chosen = FILTER_NAMES.filter((name) => filters[name] !== undefined).map((name) => `${name} ${filters[name]}`);
  const narrowed = chosen.length === 0 ? "no filters" : chosen.join(", ");
  return `${service}; ${narrowed}; read at ${new Date(now).toISOString().slice(0, 16).replace("T", " ")} UTC.`;
}

/** Number of dates on the time axis of the heat map. */
const TICKS = 4;

/**
 * Rows a day of each retailer in each period. The shade grows with the square root of the rows, so that small retailers
 * remain visible.
 */
function heatMap({ periods, rows }: Activity): string {
  const perDay = (count: number, index: number) => count / (periods[index]?.days ?? 1);
  const most = [...rows.values()].flatMap((counts) => counts.map(perDay)).reduce((a, b) => Math.max(a, b), 0);
  const cell = (retailer: string, count: number, index: number): string => {
    const text = `${retailer}, ${daysIn(periods[index])}: ${counted(count, "row")}`;
    const shade =
      count === 0 ? "" : ` class="rows" style="--share: ${Math.sqrt(perDay(count, index) / most).toFixed(3)}"`;
    return `<td${shade} title="${escapeHtml(text)}"></td>`;
  };
  const lines = [...rows]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([retailer, counts]) => {
      const cells = counts.map((count, index) => cell(retailer, count, index)).join("");
      return `<tr><th scope="row"><a href="#${idOf(retailer)}">${escapeHtml(retailer)}</a></th>${cells}</tr>`;
    });
  return `<h2 id="map">Rows a day</h2>
<table id="heat"><thead><tr><td></td>${axis(periods)}</tr></thead>
<tbody>${lines.join("\n")}</tbody></table>
<p id="pointed" aria-live="polite">${escapeHtml(describePeriods(periods))} Point at a cell for its days and rows.</p>`;
}

function describePeriods(periods: readonly Period[]): string {
  const days = Math.max(0, ...periods.map((period) => period.days));
  const each = days === 1 ? "a day" : `${periods.every((period) => period.days === days) ? "" : "about "}${days} days`;
  return `${periods[0]?.start} to ${periods.at(-1)?.end}; each cell is ${each}; a stronger colour means more rows a day.`;
}

function daysIn(period: Period | undefined): string {
  return period === undefined || period.days === 1 ? `${period?.start}` : `${period.start} to ${period.end}`;
}

/** Labels of the time axis: the first day of every n-th period, as a month if the periods span years. */
function axis(periods: readonly Period[]): string {
  const step = Math.ceil(periods.length / TICKS);
  const days = periods.reduce((sum, period) => sum + period.days, 0);
  const [from, to] = days > 100 ? [0, 7] : [5, 10];
  return periods
    .map((period, index) => ({ period, index }))
    .filter(({ index }) => index % step === 0)
    .map(({ period, index }) => {
      const span = Math.min(step, periods.length - index);
      return `<th scope="col" colspan="${span}" title="${period.start}">${period.start.slice(from, to)}</th>`;
    })
    .join("");
}

function combinationLists(entries: readonly Coverage[], summary: CoverageSummary): string {
  const folded = [...groupBy(entries, ({ retailer }) => retailer)].map(([retailer, group]) =>
    retailerList(retailer, group, summary),
  );
  const orders = { name: "name", rows: "rows, most first", last: "last day, newest first" };
  const options = Object.entries(orders).map(([value, text]) => `<option value="${value}">${text}</option>`);
  return `<h2>Combinations</h2>
<p class="tools"><input id="search" type="search" placeholder="Search retailer, department, category" aria-label="Search">
<label>Sort by <select id="sort">${options.join("")}</select></label>
<output id="found">${counted(entries.length, "combination")}</output></p>
<p class="scale"><span>${escapeHtml(summary.earliest_date ?? "")}</span><span>${escapeHtml(summary.latest_date ?? "")}</span></p>
<div id="retailers">${folded.join("\n")}</div>
<p><a href="#map">Back to the map</a></p>`;
}

function retailerList(retailer: string, group: readonly Coverage[], summary: CoverageSummary): string {
  const rows = group.reduce((sum, { matching_rows }) => sum + matching_rows, 0);
  const dates = group.flatMap(({ earliest_date, latest_date }) => [earliest_date, latest_date]).sort();
  const [first = "", last = first] = [dates[0], dates.at(-1)];
  const days = dayTrack({ earliest_date: first, latest_date: last }, summary);
  return `<details id="${idOf(retailer)}" data-name="${escapeHtml(retailer)}" data-rows="${rows}" data-last="${last}">
<summary><b>${escapeHtml(retailer)}</b> <span class="count">${groupDigits(rows)} rows</span> <small>${counted(group.length, "combination")}</small>${days}</summary>
<table><thead><tr><th scope="col">department</th><th scope="col">category</th><th scope="col" class="count">rows</th><th scope="col">days</th><td></td></tr></thead>
<tbody>${group.map((entry) => combinationRow(entry, summary)).join("\n")}</tbody></table></details>`;
}

function combinationRow(entry: Coverage, summary: CoverageSummary): string {
  const { retailer, department, category, matching_rows, corpus_rows, earliest_date, latest_date } = entry;
  const of = corpus_rows === matching_rows ? "" : ` <small>of ${groupDigits(corpus_rows)}</small>`;
  const days = earliest_date === latest_date ? latest_date : `${earliest_date} to ${latest_date}`;
  const name = escapeHtml([retailer, department, category].join(" "));
  return `<tr data-name="${name}" data-rows="${matching_rows}" data-last="${escapeHtml(latest_date)}"><td>${escapeHtml(department)}</td><td>${escapeHtml(category)}</td><td class="count">${groupDigits(matching_rows)}${of}</td><td class="days">${escapeHtml(days)}</td><td>${dayTrack(entry, summary)}</td></tr>`;
}

function idOf(retailer: string): string {
  return `r-${encodeURIComponent(visible(retailer))}`;
}

/** Number of days from the first to the last, both included. */
function spanOf(first: string, last: string): number {
  return dayNumber(last) - dayNumber(first) + 1;
}

/** Draws days on the time line of the whole set. */
function dayTrack(
  { earliest_date: first, latest_date: last }: Pick<Coverage, "earliest_date" | "latest_date">,
  summary: CoverageSummary,
): string {
  const start = summary.earliest_date ?? first;
  const percent = (part: number) => `${((part / spanOf(start, summary.latest_date ?? last)) * 100).toFixed(2)}%`;
  const from = dayNumber(first) - dayNumber(start);
  const style = `--from: ${percent(from)}; --length: ${percent(spanOf(first, last))}`;
  return `<span class="track" title="${escapeHtml(`${first} to ${last}`)}"><span class="range" style="${style}"></span></span>`;
}
