import { closest } from "../../contract/closest.ts";
import { UsageError } from "../../errors.ts";

/**
 * Reads the list that `--columns` takes: names separated by commas.
 *
 * @throws UsageError where a name is empty, repeated or not one of `known`.
 */
export function parseColumns(text: string, known: readonly string[]): string[] {
  const names = text.split(",").map((name) => name.trim());
  names.forEach((name, index) => {
    if (name === "") {
      throw new UsageError("--columns holds an empty name", { flag: "--columns", value: text });
    }
    if (!known.includes(name)) {
      throw unknownColumn(name, known);
    }
    if (names.indexOf(name) !== index) {
      throw new UsageError(`--columns names "${name}" twice`, { flag: "--columns", value: text });
    }
  });
  return names;
}

function unknownColumn(name: string, known: readonly string[]): UsageError {
  const suggestions = closest(name, known);
  const hint = suggestions.length === 0 ? `; the columns are ${known.join(", ")}` : "";
  return new UsageError(`there is no column "${name}"${hint}`, { flag: "--columns", value: name, suggestions });
}
