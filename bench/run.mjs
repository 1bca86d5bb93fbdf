// npm run bench -- [SCENARIO...]: measures the built tool on generated rows. Each scenario is a file of this folder.
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { createDatasets } from "./datasets.mjs";

const SCENARIOS = [
  "side-by-side",
  "start-up",
  "service-load",
  "service-pages",
  "service-walkers",
  "service-fleet",
  "export-memory",
  "export-pace",
  "requests",
  "prices",
];

const USAGE = `npm run bench -- [SCENARIO...]; the scenarios are ${SCENARIOS.join(", ")}.`;

const names = process.argv.length > 2 ? process.argv.slice(2) : SCENARIOS;
const unknown = names.filter((name) => !SCENARIOS.includes(name));
if (names.includes("--help")) {
  console.log(USAGE);
} else if (unknown.length > 0) {
  console.error(`no such scenario: ${unknown.join(", ")}. ${USAGE}`);
  process.exitCode = 2;
} else {
  await runAll(names);
}

async function runAll(scenarios) {
  const folder = await mkdtemp(join(tmpdir(), "catalog-bench-"));
  console.log(`Node.js ${process.version}, ${availableParallelism()} x ${cpus()[0]?.model ?? "unknown processor"}`);
  try {
    const datasets = createDatasets(folder);
    for (const scenario of scenarios) {
      const { run } = await import(`./${scenario}.mjs`);
      await run({ folder, datasets });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
