/** Safe markup, made by a template tag of `htmlTag`. */
export interface Html {
  readonly markup: string;
}

type Value = string | number | Html | readonly Html[];

/**
 * Returns a template tag that escapes texts and numbers for element content and quoted attributes. Markup is inserted
 * unchanged.
 *
 * @param shown applied to each text before it is escaped
 */
export function htmlTag(shown: (text: string) => string = (text) => text) {
  const render = (value: Value): string => {
    if (typeof value === "object") {
      return "markup" in value ? value.markup : value.map(({ markup }) => markup).join("");
    }
    return escaped(shown(String(value)));
  };
  return (strings: TemplateStringsArray, ...values: Value[]): Html => {
    return { markup: String.raw({ raw: strings }, ...values.map(render)) };
  };
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "#39" };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&${ENTITIES[character]};`);
}
