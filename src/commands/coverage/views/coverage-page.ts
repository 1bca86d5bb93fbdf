import { html, renderPage } from "../../../cli/html/html-document.ts";
import type { Coverage, CoverageSummary } from "../../../contract/coverage.ts";
import { dayNumber, daysBetween, minuteOf } from "../../../contract/values/day-arithmetic.ts";
import { groupBy } from "../../../contract/values/group-by.ts";
import type { Html } from "../../../contract/values/html-tag.ts";
import { groupDigits, plural } from "../../../contract/values/phrases.ts";
import { visible } from "../../../contract/values/visible.ts";
import type { Counts } from "../counts.ts";
import { type CombinationEntry, combinationEntries, daysOld, entriesInOrder, sumOfParts } from "../groups.ts";
import { type Activity, activityOfDays, type Period } from "./activity.ts";
import { SCRIPT, STYLE } from "./page-assets.ts";

export interface CoveragePageFacts {
  /** As flags; empty without any. */
  filters: string;
  service: string;
  /** Milliseconds since the epoch. */
  now: number;
}

type CoverageOfPage = Pick<Counts, "combinations" | "summary" | "days">;

type RetailerGroup = ReturnType<typeof stalestFirst>[number];

/**
 * A complete HTML page of a coverage: when each retailer was crawled, if the days are known, and every combination, the stalest
 * retailer first.
 */
export function coveragePage({ combinations, summary, days }: CoverageOfPage, facts: CoveragePageFacts): string {
  const retailers = stalestFirst(combinations, facts.now);
  const hasMap = days.length > 0;
  const body = html`<h1>Coverage</h1>
<p>${describeSet(summary)}</p>
<p>${describeOrigin(facts)}</p>
${hasMap ? heatMap(activityOfDays(days), retailers) : ""}
${retailers.length > 0 ? combinationLists(retailers, summary) : ""}
${hasMap ? html`<p><a href="#map">Back to the map</a></p>` : ""}`;
  return renderPage({ title: "Coverage", body, style: STYLE, script: SCRIPT });
}

/** The combinations of each retailer, with what they have together. */
function stalestFirst(coverage: readonly Coverage[], now: number) {
  const named = entriesInOrder(combinationEntries(coverage, now));
  const groups = [...groupBy(named, ({ retailer }) => retailer)].map(([retailer, entries]) => {
    const together = sumOfParts(entries, now);
    return { retailer, entries: sortByAge(entries), ...together, days_old: daysOld(together.latest_date, now) };
  });
  return sortByAge(groups);
}

/** The oldest first, and those without an age last; the order of equals stays. */
function sortByAge<Aged extends { days_old: number | null }>(items: readonly Aged[]): Aged[] {
  return [...items].sort((a, b) => (b.days_old ?? -1e9) - (a.days_old ?? -1e9));
}

function describeSet(summary: CoverageSummary): string {
  const { matching_rows, corpus_rows, earliest_date, latest_date } = summary;
  const rows =
    matching_rows === corpus_rows
      ? plural(matching_rows, "row")
      : `${groupDigits(matching_rows)} matching of ${plural(corpus_rows, "row")}`;
  const days = earliest_date === latest_date ? `on ${earliest_date}` : `from ${earliest_date} to ${latest_date}`;
  const crawled = earliest_date === null ? "nothing matches" : `crawled ${days}`;
  return `${rows} in ${plural(summary.combinations, "combination")}; ${crawled}.`;
}

function describeOrigin({ filters, service, now }: CoveragePageFacts): string {
  return `${service}; ${filters || "no filters"}; read at ${minuteOf(now)}.`;
}

/** Number of dates on the time axis of a short map. */
const TICKS = 4;

/** With more columns than this they are narrow, so that a date needs several. */
const MANY_COLUMNS = 60;
const COLUMNS_OF_DATE = 11;

/**
 * Rows a day of each retailer in each period. The shade grows with the square root of the rows, so that small retailers
 * remain visible.
 */
function heatMap({ periods, rows }: Activity, retailers: readonly RetailerGroup[]): Html {
  const perDay = (count: number, index: number) => count / (periods[index]?.days ?? 1);
  const largest = [...rows.values()].flatMap((counts) => counts.map(perDay)).reduce((a, b) => Math.max(a, b), 0);
  const cell = (count: number, index: number): Html => {
    const text = plural(count, "row");
    if (count > 0) {
      return html`<td class="rows" style="--share: ${Math.sqrt(perDay(count, index) / largest).toFixed(3)}">${text}</td>`;
    }
    return periods[index]?.isGap ? html`<td class="gap">${text}</td>` : html`<td>${text}</td>`;
  };
  const order = new Map(retailers.map(({ retailer }, index) => [retailer, index]));
  const lines = [...rows].sort(([a], [b]) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
  return html`<h2 id="map">Rows a day</h2>
<div id="days" class="scroll" tabindex="0" role="region" aria-label="Rows a day">
<table class="map" style="--columns: ${periods.length}"><colgroup><col>${periods.map(
    (period) => html`<col data-tip="${daysIn(period)}">`,
  )}</colgroup>
<thead><tr><td></td>${axis(periods)}</tr></thead>
<tbody>${lines.map(
    ([retailer, counts]) =>
      html`<tr><th scope="row"><a href="#${idOf(retailer)}">${retailer}</a></th>${counts.map(cell)}</tr>\n`,
  )}</tbody></table>
</div>
<p>${describePeriods(periods)} Hover over or tap a cell for details.</p>`;
}

function describePeriods(periods: readonly Period[]): string {
  const shown = periods.filter(({ isGap }) => !isGap);
  const days = Math.max(0, ...shown.map((period) => period.days));
  const each = days === 1 ? "a day" : `${shown.every((period) => period.days === days) ? "" : "about "}${days} days`;
  const gaps = shown.length === periods.length ? "" : "; a hatched cell is a longer time without rows";
  return `${periods[0]?.start} to ${periods.at(-1)?.end}; each cell is ${each}${gaps}; a stronger colour means more rows a day.`;
}

function daysIn({ start, end, days }: Period): string {
  return days === 1 ? start : `${start} to ${end}`;
}

/**
 * Labels of the time axis, each over the columns up to the next one: in a long axis where a month begins, in a short one at
 * every n-th period. If the days span more than 100, labels are months, otherwise days.
 */
function axis(periods: readonly Period[]): Html[] {
  const isLong = periods.length > MANY_COLUMNS;
  const step = isLong ? COLUMNS_OF_DATE : Math.ceil(periods.length / TICKS);
  const days = periods.reduce((sum, period) => sum + period.days, 0);
  const [from, to] = days > 100 ? [0, 7] : [5, 10];
  const labels = isLong
    ? monthLabels(periods, step)
    : periods.flatMap((_, index) => (index % step === 0 ? [index] : []));
  const starts = periods.flatMap(({ isGap }, index) => (index === 0 || isGap || labels.includes(index) ? [index] : []));
  return starts.map((index, number) => {
    const span = (starts[number + 1] ?? periods.length) - index;
    const label = periods[index]?.start.slice(from, to) ?? "";
    return labels.includes(index)
      ? html`<th scope="col" colspan="${span}">${label}</th>`
      : html`<td colspan="${span}"></td>`;
  });
}

/** The first columns of months, at least `step` columns apart. Of two months that are too close, the longer one counts. */
function monthLabels(periods: readonly Period[], step: number): number[] {
  const columns = periods.flatMap(({ isGap }, index) => (isGap ? [] : index));
  const months = groupBy(columns, (index) => periods[index]?.start.slice(0, 7));
  const labels: { at: number; columns: number }[] = [];
  for (const [at = 0, ...more] of months.values()) {
    const last = labels.at(-1);
    const month = { at, columns: more.length + 1 };
    if (last === undefined || at - last.at >= step) {
      labels.push(month);
    } else if (month.columns > last.columns) {
      labels[labels.length - 1] = month;
    }
  }
  return labels.map(({ at }) => at).filter((at) => periods.length - at >= step);
}

const ORDERS = { age: "stalest first", name: "name", rows: "rows, most first", last: "last day, newest first" };

function combinationLists(retailers: readonly RetailerGroup[], summary: CoverageSummary): Html {
  return html`<h2>Combinations</h2>
<p class="tools"><input id="search" type="search" placeholder="Search retailer, department, category" aria-label="Search">
<label>Sort by <select id="sort">${Object.entries(ORDERS).map(([value, text]) => html`<option value="${value}">${text}</option>`)}</select></label>
<output id="found">${plural(summary.combinations, "combination")}</output></p>
<p class="scale"><span>${summary.earliest_date ?? ""}</span><span>${summary.latest_date ?? ""}</span></p>
<div id="retailers">${retailers.map((group) => retailerList(group, summary))}</div>`;
}

const HEADINGS = html`<th scope="col">department</th><th scope="col">category</th><th scope="col" class="count">rows</th><th scope="col">days</th><th scope="col" class="count">days old</th><td></td>`;

function retailerList(group: RetailerGroup, summary: CoverageSummary): Html {
  const { retailer, entries, combinations, matching_rows: rows, latest_date, days_old } = group;
  return html`<details id="${idOf(retailer)}" data-name="${retailer}" data-rows="${rows}" data-last="${latest_date ?? ""}" data-age="${days_old ?? -Infinity}">
<summary><b>${retailer}</b> <span class="count">${plural(rows, "row")}</span> <small>${plural(combinations, "combination")}</small> <small class="age count">${ageText(days_old)}</small>${dayTrack(group, summary)}</summary>
<table><thead><tr>${HEADINGS}</tr></thead>
<tbody>${entries.map((entry) => combinationRow(entry, summary))}</tbody></table></details>\n`;
}

function ageText(days: number | null): string {
  return days === null ? "" : days <= 0 ? "today" : `${plural(days, "day")} old`;
}

function combinationRow(entry: CombinationEntry, summary: CoverageSummary): Html {
  const { retailer, department, category, matching_rows, corpus_rows, earliest_date, latest_date, days_old } = entry;
  const of = corpus_rows === matching_rows ? html`` : html` <small>of ${groupDigits(corpus_rows)}</small>`;
  const days = earliest_date === latest_date ? latest_date : `${earliest_date} to ${latest_date}`;
  const name = [retailer, department, category].join(" ");
  return html`<tr data-name="${name}" data-rows="${matching_rows}" data-last="${latest_date}" data-age="${days_old ?? -Infinity}"><td>${department}</td><td>${category}</td><td class="count">${groupDigits(matching_rows)}${of}</td><td class="days">${days}</td><td class="count">${days_old === null ? "" : groupDigits(days_old)}</td><td>${dayTrack(entry, summary)}</td></tr>\n`;
}

function idOf(retailer: string): string {
  return `r-${encodeURIComponent(visible(retailer))}`;
}

type Days = Pick<CoverageSummary, "earliest_date" | "latest_date">;

/** Draws days on the time line of the whole set; nothing without matching rows. */
function dayTrack({ earliest_date: first, latest_date: last }: Days, whole: Days): Html {
  const [start, end] = [whole.earliest_date, whole.latest_date];
  if (first === null || last === null || start === null || end === null) {
    return html`<span class="track"></span>`;
  }
  const percent = (days: number) => `${((days / daysBetween(start, end)) * 100).toFixed(2)}%`;
  const from = dayNumber(first) - dayNumber(start);
  const style = `--from: ${percent(from)}; --length: ${percent(daysBetween(first, last))}`;
  return html`<span class="track" data-tip="${first} to ${last}"><span class="range" style="${style}"></span></span>`;
}
