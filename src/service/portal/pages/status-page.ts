import type { ServiceState, StatusDay, StatusFeed, StatusIncident, StatusSuite } from "../../../contract/status.ts";
import type { Html } from "../../../contract/values/html-tag.ts";
import { html, portalPage, timeElement } from "../layout.ts";

const WORDS: Record<ServiceState, string> = {
  operational: "Operational",
  degraded: "Degraded",
  outage: "Outage",
  no_data: "No data",
};

const HEADLINES: Record<ServiceState, string> = {
  operational: "All systems operational",
  degraded: "Degraded service",
  outage: "Service outage",
  no_data: "No data",
};

/** The status feed as a page: the current state, a bar for each day, and the incidents. */
export function statusPage(feed: StatusFeed): Html {
  const { state, sample_data, window_days, uptime_target, suites, incidents } = feed;
  const open = incidents.filter(({ resolved_at }) => resolved_at === null);
  const past = incidents.filter(({ resolved_at }) => resolved_at !== null);
  return portalPage(
    { title: HEADLINES[state], section: "/status" },
    html`<h1>Status</h1>
<p class="card banner ${state}"><strong>${HEADLINES[state]}</strong></p>
${open.length === 0 ? "" : html`<h2>Open incidents</h2>${open.map(incidentCard)}`}
${sample_data ? html`<p class="quiet">This service returns generated demo data.</p>` : ""}
<p class="quiet">Target: ${uptime_target} of requests without a 5xx over ${window_days} days.
Days are UTC. As JSON: <a href="/status.json">status.json</a>.</p>
<ul class="legend quiet">${(Object.keys(WORDS) as ServiceState[]).map((word) => html`<li>${dot(word)}${WORDS[word]}</li>`)}</ul>
<h2>The last ${window_days} days</h2>
${suites.map(suiteCard)}
<h2>Past incidents</h2>
${past.length === 0 ? html`<p class="quiet">None in the last ${window_days} days.</p>` : past.map(incidentCard)}`,
  );
}

function suiteCard({ name, state, uptime_pct, endpoints, days }: StatusSuite): Html {
  const oldest = days[0]?.date ?? "";
  return html`
<section class="card">
<div class="row"><h3>${dot(state)}${name}</h3><span>${WORDS[state]}</span></div>
<ol class="bars" aria-label="State of ${name} on each of the last ${days.length} days">${days.map(bar)}</ol>
<div class="row quiet"><span>${oldest}</span><span>${uptime_pct === null ? "not measured yet" : `${uptime_pct} % uptime`}</span><span>today</span></div>
<ul class="endpoints">${endpoints.map(
    (endpoint) => html`
<li class="row"><span>${dot(endpoint.state)}<code>${endpoint.label}</code></span><span class="quiet">${
      endpoint.uptime_pct === null ? "no data" : `${endpoint.uptime_pct} %`
    }</span></li>`,
  )}
</ul>
</section>`;
}

function bar({ date, state, uptime_pct }: StatusDay): Html {
  const figure = uptime_pct === null ? "" : `, ${uptime_pct} %`;
  const text = `${date}: ${WORDS[state]}${figure}`;
  return html`<li class="${state}" title="${text}" aria-label="${text}"></li>`;
}

function dot(state: ServiceState): Html {
  return html`<span class="dot ${state}"></span>`;
}

function incidentCard({ title, suite, severity, started_at, resolved_at, updates }: StatusIncident): Html {
  return html`
<section class="card">
<div class="row"><h3>${title}</h3><span class="quiet">${severity}, ${suite}</span></div>
<p class="quiet">${timeElement(started_at)} – ${resolved_at === null ? "ongoing" : timeElement(resolved_at)}</p>
<ol class="updates">${updates.map(
    (update) =>
      html`<li><strong>${update.state}</strong> <span class="quiet">${timeElement(update.posted_at)}</span><br>${update.body}</li>`,
  )}</ol>
</section>`;
}
