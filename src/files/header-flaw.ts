import { closest } from "../contract/values/closest.ts";
import { shown } from "./content-error.ts";

/** The columns that a file may have. */
interface KnownColumns {
  required: readonly string[];
  optional?: readonly string[];
  /** Those that may be there any number of times, and say nothing. */
  ignored?: readonly string[];
}

/** Everything that is wrong with the names in a header, with the closest names; undefined if nothing is. */
export function headerFlaw(
  names: readonly string[],
  { required, optional = [], ignored = [] }: KnownColumns,
): string | undefined {
  const own = [...new Set([...required, ...optional])];
  const missing = required.filter((name) => !names.includes(name));
  const free = own.filter((name) => !names.includes(name));
  const unknown = [...new Set(names.filter((name) => !own.includes(name) && !ignored.includes(name)))].map((name) => {
    const [near] = closest(name, free, 1);
    return `${shown(JSON.stringify(name))}${near === undefined ? "" : ` (did you mean ${near}?)`}`;
  });
  const twice = own.filter((name) => names.indexOf(name) !== names.lastIndexOf(name));
  const flaws = [
    missing.length > 0 && `no ${missing.join(", ")}`,
    unknown.length > 0 && `unknown ${unknown.join(", ")}`,
    twice.length > 0 && `${twice.join(", ")} twice`,
  ].filter((flaw) => flaw !== false);
  return flaws.length === 0 ? undefined : flaws.join("; ");
}
