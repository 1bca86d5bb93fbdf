// How long the tool takes to start, compared with `node -e 0`. NODES=/path/to/node,... measures with other versions of Node.js.
import { spawnSync } from "node:child_process";
import { CATALOG } from "./catalog.mjs";
import { measure, serveReadyPages } from "./side-by-side.mjs";
import { mebibytes, median, printTable, ratio } from "./table.mjs";

const ROUNDS = Number(process.env.RUNS ?? 21);
const ROWS = 200_000;
const NODES = process.env.NODES?.split(",") ?? [process.execPath];

/** Starts of the tool, and their targets as [start to compare with, largest ratio]. */
const STARTS = [
  { name: "node -e 0", args: ["-e", "0"] },
  { name: "catalog --version", target: ["node -e 0", 1.5], args: [CATALOG, "--version"] },
  { name: "catalog --help", target: ["node -e 0", 1.5], args: [CATALOG, "--help"] },
  { name: "catalog coverage", target: ["node -e 0", 3], args: [CATALOG, "coverage"] },
  { name: "catalog coverage --demo", target: ["catalog coverage", 3], args: [CATALOG, "coverage", "--demo"] },
];

export async function run({ folder }) {
  const server = await serveReadyPages(ROWS, [0]);
  try {
    for (const node of NODES) {
      const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
      print(stdout.trim(), await measureAll(node, { folder, url: server.urls[0] }));
    }
  } finally {
    server.close();
  }
}

/** Runs each command once a round, so that other work of the machine affects all of them alike. */
async function measureAll(node, place) {
  const runs = new Map(STARTS.map(({ name }) => [name, []]));
  // Round 0 makes the database of the demo and fills the cache of compiled code.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { name, args } of STARTS) {
      const measured = await measure([node, ...args], place);
      if (round > 0) {
        runs.get(name).push(measured);
      }
    }
  }
  return runs;
}

function print(version, runs) {
  const medianOf = (name, what) => median(runs.get(name).map((measured) => measured[what]));
  const cells = STARTS.map(({ name, target }) => {
    const [seconds, cpu, peak] = ["seconds", "cpu", "peak"].map((what) => medianOf(name, what));
    return [name, seconds.toFixed(3), cpu.toFixed(3), mebibytes(peak * 1024), ...compared(name, target, medianOf)];
  });
  printTable(
    `start-up: Node.js ${version}, medians of ${ROUNDS} runs`,
    ["command", "seconds", "CPU s", "peak memory", "times the seconds", "times the CPU (target)"],
    cells,
  );
}

/** The target is compared with processor time: on a busy machine, seconds include the work of other programs. */
function compared(name, target, medianOf) {
  if (target === undefined) {
    return ["", ""];
  }
  const [other, most] = target;
  const [seconds, cpu] = ["seconds", "cpu"].map((what) => ratio(medianOf(name, what), medianOf(other, what)));
  return [`${other}: ${seconds}`, `${cpu} (≤ ${most}${Number(cpu) <= most ? "" : ", missed"})`];
}
