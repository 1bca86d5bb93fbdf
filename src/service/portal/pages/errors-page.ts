import { PROBLEM_CODES, PROBLEMS, type ProblemCode, type ProblemDefinition } from "../../../contract/problems.ts";
import { type Html, html, prose } from "../html.ts";
import { portalPage } from "../layout.ts";

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
