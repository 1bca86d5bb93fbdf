import { isDeepStrictEqual } from "node:util";
import { parse, stringify } from "smol-toml";

/** The entries of a table; undefined values are left out. */
type Strings = Readonly<Record<string, string | undefined>>;

/**
 * Replaces the entries of `[profiles.NAME]`. Changes only the lines of these entries, so that comments stay, but for one behind
 * an entry that goes. Rewrites the whole document, without its comments, if that would give a wrong result.
 *
 * @param text valid TOML
 */
export function setProfile(text: string, name: string, values: Strings): { text: string; commentsLost: boolean } {
  const document = parse(text);
  const profiles = document.profiles as Record<string, Strings> | undefined;
  const rewritten = stringify({ ...document, profiles: { ...profiles, [name]: values } });
  const edited = editLines(text, name, values);
  return isDeepStrictEqual(parsed(edited), parsed(rewritten))
    ? { text: edited, commentsLost: false }
    : { text: rewritten, commentsLost: true };
}

function editLines(text: string, name: string, values: Strings): string {
  if (text.includes("\r\n")) {
    return editLines(text.replaceAll("\r\n", "\n"), name, values).replaceAll("\n", "\r\n");
  }
  const lines = text.split("\n");
  const header = lines.findIndex((line) => isDeepStrictEqual(parsed(line), parsed(headerOf(name))));
  if (header === -1) {
    const before = text.trimEnd();
    return `${before}${before === "" ? "" : "\n\n"}${headerOf(name)}\n${entriesOf(values).join("")}`;
  }
  const next = lines.findIndex((line, index) => index > header && /^\s*\[/.test(line));
  const end = next === -1 ? lines.length : next;
  const own = lines.slice(header + 1, end).map((line) => `${line}\n`);
  const kept = own.filter((line) => isUnchanged(line, values));
  const present = new Set(kept.map(tomlKeyOf));
  const comments = new Map(own.map((line) => [tomlKeyOf(line), commentOf(line)]));
  const added = entriesOf(values)
    .filter((line) => !present.has(tomlKeyOf(line)))
    .map((line) => `${line.trimEnd()}${comments.get(tomlKeyOf(line)) ?? ""}\n`);
  // New lines go below the last entry or comment, above the blank lines before the next table.
  const last = kept.findLastIndex((line) => line.trim() !== "") + 1;
  const table = [...kept.slice(0, last), ...added, ...kept.slice(last)].join("");
  const rest = next === -1 ? table.replace(/\n+$/, "\n") : `${table}${lines.slice(end).join("\n")}`;
  return [...lines.slice(0, header + 1), rest].join("\n");
}

function headerOf(name: string): string {
  return `[profiles.${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)}]`;
}

function entriesOf(values: Strings): string[] {
  return Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : stringify({ [key]: value })));
}

function tomlKeyOf(line: string): string | undefined {
  return Object.keys(parsed(line) ?? {})[0];
}

/** The comment behind an entry, with the white space before it. A # may also be in its key or value. */
function commentOf(line: string): string {
  const [comment = ""] = line
    .split("#")
    .map((_, index, parts) => parts.slice(0, index).join("#"))
    .filter((start) => start !== "" && isDeepStrictEqual(parsed(start), parsed(line)))
    .map((start) => line.slice(start.trimEnd().length).trimEnd());
  return comment;
}

/** True of comments and blank lines, too. */
function isUnchanged(line: string, values: Strings): boolean {
  return Object.entries(parsed(line) ?? {}).every(([key, value]) => values[key] === value);
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
