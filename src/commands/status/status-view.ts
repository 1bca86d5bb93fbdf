import { type Screen, type Style, style } from "../../cli/terminal/style.ts";
import { padEnd, truncate, widthOf } from "../../cli/terminal/width.ts";
import { wrap } from "../../cli/terminal/wrap.ts";
import type { StatusDay, StatusFeed, StatusIncident, StatusSuite } from "../../contract/status.ts";
import { minuteOf } from "../../contract/values/day-arithmetic.ts";
import { visible } from "../../contract/values/visible.ts";

type State = StatusDay["state"];

/** How each state is drawn. Worse states stand out more, even without colour. */
const LOOKS = {
  operational: { block: "░", styles: ["green"], word: "operational" },
  degraded: { block: "▓", styles: ["yellow"], word: "degraded" },
  outage: { block: "█", styles: ["red", "bold"], word: "outage" },
  no_data: { block: "·", styles: ["dim"], word: "no data" },
} as const satisfies Record<State, { block: string; styles: readonly Style[]; word: string }>;

type StatusView = Screen & { width: number };

/** The status feed for people: suites, with a block for each of the latest days that fit, and incidents, open ones first. */
export function renderStatus(feed: StatusFeed, view: StatusView): string {
  const { state, uptime_target, window_days, sample_data, suites, incidents } = feed;
  const open = incidents.filter(({ resolved_at }) => resolved_at === null);
  const past = incidents.filter(({ resolved_at }) => resolved_at !== null);
  const sections = [
    [
      `${look(state, "word", view)}, target ${visible(uptime_target)} over ${window_days} days${sample_data ? ", generated demo data" : ""}`,
    ],
    ...suites.map((suite) => suiteLines(suite, view)),
    suites.some(hasDays) ? [legend(view)] : [],
    incidents.length === 0 ? [`No incidents in ${window_days} days.`] : [],
    ...[...open, ...past].map((incident) => incidentLines(incident, view)),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

function suiteLines(suite: StatusSuite, view: StatusView): string[] {
  const { name, state, uptime_pct, endpoints, days } = suite;
  const shown = days.slice(-view.width);
  const labelWidth = Math.max(0, ...endpoints.map(({ label }) => widthOf(visible(label))));
  return [
    `${style("bold", visible(name), view.colour)}  ${look(state, "word", view)}  ${uptimeText(uptime_pct, " uptime")}`.trimEnd(),
    ...(hasDays(suite) ? [shown.map((day) => look(day.state, "block", view)).join(""), daysLine(shown)] : []),
    ...endpoints.map(({ label, ...endpoint }) =>
      `  ${padEnd(visible(label), labelWidth)}  ${look(endpoint.state, "word", view)}  ${uptimeText(endpoint.uptime_pct)}`.trimEnd(),
    ),
  ];
}

function hasDays({ days }: StatusSuite): boolean {
  return days.some(({ state }) => state !== "no_data");
}

/** Empty without data: the state shows that already. */
function uptimeText(percentage: number | null, what = ""): string {
  return percentage === null ? "" : `${percentage} %${what}`;
}

/** The first and the last day, each below its block. */
function daysLine(days: readonly StatusDay[]): string {
  const [first = "", last = ""] = [days.at(0)?.date, days.at(-1)?.date];
  const gap = days.length - first.length - last.length;
  return gap < 1 ? last : `${first}${" ".repeat(gap)}${last}`;
}

function legend(view: StatusView): string {
  return (Object.keys(LOOKS) as State[])
    .map((state) => `${look(state, "block", view)} ${LOOKS[state].word}`)
    .join("  ");
}

/** The column where the text of an update begins. */
const UPDATE_INDENT = "  YYYY-MM-DD hh:mm UTC  ".length;

function incidentLines(incident: StatusIncident, view: StatusView): string[] {
  const { title, suite, severity, started_at, resolved_at, updates } = incident;
  const span =
    resolved_at === null
      ? `open since ${minuteOf(Date.parse(started_at))}`
      : `${minuteOf(Date.parse(started_at))} to ${minuteOf(Date.parse(resolved_at))}`;
  return [
    style("bold", truncate(visible(title), view.width), view.colour),
    wrap(`  ${severity}, ${visible(suite)}, ${span}`, view.width, 2),
    ...updates.map(({ state, body, posted_at }) =>
      wrap(`  ${minuteOf(Date.parse(posted_at))}  ${state}: ${visible(body)}`, view.width, UPDATE_INDENT),
    ),
  ];
}

/** The block or the word of a state, in its styles. */
function look(state: State, part: "block" | "word", { colour }: StatusView): string {
  return LOOKS[state].styles.reduce((inner, name) => style(name, inner, colour), LOOKS[state][part] as string);
}
