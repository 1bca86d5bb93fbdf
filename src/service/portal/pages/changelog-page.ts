import { CHANGELOG } from "../../../contract/changelog.ts";
import { type Html, html, prose } from "../html.ts";
import { portalPage } from "../layout.ts";

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
