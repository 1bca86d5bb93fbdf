import type { Schema } from "../../../contract/object-schema.ts";
import type { OpenApiDocument } from "../../../contract/openapi.ts";
import type { Html } from "../../../contract/values/html-tag.ts";
import { html, portalPage, prose } from "../layout.ts";

/** The reference, generated from the OpenAPI document. @param base address of the service, without a final slash */
export function referencePage({ paths, components }: OpenApiDocument, base: string): Html {
  const operations = Object.entries(paths);
  return portalPage(
    { title: "Reference", section: "/reference" },
    html`<div class="reference"><h1>Reference</h1>
<p class="lead">Three operations, all read-only, share six optional filters.</p>
<p>Send the key as <code>Authorization: Bearer &lt;API_KEY&gt;</code> with every request. Each of these paths also exists below
<code>/api</code>. Generated from <a href="/openapi.json">openapi.json</a>.</p>
<ul class="tags">
${operations.map(([path]) => html`<li><a href="#${anchor(path)}"><code>GET ${path}</code></a></li>`)}
${Object.keys(components.schemas).map((name) => html`<li><a href="#${name}"><code>${name}</code></a></li>`)}
</ul>
${operations.map(([path, { get }]) => operationSection(path, get, base))}
<h2>Types</h2>
${Object.entries(components.schemas).map(([name, schema]) => typeSection(name, schema))}</div>`,
  );
}

function operationSection(path: string, operation: OpenApiDocument["paths"][string]["get"], base: string): Html {
  return html`
<section>
<h2 id="${anchor(path)}"><code>GET ${path}</code> <span class="tag">${operation["x-status"]}</span></h2>
<p>${operation.summary}. ${prose(operation.description)}</p>
<pre tabindex="0" role="region" aria-label="Request to ${path}"><code>curl -H "Authorization: Bearer $CATALOG_API_KEY" \\
  "${base}${path}?start_date=2026-01-01"</code></pre>
<h3>Parameters</h3>
${scrollingTable(
  `Parameters of GET ${path}`,
  ["Name", "Type", "Meaning"],
  operation.parameters.map(({ name, description, schema }) => [
    html`<code>${name}</code>`,
    typeOf(schema),
    html`${prose(description)}`,
  ]),
)}
<h3>Responses</h3>
${scrollingTable(
  `Responses of GET ${path}`,
  ["Status", "Body", "Meaning"],
  Object.entries(operation.responses).map(([status, { description, content }]) => [
    html`<code>${status}</code>`,
    html`${Object.values(content).map(({ schema }) => typeOf(schema))}`,
    html`${prose(description)}`,
  ]),
)}
</section>`;
}

function typeSection(name: string, { description = "", properties = {}, required = [] }: Schema): Html {
  return html`
<section class="type" id="${name}">
<h3><code>${name}</code></h3>
${description === "" ? "" : html`<p>${prose(description)}</p>`}
${scrollingTable(
  `Members of ${name}`,
  ["Member", "Type", "Meaning"],
  Object.entries(properties).map(([member, schema]) => [
    html`<code>${member}</code>`,
    html`${typeOf(schema)}${required.includes(member) ? "" : ", optional"}`,
    html`${prose(schema.description ?? "")}`,
  ]),
)}
</section>`;
}

/** A table that scrolls on a narrow screen, also with the keyboard. */
function scrollingTable(label: string, headings: string[], rows: [Html, Html, Html][]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([first, second, third]) =>
      html`<tr><th scope="row" class="fit">${first}</th><td class="fit">${second}</td><td class="wide">${third}</td></tr>`,
  )}</tbody></table></div>`;
}

function typeOf({ $ref, type, format, items, enum: values, minimum, maximum, default: usual }: Schema): Html {
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf("/") + 1);
    return html`<a href="#${name}">${name}</a>`;
  }
  if (items !== undefined) {
    return html`array of ${typeOf(items)}`;
  }
  const kinds = [type ?? "any"].flat().map((kind) => (kind === "string" && format !== undefined ? format : kind));
  const bounds = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : "";
  const fallback = usual === undefined ? "" : `, default ${usual}`;
  return html`${values === undefined ? kinds.join(" or ") : values.join(", ")}${bounds}${fallback}`;
}

function anchor(path: string): string {
  return path.replaceAll("/", "-").slice(1);
}
