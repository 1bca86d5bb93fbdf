import { catalog } from "./catalog.mjs";
import { writeRows } from "./rows.mjs";

/** Sets of generated rows, each written and loaded once in a run of the bench. */
export function createDatasets(folder) {
  const files = new Map();
  const loads = new Map();
  const file = (rows) => cached(files, rows, () => writeFile(folder, rows));
  return {
    /** An NDJSON file with this number of rows. */
    file,
    /** A database with this number of rows, and the time and peak memory of loading it. */
    database: (rows) => cached(loads, rows, async () => load(folder, await file(rows), rows)),
  };
}

async function writeFile(folder, rows) {
  const file = `${folder}/${rows}.ndjson`;
  await writeRows(rows, file);
  return file;
}

async function load(folder, file, rows) {
  const database = `${folder}/${rows}.db`;
  const { milliseconds, peak } = await catalog(folder, ["service", "load", "-q", file, "--database", database]);
  return { database, milliseconds, peak };
}

function cached(cache, key, make) {
  if (!cache.has(key)) {
    cache.set(key, make());
  }
  return cache.get(key);
}
