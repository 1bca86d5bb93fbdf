import type { CoverageAnswer } from "../../api/coverage-answer.ts";
import type { Coverage, CoverageSummary } from "../../contract/coverage.ts";
import { groupDigits } from "../../contract/decimal.ts";
import { FILTER_NAMES, type Filters } from "../../contract/filters.ts";
import { escapeHtml, renderPage } from "../../output/terminal/html.ts";
import { listed } from "./groups.ts";
import { SCRIPT, STYLE } from "./page-assets.ts";

export interface PageFacts {
  filters: Filters;
  /** Names the service. */
  service: string;
  /** Milliseconds since the epoch. */
  now: number;
}

/** A page of its own that shows a coverage: a heat map of retailers by department, and every combination. */
export function coveragePage({ data, meta }: CoverageAnswer, facts: PageFacts): string {
  const entries = listed(data, { sort: undefined, limit: undefined }) as Coverage[];
  const body = [
    `<h1>Coverage</h1>`,
    `<p>${escapeHtml(describeSet(meta.coverage))}</p>`,
    `<p>${escapeHtml(describeOrigin(facts))}</p>`,
    ...(entries.length === 0 ? [] : [heatMap(entries), combinationTable(entries, meta.coverage)]),
  ];
  return renderPage({ title: "Coverage", body: body.join("\n"), style: STYLE, script: SCRIPT });
}

function describeSet({
  combinations,
  matching_rows,
  corpus_rows,
  earliest_date,
  latest_date,
}: CoverageSummary): string {
  const counts = `${groupDigits(matching_rows)} matching of ${groupDigits(corpus_rows)} rows in ${groupDigits(combinations)}`;
  const days = earliest_date === null ? "nothing matches" : `crawled from ${earliest_date} to ${latest_date}`;
  return `${counts} combination${combinations === 1 ? "" : "s"}; ${days}.`;
}

function describeOrigin({ filters, service, now }: PageFacts): string {
  const chosen = FILTER_NAMES.filter((name) => filters[name] !== undefined).map((name) => `${name} ${filters[name]}`);
  const narrowed = chosen.length === 0 ? "no filters" : chosen.join(", ");
  return `${service}; ${narrowed}; read at ${new Date(now).toISOString().slice(0, 16).replace("T", " ")} UTC.`;
}

/**
 * Matching rows of each department at each retailer, the largest department first: departments may be hundreds. The
 * shade grows with the root of the rows, or large ones would hide the rest.
 */
function heatMap(entries: readonly Coverage[]): string {
  const retailers = [...new Set(entries.map(({ retailer }) => retailer))].sort();
  const departments = new Map<string, Map<string, number>>();
  for (const { retailer, department, matching_rows } of entries) {
    const rows = departments.get(department) ?? new Map<string, number>();
    departments.set(department, rows.set(retailer, (rows.get(retailer) ?? 0) + matching_rows));
  }
  const most = [...departments.values()].flatMap((rows) => [...rows.values()]).reduce((a, b) => Math.max(a, b), 1);
  const total = (rows: ReadonlyMap<string, number>) => [...rows.values()].reduce((sum, count) => sum + count, 0);
  const cell = (count: number | undefined): string =>
    count === undefined
      ? "<td></td>"
      : `<td class="heat" style="--share: ${Math.sqrt(count / most).toFixed(3)}">${groupDigits(count)}</td>`;
  const head = retailers.map((retailer) => `<th scope="col">${escapeHtml(retailer)}</th>`).join("");
  const lines = [...departments]
    .sort(([, a], [, b]) => total(b) - total(a))
    .map(([department, rows]) => {
      const cells = retailers.map((retailer) => cell(rows.get(retailer))).join("");
      return `<tr><th scope="row">${escapeHtml(department)}</th>${cells}</tr>`;
    });
  return `<h2>Rows by department and retailer</h2>
<div class="scroll"><table id="heat"><thead><tr><td></td>${head}</tr></thead>
<tbody>${lines.join("\n")}</tbody></table></div>`;
}

const HEADINGS = [
  { heading: "retailer", kind: "" },
  { heading: "department", kind: "" },
  { heading: "category", kind: "" },
  { heading: "matching rows", kind: "number" },
  { heading: "corpus rows", kind: "number" },
  { heading: "first day", kind: "" },
  { heading: "last day", kind: "" },
] as const;

function combinationTable(entries: readonly Coverage[], summary: CoverageSummary): string {
  const head = HEADINGS.map(
    ({ heading, kind }) => `<th scope="col" class="${kind}"><button type="button">${heading}</button></th>`,
  );
  const number = (count: number) => `<td class="number" data-value="${count}">${groupDigits(count)}</td>`;
  const text = (value: string) => `<td>${escapeHtml(value)}</td>`;
  const date = (value: string) => `<td class="date">${escapeHtml(value)}</td>`;
  const lines = entries.map((entry) => {
    const names = [entry.retailer, entry.department, entry.category].map(text).join("");
    const counts = number(entry.matching_rows) + number(entry.corpus_rows);
    return `<tr>${names}${counts}${date(entry.earliest_date)}${date(entry.latest_date)}<td>${rangeOf(entry, summary)}</td></tr>`;
  });
  const total = `<td colspan="3">total</td>${number(summary.matching_rows)}${number(summary.corpus_rows)}`;
  const days = date(summary.earliest_date ?? "") + date(summary.latest_date ?? "");
  return `<h2>Combinations</h2>
<div><table id="combinations"><thead><tr>${head.join("")}<th scope="col">range</th></tr></thead>
<tbody>${lines.join("\n")}</tbody>
<tfoot><tr>${total}${days}<td></td></tr></tfoot></table></div>`;
}

const DAY = 86_400_000;

/** The days of an entry on the time line of the whole set. */
function rangeOf(entry: Coverage, { earliest_date, latest_date }: CoverageSummary): string {
  const start = Date.parse(earliest_date ?? entry.earliest_date);
  const span = Date.parse(latest_date ?? entry.latest_date) + DAY - start;
  const percent = (from: number) => `${((from / span) * 100).toFixed(2)}%`;
  const from = Date.parse(entry.earliest_date);
  const length = Date.parse(entry.latest_date) + DAY - from;
  return `<span class="track"><span class="range" style="--from: ${percent(from - start)}; --length: ${percent(length)}"></span></span>`;
}
