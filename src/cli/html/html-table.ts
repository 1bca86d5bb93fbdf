import type { Html } from "../../contract/values/html-tag.ts";
import { html } from "./html-document.ts";

/** A column of a table in a page. On a narrow screen, the heading labels each cell. */
export interface HtmlColumn<Item> {
  heading: string;
  kind: "count" | "day" | "chart" | "";
  cell: (item: Item) => Html | string;
}

/**
 * A table; narrow screens show each row as a block.
 *
 * @param label for screen readers
 * @param caption shown above the table; empty for none
 */
export function htmlTable<Item>(
  columns: readonly HtmlColumn<Item>[],
  items: readonly Item[],
  label: string,
  caption = "",
): Html {
  const heads = columns.map(({ heading, kind }) =>
    heading === "" ? html`<td></td>` : html`<th scope="col" class="${kind}">${heading}</th>`,
  );
  const rows = items.map(
    (item) =>
      html`<tr>${columns.map(({ heading, kind, cell }) => html`<td class="${kind}" data-label="${heading}"><span>${cell(item)}</span></td>`)}</tr>\n`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table>${caption === "" ? "" : html`<caption>${caption}</caption>`}<thead><tr>${heads}</tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

export const TABLE_STYLE = `
table { font-size: .9rem; }
caption { text-align: left; color: var(--soft); padding-bottom: .4rem; }
th, td { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
thead th, thead td { white-space: nowrap; }
td:first-child:not(.day) { min-width: 14rem; }
@media (max-width: 40rem) {
  thead { display: none; }
  table, caption, tbody, tr, td { display: block; }
  tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  td { display: flex; justify-content: space-between; gap: 1rem; padding: .1rem 0; border: 0; text-align: right; }
  td:first-child { min-width: 0; font-weight: 600; text-align: left; }
  td:not(:first-child)::before { content: attr(data-label); color: var(--soft); }
  td:has(span:empty) { display: none; }
}
`;
