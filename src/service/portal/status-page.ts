import type { StatusDay, StatusFeed, StatusIncident, StatusSuite } from "../../contract/status.ts";
import { type Html, html } from "./html.ts";
import { page } from "./layout.ts";

type State = StatusDay["state"];

const WORDS: Record<State, string> = {
  operational: "Operational",
  degraded: "Degraded",
  outage: "Outage",
  no_data: "No data",
};

const HEADLINES: Record<StatusFeed["state"], string> = {
  operational: "All systems operational",
  degraded: "Degraded service",
  outage: "Service outage",
};

/** The status feed for people: the present state, a bar for each day, incidents. */
export function statusPage(feed: StatusFeed): Html {
  const { state, sample_data, window_days, uptime_target, suites, incidents } = feed;
  return page(
    `${HEADLINES[state]} – Retail Catalog Read API`,
    html`<h1>Retail Catalog Read API</h1>
<p class="card banner ${state}"><strong>${HEADLINES[state]}</strong></p>
${sample_data ? [html`<p class="quiet">This service answers with generated demo data.</p>`] : []}
<p class="quiet">Target: ${uptime_target} of requests over ${window_days} days. Days are UTC.
The same as data: <a href="/status.json">status.json</a>.</p>
${suites.map((suite) => suiteCard(suite))}
<p class="quiet">${(Object.keys(WORDS) as State[]).map((word) => html`${dot(word)}${WORDS[word]} &nbsp; `)}</p>
<h2>Incidents</h2>
${incidents.length === 0 ? html`<p class="quiet">None in the last ${window_days} days.</p>` : incidents.map(incidentCard)}`,
  );
}

function suiteCard({ name, state, uptime_pct, endpoints, days }: StatusSuite): Html {
  return html`
<section class="card">
<div class="row"><h2>${dot(state)}${name}</h2><span>${WORDS[state]}</span></div>
<ol class="bars" aria-label="State of each of the last ${days.length} days">${days.map(bar)}</ol>
<div class="row quiet"><span>${days.length} days ago</span><span>${uptime_pct} % uptime</span><span>Today</span></div>
<ul class="endpoints">${endpoints.map(
    (endpoint) => html`
<li class="row"><span>${dot(endpoint.state)}<code>${endpoint.label}</code></span><span class="quiet">${endpoint.uptime_pct} %</span></li>`,
  )}
</ul>
</section>`;
}

function bar({ date, state, uptime_pct }: StatusDay): Html {
  const figure = uptime_pct === null ? "" : `, ${uptime_pct} %`;
  const text = `${date}: ${WORDS[state]}${figure}`;
  return html`<li class="${state}" title="${text}" aria-label="${text}"></li>`;
}

function dot(state: State): Html {
  return html`<span class="dot ${state}"></span>`;
}

function incidentCard({ title, suite, severity, started_at, resolved_at, updates }: StatusIncident): Html {
  return html`
<section class="card">
<div class="row"><h3>${title}</h3><span class="quiet">${severity}, ${suite}</span></div>
<p class="quiet">${time(started_at)} – ${resolved_at === null ? "ongoing" : time(resolved_at)}</p>
<ol class="updates">${updates.map(
    (update) =>
      html`<li><strong>${update.state}</strong> <span class="quiet">${time(update.posted_at)}</span><br>${update.body}</li>`,
  )}</ol>
</section>`;
}

function time(timestamp: string): Html {
  return html`<time datetime="${timestamp}">${timestamp.slice(0, 16).replace("T", " ")} UTC</time>`;
}
