/** Safe markup, made by a tag of `htmlTag`, which escapes all texts. */
export interface Html {
  readonly markup: string;
}

type Value = string | number | Html | readonly Html[];

/**
 * A template tag that escapes texts and numbers for an element or a quoted attribute. Markup and lists of markup are
 * inserted unchanged.
 *
 * @param shown how a text is shown, before it is escaped
 */
export function htmlTag(shown: (text: string) => string = (text) => text) {
  const render = (value: Value): string => {
    if (typeof value === "object") {
      return "markup" in value ? value.markup : value.map(({ markup }) => markup).join("");
    }
    return escaped(shown(String(value)));
  };
  return (strings: TemplateStringsArray, ...values: Value[]): Html => {
    const parts = values.map((value, index) => `${render(value)}${strings[index + 1] ?? ""}`);
    return { markup: `${strings[0] ?? ""}${parts.join("")}` };
  };
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "#39" };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&${ENTITIES[character]};`);
}
