import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished } from "vitest";
import { runSql, TEST_POSTGRES } from "../helpers/databases.ts";
import { freePort } from "../helpers/free-port.ts";

const run = promisify(execFile);

/** A streaming standby of the server of the tests. Root cannot start a server, so that it then runs as the user postgres. */
export async function startStandby() {
  const { stdout: initdb } = await run("bash", [
    "-c",
    "realpath $(command -v initdb || ls -d /usr/lib/postgresql/*/bin/initdb)",
  ]);
  const programs = dirname(initdb.trim().split("\n").at(-1) ?? "");
  const folder = await mkdtemp(join(tmpdir(), "standby-"));
  await chmod(folder, 0o777);
  const asServer = async (program: string, ...args: string[]) => {
    const command = [join(programs, program), ...args];
    await (process.getuid?.() === 0
      ? run("runuser", ["-u", "postgres", "--", ...command], { cwd: folder })
      : run(join(programs, program), args, { cwd: folder }));
  };
  const { hostname, port: primaryPort, username, pathname } = new URL(TEST_POSTGRES);
  const port = await freePort();
  const url = `postgres://${username}@127.0.0.1:${port}${pathname}`;
  const start = () =>
    asServer(
      "pg_ctl",
      ...["-D", "data", "-l", "log", "-w", "-o"],
      `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=300`,
      "start",
    );
  const stop = () => asServer("pg_ctl", "-D", "data", "-m", "immediate", "stop");
  const source = ["-h", hostname, "-p", primaryPort, "-U", username];
  await asServer("pg_basebackup", ...source, ..."-D data -R -c fast --no-sync".split(" "));
  onTestFinished(async () => {
    await stop().catch(() => undefined);
    await rm(folder, { recursive: true });
  });
  await start();

  /** When the last query of the service here began, if it read rows. */
  const lastRead = async (): Promise<string | undefined> => {
    const reads =
      "SELECT max(query_start)::text AS at FROM pg_stat_activity WHERE query LIKE 'SELECT body FROM product%'";
    const answer = await runSql(url, `${reads} AND pid <> pg_backend_pid()`).catch(() => undefined);
    return answer?.rows[0].at ?? undefined;
  };
  return {
    /** The location of a database of the tests on the standby. */
    locationOf: (database: string) => {
      const location = new URL(database);
      location.port = String(port);
      return location.href;
    },
    start,
    stop,
    pauseReplay: async () => {
      await runSql(url, "SELECT pg_wal_replay_pause()");
      const state = "SELECT pg_get_wal_replay_pause_state() AS state";
      await expect
        .poll(async () => (await runSql(url, state)).rows, { timeout: 30_000 })
        .toEqual([{ state: "paused" }]);
    },
    resumeReplay: () => runSql(url, "SELECT pg_wal_replay_resume()"),
    /** Waits until the standby has everything that the primary has now. */
    catchUp: async () => {
      const { rows } = await runSql(TEST_POSTGRES, "SELECT pg_current_wal_lsn() AS written");
      const isThere = `SELECT pg_last_wal_replay_lsn() >= '${rows[0].written}' AS "isThere"`;
      await expect
        .poll(async () => (await runSql(url, isThere)).rows, { timeout: 30_000 })
        .toEqual([{ isThere: true }]);
    },
    /** Runs `read`. @returns its result, and which server its rows came from */
    whereFrom: async <T>(read: () => Promise<T>) => {
      const before = await lastRead();
      const result = await read();
      const after = await lastRead();
      return { result, server: after === undefined || after === before ? "primary" : "standby" };
    },
  };
}
