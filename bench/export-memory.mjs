// Peak memory of an export: it must not grow with the size of the set, with any output and any concurrency.
import { rm } from "node:fs/promises";
import { catalog, startService } from "./catalog.mjs";
import { mebibytes, printTable, ratio, seconds } from "./table.mjs";

const SIZES = [100_000, 1_000_000, 2_000_000];
const OUTPUTS = ["stdout", "rows.ndjson", "rows.csv", "rows.ndjson.gz", "rows.parquet"];
const CONCURRENCIES = [8, 32];

export async function run({ folder, datasets }) {
  const peaks = new Map();
  const table = [];
  for (const rows of SIZES) {
    const service = await startService(folder, (await datasets.database(rows)).database);
    for (const output of OUTPUTS) {
      for (const concurrency of CONCURRENCIES) {
        const { peak, milliseconds } = await measure(folder, service, output, concurrency);
        const setting = `${output} ${concurrency}`;
        const base = peaks.get(setting) ?? peak;
        peaks.set(setting, base);
        table.push([output, concurrency, rows, mebibytes(peak), ratio(peak, base), seconds(milliseconds)]);
      }
    }
    await service.close();
  }
  const headings = ["output", "concurrency", "rows", "peak memory", `ratio to ${SIZES[0]} rows`, "time"];
  printTable("export-memory", headings, table.sort(bySetting));
}

async function measure(folder, { env }, output, concurrency) {
  const file = `${folder}/${output}`;
  const args = ["export", "-q", "--concurrency", String(concurrency)];
  const measured =
    output === "stdout"
      ? await catalog(folder, args, { env, stdoutFile: file })
      : await catalog(folder, [...args, "--output", file], { env });
  await rm(file);
  return measured;
}

function bySetting(a, b) {
  return OUTPUTS.indexOf(a[0]) - OUTPUTS.indexOf(b[0]) || a[1] - b[1] || a[2] - b[2];
}
