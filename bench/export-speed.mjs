// What walking several slices at once gains where each request takes its time, and what the tool costs where none does.
import { rm } from "node:fs/promises";
import { catalog, startService } from "./catalog.mjs";
import { startDelayProxy } from "./delay-proxy.mjs";
import { walkPlainly } from "./plain-walk.mjs";
import { printTable, ratio, seconds } from "./table.mjs";

const SLOW = { rows: 20_000, latency: 300 };
const FAST = { rows: 1_000_000 };

export async function run({ folder, datasets }) {
  await measureSlow(folder, datasets);
  await measureFast(folder, datasets);
}

async function measureSlow(folder, datasets) {
  const { database } = await datasets.database(SLOW.rows);
  const service = await startService(folder, database);
  const proxy = await startDelayProxy(service.url, SLOW.latency);
  try {
    const env = { ...service.env, CATALOG_BASE_URL: proxy.url };
    const times = [];
    for (const concurrency of [1, 8]) {
      times.push({ name: `catalog export --concurrency ${concurrency}`, time: await timeOf(folder, env, concurrency) });
    }
    const plain = await walkPlainly({ ...service, url: proxy.url }, `${folder}/plain.ndjson`);
    times.push({ name: "fetch, page after page", time: plain });
    print(`export-speed: ${SLOW.rows} rows, ${SLOW.latency} ms a request, no rate limit`, times);
  } finally {
    await proxy.close();
    await service.close();
  }
}

async function measureFast(folder, datasets) {
  const { database } = await datasets.database(FAST.rows);
  const service = await startService(folder, database);
  try {
    const plain = await walkPlainly(service, `${folder}/plain.ndjson`);
    const times = [{ name: "fetch, page after page", time: plain }];
    for (const concurrency of [1, 8]) {
      times.push({
        name: `catalog export --concurrency ${concurrency}`,
        time: await timeOf(folder, service.env, concurrency),
      });
    }
    print(`export-speed: ${FAST.rows} rows, no delay, no rate limit`, times);
  } finally {
    await service.close();
  }
}

async function timeOf(folder, env, concurrency) {
  const file = `${folder}/rows.ndjson`;
  const args = ["export", "-q", "--concurrency", String(concurrency), "--output", file];
  const { milliseconds } = await catalog(folder, args, { env });
  await rm(file);
  return milliseconds;
}

function print(title, times) {
  const [base] = times;
  const rows = times.map(({ name, time }) => [name, seconds(time), ratio(base.time, time)]);
  printTable(title, ["run", "time", "times as fast as the first"], rows);
}
