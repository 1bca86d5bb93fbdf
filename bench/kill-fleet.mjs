// Three instances of the service on one PostgreSQL behind HAProxy, and exports through them while the instances restart one
// after the other, one is killed, PostgreSQL restarts at once, and rows are replaced. Each export has to end with 0 and the
// bytes of one version. Also: a team gets its limit exactly, over all instances. After a build, with HAProxy installed:
// `scripts/with-postgres.sh node bench/kill-fleet.mjs [EXPORTS] [FILE.ndjson]`; without FILE, rows are generated.
import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { CATALOG, catalog } from "./catalog.mjs";
import { createDatasets } from "./datasets.mjs";
import { printTable } from "./table.mjs";

const INSTANCES = 3;
const ROWS = 20_000;
/** Requests that the team of the second key may send in a window, and how many are sent at once. */
const LIMIT = 30;
const AT_ONCE = 100;

const [wantedExports = "50", given] = process.argv.slice(2);
const database = process.env.CATALOG_TEST_DATABASE;
const run = promisify(execFile);
const home = await mkdtemp(join(tmpdir(), "catalog-fleet-"));
const started = [];
try {
  const file = given ?? (await createDatasets(home).file(ROWS));
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  await catalog(home, ["service", "load", "-q", file, "--database", database]);
  await exportAll(lines);
  await limits();
} finally {
  for (const stop of started.reverse()) {
    await stop();
  }
  await rm(home, { recursive: true, force: true });
}

async function exportAll(lines) {
  const ports = await freePorts(INSTANCES + 1);
  const instances = await Promise.all(ports.slice(1).map((port) => instance(port, ["--rate-limit", "1000000000"])));
  const url = await balance(ports[0], ports.slice(1));
  const { stdout } = await catalog(home, ["service", "keys", "create", "walkers", "--database", database]);
  const env = { CATALOG_BASE_URL: url, CATALOG_API_KEY: stdout.trim() };
  const digests = [await exported(env, "before")];

  const time = performance.now();
  let left = Number(wantedExports);
  const results = Promise.all(
    Array.from({ length: left }, async (_, number) => {
      const result = await exported(env, `walk-${number}`).catch((error) => error.message);
      left -= 1;
      return result;
    }),
  );
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
  await happens("PostgreSQL restarts", restartDatabase);
  await happens("a day is replaced", () => replaceDay(lines));
  await happens("instance 1 is killed", () => instances[1].restart("SIGKILL"));
  const ended = await results;
  const seconds = (performance.now() - time) / 1000;
  digests.push(await exported(env, "after"));

  const failed = ended.filter((result) => !digests.includes(result));
  printTable(
    `kill-fleet: ${wantedExports} exports of ${lines.length} rows, ${INSTANCES} instances behind HAProxy`,
    ["seconds", "rows/s", "as before", "as after", "wrong or failed"],
    [
      [
        seconds.toFixed(1),
        Math.round((lines.length * ended.length) / seconds),
        ended.filter((result) => result === digests[0]).length,
        ended.filter((result) => result === digests[1] && digests[0] !== digests[1]).length,
        failed.length,
      ],
    ],
  );
  console.log(events.join("\n"));
  console.log(failed.join("\n"));
  process.exitCode = failed.length > 0 ? 1 : 0;
}

/** SHA-256 of an export; rejects with its last words if it fails. */
async function exported(env, name) {
  const path = join(home, `${name}.ndjson`);
  const args = [CATALOG, "export", "-q", "-o", path, "--page-size", "100", "--retries", "20"];
  await run(process.execPath, args, { env: { PATH: process.env.PATH, HOME: join(home, name), ...env } });
  const sum = createHash("sha256");
  for await (const chunk of createReadStream(path)) {
    sum.update(chunk);
  }
  await rm(path);
  return sum.digest("hex");
}

/** An instance of the service, which starts again at the same port. */
async function instance(port, flags) {
  let child;
  const start = async () => {
    const args = ["service", "start", "--port", String(port), "--database", database, ...flags];
    child = spawn(process.execPath, [CATALOG, ...args], { stdio: ["ignore", "pipe", "inherit"] });
    await once(createInterface(child.stdout), "line");
  };
  const stop = async (signal = "SIGTERM") => {
    const ended = once(child, "close");
    child.kill(signal);
    await ended;
  };
  await start();
  started.push(stop);
  return {
    url: `http://127.0.0.1:${port}`,
    restart: async (signal) => {
      await stop(signal);
      await start();
    },
  };
}

async function balance(port, targets) {
  const servers = targets.map((target) => `  server s${target} 127.0.0.1:${target} check inter 500ms fall 1 rise 1`);
  const configuration = `defaults
  mode http
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  option redispatch
  retries 3
frontend api
  bind 127.0.0.1:${port}
  default_backend instances
backend instances
  balance roundrobin
  option httpchk GET /readyz
${servers.join("\n")}
`;
  const path = join(home, "haproxy.cfg");
  await writeFile(path, configuration);
  const child = spawn("haproxy", ["-db", "-q", "-f", path], { stdio: ["ignore", "ignore", "ignore"] });
  started.push(async () => {
    child.kill("SIGKILL");
  });
  const url = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    await delay(50);
  }
  return url;
}

/** Ends all connections at once, as if the server had failed. */
async function restartDatabase() {
  const client = new pg.Client(database);
  await client.connect();
  const { rows } = await client.query(
    "SELECT current_setting('data_directory') AS folder, current_setting('server_version_num')::int / 10000 AS version",
  );
  await client.end();
  const [{ folder, version }] = rows;
  const control = [
    `/usr/lib/postgresql/${version}/bin/pg_ctl`,
    "-D",
    folder,
    "-m",
    "immediate",
    "-w",
    "-l",
    join(folder, "log"),
    "restart",
  ];
  const [program, ...args] = process.getuid() === 0 ? ["runuser", "-u", "postgres", "--", ...control] : control;
  // The server may have been started with a relative path.
  const child = spawn(program, args, { cwd: dirname(folder), stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "close");
  if (code !== 0) {
    throw new Error(`pg_ctl restart ended with ${code}`);
  }
}

async function replaceDay(lines) {
  const [first] = lines.map((line) => JSON.parse(line));
  const { retailer, crawl_date: day } = first;
  const rows = lines
    .map((line) => JSON.parse(line))
    .filter((row) => row.retailer === retailer && row.crawl_date === day)
    .map((row) =>
      JSON.stringify({ ...row, product_id: row.product_id.split("").reverse().join(""), title: `${row.title} again` }),
    );
  const path = join(home, "day.ndjson");
  await writeFile(path, `${rows.join("\n")}\n`);
  await catalog(home, [
    ...["service", "load", "-q", "--replace", "--retailer", retailer, "--date", day, path, "--database", database],
  ]);
}

/** Requests at once, over all instances, get the limit of their team and no more. */
async function limits() {
  const ports = await freePorts(INSTANCES);
  const instances = await Promise.all(ports.map((port) => instance(port, ["--rate-limit", String(LIMIT)])));
  const { stdout } = await catalog(home, [
    ...["service", "keys", "create", "limited", "--team", "limited", "--database", database],
  ]);
  const headers = { authorization: `Bearer ${stdout.trim()}` };
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

async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
