// Peak memory of an export and of a sync: it must not grow with the size of the set, in any format.
import { rm } from "node:fs/promises";
import { catalog, startService } from "./catalog.mjs";
import { mebibytes, printTable, ratio, seconds } from "./table.mjs";

const SIZES = [200_000, 2_000_000];
/** Rows that a sheet holds. */
const MAX_SHEET_ROWS = 1_048_575;

const FORMATS = ["ndjson", "csv", "tsv", "json", "ndjson.gz", "parquet", "xlsx"];

/** Arguments by the name of an output. */
const OUTPUTS = {
  stdout: () => ["export"],
  ...Object.fromEntries(FORMATS.map((format) => [format, (path) => ["export", "-o", `${path}.${format}`]])),
  partitions: (path) => ["export", "-f", "csv", "--partition-by", "retailer,crawl_date", "-o", path],
  sync: (path) => ["sync", path],
};

export async function run({ folder, datasets }) {
  const peaks = new Map();
  const table = [];
  for (const rows of SIZES) {
    const service = await startService(folder, (await datasets.database(rows)).database);
    for (const [output, argsOf] of Object.entries(OUTPUTS)) {
      const { peak, milliseconds } = await measure(folder, service, output, rows, argsOf);
      const base = peaks.get(output) ?? peak;
      peaks.set(output, base);
      table.push([output, Math.min(rows, limitOf(output)), mebibytes(peak), ratio(peak, base), seconds(milliseconds)]);
    }
    await service.close();
  }
  const headings = ["output", "rows", "peak memory", `ratio to ${SIZES[0]} rows`, "time"];
  const order = Object.keys(OUTPUTS);
  printTable(
    "export-memory",
    headings,
    table.toSorted((a, b) => order.indexOf(a[0]) - order.indexOf(b[0])),
  );
}

function limitOf(output) {
  return output === "xlsx" ? MAX_SHEET_ROWS : Number.POSITIVE_INFINITY;
}

async function measure(folder, { env }, output, rows, argsOf) {
  const path = `${folder}/out`;
  const limit = rows > limitOf(output) ? ["--max-rows", String(limitOf(output))] : [];
  const stdoutFile = output === "stdout" ? { stdoutFile: path } : {};
  const measured = await catalog(folder, [...argsOf(path), "-q", ...limit], { env, ...stdoutFile });
  for (const left of [path, `${path}.${output}`]) {
    await rm(left, { recursive: true, force: true });
  }
  return measured;
}
