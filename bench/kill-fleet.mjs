// Three instances of the service on one PostgreSQL behind HAProxy, and exports through them while the instances restart one
// after the other, one is killed, PostgreSQL restarts at once, and every ten seconds rows are added or replaced. Each export
// has to end with 0 and the rows of one version. Also: a team gets its limit exactly, over all instances. After a build, with
// HAProxy installed: `scripts/with-postgres.sh node bench/kill-fleet.mjs [EXPORTS] [FILE.ndjson]`; without FILE, rows are
// generated.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { CATALOG, catalog } from "./catalog.mjs";
import { createDatasets } from "./datasets.mjs";
import { createFleet, restartDatabase } from "./fleet.mjs";
import { printTable } from "./table.mjs";

const INSTANCES = 3;
const ROWS = 20_000;
/** Milliseconds between two changes of the rows. */
const CHANGE_INTERVAL = 10_000;
/** Requests that the team of the second key may send in a window, and how many are sent at once. */
const LIMIT = 30;
const AT_ONCE = 100;

const [wantedExports = "50", given] = process.argv.slice(2);
const database = process.env.CATALOG_TEST_DATABASE;
const run = promisify(execFile);
const home = await mkdtemp(join(tmpdir(), "catalog-fleet-"));
const fleet = createFleet(home, database);
try {
  const file = given ?? (await createDatasets(home).file(ROWS));
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  await catalog(home, ["service", "load", "-q", file, "--database", database]);
  await exportAll(lines);
  await fleet.stop();
  await limits();
} finally {
  await fleet.stop();
  await rm(home, { recursive: true, force: true });
}

async function exportAll(lines) {
  const instances = await fleet.instances(INSTANCES, ["--rate-limit", "1000000000"]);
  const url = await fleet.balance(instances);
  const env = { CATALOG_BASE_URL: url, CATALOG_API_KEY: await fleet.key("walkers") };
  const versions = [digestOf(lines)];
  const before = await exported(env, "before");

  const time = performance.now();
  let left = Number(wantedExports);
  const results = Promise.all(
    Array.from({ length: left }, async (_, number) => {
      const result = await exported(env, `walk-${number}`).catch((error) => error.message);
      left -= 1;
      return result;
    }),
  );
  const changes = changeRows(lines, versions, () => left > 0);
  const events = [];
  const happens = async (name, event) => {
    if (left > 0) {
      await event();
      events.push(`${name} (${left} exports open)`);
      await delay(3_000);
    }
  };
  for (const [number, some] of instances.entries()) {
    await happens(`instance ${number} restarts`, () => some.restart("SIGTERM"));
  }
  await happens("instance 0 is killed", () => instances[0].restart("SIGKILL"));
  await happens("PostgreSQL restarts", () => restartDatabase(database));
  await happens("instance 1 is killed", () => instances[1].restart("SIGKILL"));
  const ended = await results;
  const seconds = (performance.now() - time) / 1000;
  await changes;

  const all = [before, ...ended, await exported(env, "after")];
  const failed = all.filter((result) => !versions.includes(result));
  printTable(
    `kill-fleet: ${wantedExports} exports of ${lines.length} rows, ${INSTANCES} instances behind HAProxy`,
    ["seconds", "rows/s", "changes of rows", "versions that were exported", "wrong or failed"],
    [
      [
        seconds.toFixed(1),
        Math.round((lines.length * ended.length) / seconds),
        versions.length - 1,
        new Set(all).size - new Set(failed).size,
        failed.length,
      ],
    ],
  );
  console.log(events.join("\n"));
  console.log(failed.join("\n"));
  process.exitCode = failed.length > 0 ? 1 : 0;
}

/** The digest of an export's rows; rejects with its last words if it fails. */
async function exported(env, name) {
  const path = join(home, `${name}.ndjson`);
  const args = [CATALOG, "export", "-q", "-o", path, "--page-size", "100", "--retries", "20"];
  await run(process.execPath, args, { env: { PATH: process.env.PATH, HOME: join(home, name), ...env } });
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  await rm(path);
  return digestOf(lines);
}

/** SHA-256 of rows in any order. */
function digestOf(lines) {
  return createHash("sha256").update(lines.toSorted().join("\n")).digest("hex");
}

/** Replaces a day of a retailer by as many other rows, or adds rows of a new day, in turns. */
async function changeRows(lines, versions, isWanted) {
  let present = lines;
  for (let number = 1; ; number += 1) {
    await delay(CHANGE_INTERVAL);
    if (!isWanted()) {
      return;
    }
    const { retailer, crawl_date: day } = JSON.parse(lines[0]);
    const isOfDay = (line) => line.includes(`"retailer":"${retailer}"`) && line.includes(`"crawl_date":"${day}"`);
    const changed = lines.filter(isOfDay).map((line) => {
      const row = JSON.parse(line);
      const others = number % 2 === 1 ? { title: `Change ${number}` } : { crawl_date: `2031-01-${9 + number}` };
      return JSON.stringify({ ...row, product_id: `${row.product_id}-${number}`, ...others });
    });
    const isReplaced = number % 2 === 1;
    present = [...(isReplaced ? present.filter((line) => !isOfDay(line)) : present), ...changed];
    // A request may be answered in the new version before the command has ended.
    versions.push(digestOf(present));
    const path = join(home, "changed.ndjson");
    await writeFile(path, `${changed.join("\n")}\n`);
    const flags = isReplaced ? ["--replace", "--retailer", retailer, "--date", day] : [];
    await untilDone(() => catalog(home, ["service", "load", "-q", ...flags, path, "--database", database]));
  }
}

/** While PostgreSQL restarts, a load fails and leaves the rows of before, or all. */
async function untilDone(load) {
  const isDone = await load().then(
    () => true,
    () => false,
  );
  if (!isDone) {
    await delay(1_000);
    await untilDone(load);
  }
}

/** Requests at once, over all instances, get the limit of their team and no more. */
async function limits() {
  const instances = await fleet.instances(INSTANCES, ["--rate-limit", String(LIMIT)]);
  const headers = { authorization: `Bearer ${await fleet.key("limited", ["--team", "limited", "--all-retailers"])}` };
  const statuses = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, number) => {
      const response = await fetch(`${instances[number % INSTANCES].url}/v1/coverage`, { headers });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  const admitted = statuses.filter((status) => status === 200).length;
  const refused = statuses.filter((status) => status === 429).length;
  console.log(
    `limit ${LIMIT}, ${AT_ONCE} requests at once over ${INSTANCES} instances: ${admitted} admitted, ${refused} refused`,
  );
  if (admitted !== LIMIT || admitted + refused !== AT_ONCE) {
    process.exitCode = 1;
  }
}
