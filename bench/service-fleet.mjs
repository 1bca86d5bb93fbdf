// Pages a second of 1, 2 and 3 instances on one PostgreSQL behind HAProxy. Runs below `scripts/with-postgres.sh`, with HAProxy
// installed. Clients, HAProxy, instances and PostgreSQL share the processors of this machine.
import { once } from "node:events";
import { Agent, get } from "node:http";
import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { catalog, processorTime } from "./catalog.mjs";
import { createFleet } from "./fleet.mjs";
import { median, printTable, ratio } from "./table.mjs";

const ROWS = Number(process.env.ROWS ?? 200_000);
const WALKERS = 24;
const SECONDS = 20;
const MOST_INSTANCES = 3;

export async function run({ folder, datasets }) {
  const database = process.env.CATALOG_TEST_DATABASE;
  if (database === undefined) {
    console.log("service-fleet needs PostgreSQL: scripts/with-postgres.sh npm run bench -- service-fleet");
    return;
  }
  await catalog(folder, ["service", "load", "-q", await datasets.file(ROWS), "--database", database]);
  const table = [];
  for (let count = 1; count <= MOST_INSTANCES; count += 1) {
    table.push(await measure(count, createFleet(folder, database)));
  }
  const [[, first]] = table;
  printTable(
    `service-fleet: ${WALKERS} walkers for ${SECONDS} s, ${ROWS} rows, ${availableParallelism()} processors`,
    ["instances", "pages/s", "ratio", "median page", "CPU ms a page of the instances"],
    table.map(([count, rate, time, cost]) => [count, rate, ratio(rate, first), `${time} ms`, cost]),
  );
}

async function measure(count, fleet) {
  try {
    const instances = await fleet.instances(count, ["--rate-limit", "1000000000"]);
    const url = await fleet.balance(instances);
    const headers = { authorization: `Bearer ${await fleet.key(`walkers-${count}`)}` };
    const state = { times: [], isOver: false };
    const spent = () => instances.reduce((sum, { pid }) => sum + processorTime(pid()), 0);
    const before = spent();
    const walkers = Array.from({ length: WALKERS }, () => walk(url, headers, state));
    await delay(SECONDS * 1000);
    state.isOver = true;
    await Promise.all(walkers);
    const pages = state.times.length;
    const cost = ((spent() - before) / pages).toFixed(1);
    return [count, Math.round(pages / SECONDS), Math.round(median(state.times)), cost];
  } finally {
    await fleet.stop();
  }
}

/** Walks all rows again and again. HAProxy gives each request to the next instance. */
async function walk(url, headers, state) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let cursor = "";
  while (!state.isOver) {
    const started = performance.now();
    const [response] = await once(get(`${url}/v1/catalog?limit=500${cursor}`, { agent, headers }), "response");
    let last = Buffer.alloc(0);
    for await (const bytes of response) {
      last = Buffer.concat([last, bytes]).subarray(-2_000);
    }
    if (response.statusCode !== 200) {
      throw new Error(`${response.statusCode}: ${last}`);
    }
    state.times.push(performance.now() - started);
    const next = /"next_cursor":"([^"]+)"/.exec(last.toString())?.[1];
    cursor = next === undefined ? "" : `&cursor=${next}`;
  }
  agent.destroy();
}
