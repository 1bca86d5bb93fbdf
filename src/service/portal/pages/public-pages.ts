import { CHANGELOG } from "../../../contract/changelog.ts";
import { PROBLEM_CODES, PROBLEMS, type ProblemCode, type ProblemDefinition } from "../../../contract/problems.ts";
import type { Html } from "../../../contract/values/html-tag.ts";
import { plural } from "../../../contract/values/phrases.ts";
import type { AppSettings } from "../../http/service-options.ts";
import { html, portalPage, prose } from "../layout.ts";

/** The start page: all other pages, a first request and the limits. @param base address of the service, without a final slash */
export function homePage(
  base: string,
  { rateLimit, sampleRateLimit, windowSeconds }: Pick<AppSettings, "rateLimit" | "sampleRateLimit" | "windowSeconds">,
): Html {
  const time = windowSeconds === 60 ? "a minute" : `in ${plural(windowSeconds, "second")}`;
  return portalPage(
    { title: "Start" },
    html`<h1>Retail Catalog Read API</h1>
<p class="lead">Product rows crawled from the pages of many retailers: what was listed, at what price, on which day.</p>
<ul class="tiles">
<li><a href="/portal">API keys</a><p>Sign in with your e-mail address, name a key and create it.</p></li>
<li><a href="/reference">Reference</a><p>Three read operations, their parameters and responses.</p></li>
<li><a href="/errors">Errors</a><p>What each code means and how to recover.</p></li>
<li><a href="/status">Status</a><p>Availability today and in the last 90 days.</p></li>
<li><a href="/changelog">Changelog</a><p>Past and announced changes.</p></li>
<li><a href="/openapi.json">openapi.json</a><p>The machine-readable description of the API.</p></li>
</ul>
<h2>The first request</h2>
<p>Create a key under <a href="/portal">API keys</a> and put it into <code>CATALOG_API_KEY</code>. Coverage shows how many
rows each retailer, category and department has, and for which days:</p>
<pre tabindex="0" role="region" aria-label="First request with curl"><code>curl -H "Authorization: Bearer $CATALOG_API_KEY" \\
  ${base}/v1/coverage</code></pre>
<p>The command-line tool does the same. It also downloads whole sets within the rate limit:</p>
<pre tabindex="0" role="region" aria-label="First request with the command line"><code>catalog auth login --base-url ${base}
catalog coverage
catalog export --date yesterday -o rows.csv</code></pre>
<h2>Limits</h2>
<p>${plural(rateLimit, "request")} ${time} for catalog and coverage together, ${sampleRateLimit} for samples, counted per team. In every response,
<code>RateLimit-Remaining</code> is the number of requests left and <code>RateLimit-Reset</code> the seconds until the
limit resets. In a 429 response, <code>Retry-After</code> is the number of seconds to wait.</p>`,
  );
}

/** The public error catalogue. The `type` of a problem links to its entry here, `#<code>`. */
export function errorsPage(): Html {
  return portalPage(
    { title: "Errors", section: "/errors" },
    html`<h1>Errors</h1>
<p class="lead">Every error is a problem document (<code>application/problem+json</code>) with one of these codes.</p>
<p>Branch on <code>code</code> and <code>retryable</code>, never on <code>detail</code>. Codes are only ever added.
As JSON: <a href="/errors.json">errors.json</a>.</p>
<ul class="tags">${PROBLEM_CODES.map((code) => html`<li><a href="#${code}"><code>${code}</code></a></li>`)}</ul>
${PROBLEM_CODES.map((code) => errorEntry(code, PROBLEMS[code]))}`,
  );
}

function errorEntry(
  code: ProblemCode,
  { status, retryable, title, meaning, recovery, extensions }: ProblemDefinition,
): Html {
  return html`
<section class="card" id="${code}">
<div class="row"><h2>${title}</h2><code>${code}</code></div>
<ul class="tags">
<li>HTTP ${status}</li><li>${retryable ? "back off and retry" : "do not retry unchanged"}</li>
${extensions.map((member) => html`<li>carries <code>${member}</code></li>`)}
</ul>
<p>${prose(meaning)}</p>
<p><strong>Recovery:</strong> ${prose(recovery)}</p>
</section>`;
}

/** The changes of each release. Breaking changes are announced here before they ship (contract section 9 rule 3). */
export function changelogPage(): Html {
  const announced = CHANGELOG.filter(({ state }) => state === "announced");
  return portalPage(
    { title: "Changelog", section: "/changelog" },
    html`<h1>Changelog</h1>
<p class="lead">Breaking changes are announced here before they ship.</p>
<p>The path prefix <code>/v1</code> carries the version. Error codes are only ever added.
As JSON: <a href="/changelog.json">changelog.json</a>.</p>
<h2>Announced</h2>
${announced.length === 0 ? html`<p class="quiet">No changes are announced.</p>` : announced.map(release)}
<h2>Released</h2>
${CHANGELOG.filter(({ state }) => state === "released").map(release)}`,
  );
}

function release({ version, changes }: (typeof CHANGELOG)[number]): Html {
  return html`
<section class="card" id="${version}">
<h3>${version}</h3>
<ul class="changes">${changes.map(
    ({ kind, breaking, text }) => html`
<li><span class="tag">${kind}</span> ${breaking ? html`<span class="tag breaking">breaking</span>` : ""} ${prose(text)}</li>`,
  )}
</ul>
</section>`;
}
