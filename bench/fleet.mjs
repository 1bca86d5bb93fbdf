// Instances of the service on one PostgreSQL database, and HAProxy in front of them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { CATALOG, catalog } from "./catalog.mjs";

/** @param home a folder for the configuration of HAProxy */
export function createFleet(home, database) {
  const started = [];

  /** An instance of the service, which starts again at the same port. */
  async function startInstance(port, flags) {
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
      pid: () => child.pid,
      restart: async (signal) => {
        await stop(signal);
        await start();
      },
    };
  }

  return {
    /** Starts instances at free ports. */
    instances: async (count, flags) => {
      const ports = await freePorts(count);
      return await Promise.all(ports.map((port) => startInstance(port, flags)));
    },
    /** Starts HAProxy in front of instances. @returns its URL, as soon as one of them is ready */
    balance: async (instances) => {
      const [port] = await freePorts(1);
      const path = join(home, `haproxy-${port}.cfg`);
      await writeFile(path, configuration(port, instances));
      const child = spawn("haproxy", ["-db", "-q", "-f", path], { stdio: ["ignore", "ignore", "ignore"] });
      started.push(async () => {
        child.kill("SIGKILL");
      });
      const url = `http://127.0.0.1:${port}`;
      while (!(await isReady(url))) {
        await delay(50);
      }
      return url;
    },
    /** The secret of a new key. */
    key: async (name, flags = []) => {
      const args = ["service", "keys", "create", name, ...flags, "--database", database];
      return (await catalog(home, args)).stdout.trim();
    },
    stop: async () => {
      for (const stop of started.splice(0).reverse()) {
        await stop();
      }
    },
  };
}

/** Ends all connections at once, as if the server had failed. */
export async function restartDatabase(database) {
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

/** The configuration of `docs/operation.md`, at `port` without TLS, for these instances. */
function configuration(port, instances) {
  const page = readFileSync(new URL("../docs/operation.md", import.meta.url), "utf8");
  const servers = instances.map(({ url }, index) => {
    return `server s${index} ${url.replace("http://", "")} check inter 500ms fall 1 rise 1\n`;
  });
  return /```haproxy\n(.+?)```/s
    .exec(page)[1]
    .replace(/bind :443 .*/, `bind 127.0.0.1:${port}`)
    .replace(/(?:^ {2}server .*\n)+/m, servers.join(""));
}

async function isReady(url) {
  return await fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
