/**
 * What a value is in a sheet. `date`: YYYY-MM-DD becomes a date. `timestamp`: `YYYY-MM-DD HH:MM:SS`, with at most
 * milliseconds, becomes a date with a time. `link`: an http or https address can be clicked, if links are asked for. A text
 * of another shape stays text. `percent`: the number 12.5 stays 12.5 and is shown as 12.5%.
 */
export type CellKind = "date" | "timestamp" | "link" | "percent";

export type CellKinds = Readonly<Record<string, CellKind>>;

/** The columns of product rows and of the tool's own records end alike if they are alike: `crawl_date`, `before_date`. */
const KIND_OF_ENDING: readonly (readonly [ending: RegExp, kind: CellKind])[] = [
  [/(?:^|_)(?:date|seen)$/, "date"],
  [/(?:^|_)url$/, "link"],
  [/(?:^|_)(?:percent|pct)$/, "percent"],
];

/** What columns are: as the options say, else by their names. */
export function kindsOf({ kinds }: { kinds?: CellKinds | undefined }): (name: string) => CellKind | undefined {
  return (name) => (kinds === undefined ? KIND_OF_ENDING.find(([ending]) => ending.test(name))?.[1] : kinds[name]);
}
