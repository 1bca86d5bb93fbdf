import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Product } from "../../src/contract/product.ts";
import { syncedRows } from "../helpers/synced-folder.ts";

/** What a run writes: its command, and how the content is read back. */
export interface TestedOutput {
  name: string;
  /** Arguments of the run in an empty folder. */
  args: (folder: string) => string[];
  /** Arguments of a run that goes on where one has ended. */
  again: (folder: string) => string[];
  /** A digest of the content. */
  read: (folder: string, stdout: string) => Promise<string>;
  /** Whether a file of this name is a part of the output: all of them when a run has succeeded, none before. */
  holds: (name: string) => boolean;
}

const FILES = ["rows.ndjson", "rows.csv", "rows.tsv", "rows.json", "rows.csv.gz", "rows.parquet", "rows.xlsx"];
const PARTITIONS = [
  ["crawl_date", "csv"],
  ["retailer,crawl_date", "ndjson"],
  ["retailer", "parquet"],
] as const;
const STREAMS = ["ndjson", "csv", "json"];

export const EXPORTS: readonly TestedOutput[] = [
  ...FILES.map((name) => exported(name, name, [], (file) => file === name)),
  ...PARTITIONS.map(([columns, format]) => {
    const flags = ["--partition-by", columns, "-f", format];
    return exported(`partitions by ${columns} as ${format}`, "out", flags, (file) => /^out\/\w+=/.test(file));
  }),
];

export const STDOUT: readonly TestedOutput[] = STREAMS.map((format) => ({
  name: `stdout as ${format}`,
  args: () => ["export", "-f", format],
  again: () => ["export", "-f", format],
  read: async (_, stdout) => digest(stdout),
  holds: () => false,
}));

function exported(name: string, place: string, flags: readonly string[], holds: TestedOutput["holds"]): TestedOutput {
  const args = (folder: string) => ["export", "-o", join(folder, place), ...flags];
  return { name, args, again: (folder) => [...args(folder), "--resume"], read: digestOfFiles, holds };
}

export const SYNC: TestedOutput = {
  name: "a synced folder",
  args: (folder) => ["sync", join(folder, "copy"), "-q"],
  again: (folder) => ["sync", join(folder, "copy"), "-q", "--verify"],
  read: async (folder) => digestByDay(await syncedRows(join(folder, "copy"))),
  holds: (file) => file.startsWith("copy/"),
};

/** A line for each day with a digest of its rows, which does not depend on their order. */
export function digestByDay(rows: readonly Product[]): string {
  const days = new Map<string, string[]>();
  for (const row of rows) {
    const texts = days.get(row.crawl_date) ?? [];
    texts.push(JSON.stringify(Object.entries(row).sort()));
    days.set(row.crawl_date, texts);
  }
  return [...days]
    .map(([day, texts]) => `${day} ${digest(texts.sort().join("\n"))}`)
    .sort()
    .join("\n");
}

/** The files below a folder, in order. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).sort();
}

async function digestOfFiles(folder: string): Promise<string> {
  const parts = (await filesIn(folder)).map(async (name) => `${name} ${digest(await readFile(join(folder, name)))}`);
  return (await Promise.all(parts)).join("\n");
}

function digest(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
