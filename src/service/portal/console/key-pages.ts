import type { Html } from "../../../contract/values/html-tag.ts";
import type { Member } from "../../store/access/members.ts";
import type { KeyRecord } from "../../store/store-types.ts";
import { dayElement, html, portalPage, timeElement } from "../layout.ts";
import { input } from "./sign-in-pages.ts";

const SECTION = { section: "/portal" };

interface KeysPageParts {
  member: Member;
  /** Of the member's team. */
  keys: readonly KeyRecord[];
  token: Html;
  /** The refused name of a new key, and the reason. */
  name?: string;
  error?: string;
}

/** The team's keys, and a form that creates a key. */
export function keysPage({ member, keys, token, name = "", error }: KeysPageParts): Html {
  const [grants] = keys;
  return portalPage(
    { ...SECTION, title: "API keys" },
    html`<div class="row"><h1>API keys</h1>
<form method="post" action="/portal/sign-out">${token}<button class="plain">Sign out</button></form></div>
<p class="quiet who">Team <strong>${member.team}</strong>, signed in as ${member.email}</p>
<form method="post" action="/portal/keys" class="card" novalidate>
${token}
<h2>Create a key</h2>
<label for="name">Name</label>
<div class="inline">${input({ name: "name", type: "text", autocomplete: "off", value: name, error })}
<button>Create key</button></div>
<p class="hint" id="name-hint">Create one key for each program, so that you can revoke each alone.</p>
</form>
<h2>Keys of the team</h2>
${
  grants === undefined
    ? html`<p class="quiet">No keys yet.</p>`
    : html`<div class="scroll" tabindex="0" role="region" aria-label="Keys of the team"><table>
<thead><tr><th scope="col">Name</th><th scope="col" class="created">Created</th><th scope="col">Last used</th><th scope="col"><span class="sr">Revoke</span></th></tr></thead>
<tbody>${keys.map(keyRow)}</tbody></table></div>
<p class="quiet">${grantsOfTeam(grants)} Keys do not expire. A revoked key is refused at its next request.</p>`
}`,
  );
}

function keyRow({ id, name, created_at, last_used_at, revoked_at }: KeyRecord): Html {
  const state =
    revoked_at === null
      ? html`<a class="revoke" href="/portal/keys/revoke?id=${id}">Revoke<span class="sr"> ${name}</span></a>`
      : html`revoked ${dayElement(revoked_at)}`;
  return html`<tr${revoked_at === null ? "" : html` class="gone"`}><th scope="row" class="name">${name}</th>
<td class="fit created">${dayElement(created_at)}</td><td class="fit">${last_used_at === null ? "never" : dayElement(last_used_at)}</td>
<td>${state}</td></tr>`;
}

function grantsOfTeam({ scopes, retailers }: KeyRecord): Html {
  const visible =
    retailers === null ? "all retailers" : `the retailers ${retailers.length === 0 ? "(none)" : retailers.join(", ")}`;
  return html`The team has the scopes ${scopes.length === 0 ? "(none)" : scopes.join(", ")} and sees ${visible}.`;
}

/** The only page that shows a secret. */
export function createdPage({ name, secret, base }: { name: string; secret: string; base: string }): Html {
  return portalPage(
    { ...SECTION, title: "Key created", script: true },
    html`<h1>The key “${name}” is created</h1>
<div class="note"><strong>Copy the secret now.</strong> It is shown only once and not stored.
<code class="secret">${secret}</code>
<button id="copy" type="button" hidden>Copy the secret</button> <span id="copied" role="status"></span></div>
<p>The key works now:</p>
<pre tabindex="0" role="region" aria-label="Commands that use the key"><code>catalog auth login --base-url ${base}   # asks for the key, stores it
catalog coverage</code></pre>
<div class="actions"><a class="button plain" href="/portal">Back to the keys</a></div>`,
  );
}

export function revokePage({ key, token }: { key: KeyRecord; token: Html }): Html {
  return portalPage(
    { ...SECTION, title: "Revoke a key", narrow: true },
    html`<h1>Revoke “${key.name}”?</h1>
<p>All further requests with this key are refused. This cannot be undone. The name cannot be used again.</p>
<p class="quiet">Created ${timeElement(key.created_at)}, last used ${key.last_used_at === null ? "never" : timeElement(key.last_used_at)}.</p>
<form method="post" action="/portal/keys/revoke?id=${key.id}">${token}
<div class="actions"><button class="danger">Revoke the key</button> <a class="button plain" href="/portal">Keep it</a></div>
</form>`,
  );
}
