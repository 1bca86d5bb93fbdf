// Loading a file into the service's database: time, and memory, which must not grow with the size of the file.
import { mebibytes, printTable, ratio, seconds } from "./table.mjs";

const SIZES = [100_000, 1_000_000];

export async function run({ datasets }) {
  const loads = [];
  for (const rows of SIZES) {
    loads.push({ rows, ...(await datasets.database(rows)) });
  }
  const [base] = loads;
  printTable(
    "service-load",
    ["rows", "time", "rows/s", "peak memory", "memory ratio"],
    loads.map(({ rows, milliseconds, peak }) => [
      rows,
      seconds(milliseconds),
      Math.round(rows / (milliseconds / 1000)),
      mebibytes(peak),
      ratio(peak, base.peak),
    ]),
  );
}
