import type { Option } from "@commander-js/extra-typings";

/** The word for the value of an option, `file` in `--output <file>`; empty for an option without a value. */
export function placeholderOf({ flags }: Option): string {
  return /<([^>]*)>/.exec(flags)?.[1] ?? "";
}

/** What a value is a path of, by the word for it: the placeholder of an option, or the name of an operand. */
export function pathKindOf(placeholder: string): "folders" | "files" | undefined {
  if (/^(dir|folder)/.test(placeholder)) {
    return "folders";
  }
  return /^(file|basket)/.test(placeholder) ? "files" : undefined;
}
