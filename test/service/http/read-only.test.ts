import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createKey } from "../../../src/service/store/access/manage-keys.ts";
import { connectToSqlite } from "../../../src/service/store/database/sqlite-connection.ts";
import { openStore } from "../../../src/service/store/store.ts";
import { bareEnvironment } from "../../helpers/cli.ts";
import { products } from "../../helpers/products.ts";
import { openFolder, unprivilegedCatalog } from "../../helpers/unprivileged.ts";
import { load } from "../store/stores.ts";

test("a read-only database is served", async () => {
  const path = join(await openFolder(), "rows.db");
  const store = await openStore(path);
  await load(store, products(3));
  const key = await createKey(store, { name: "all" }, new Date());
  await store.close();
  const connection = connectToSqlite(path);
  await connection.use((session) => session.query("PRAGMA wal_checkpoint(TRUNCATE)"));
  await connection.close();
  await chmod(path, 0o444);
  await chmod(dirname(path), 0o555);
  onTestFinished(() => chmod(dirname(path), 0o755));

  const command = [...(await unprivilegedCatalog()), "service", "start", "--port", "0", "--database", path];
  const child = spawn(process.execPath, command, { env: bareEnvironment() });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let log = "";
  child.stderr.on("data", (chunk) => {
    log += chunk;
  });
  const [line] = await Promise.race([once(child.stdout, "data"), once(child, "exit").then(() => [log])]);
  const url = String(line).trim().replace("listening on ", "");
  expect(url).toMatch(/^http:/);

  const response = await fetch(`${url}/v1/catalog`, { headers: { authorization: `Bearer ${key}` } });
  const status = await fetch(`${url}/status.json`);

  expect([response.status, JSON.parse(await response.text()).data]).toEqual([200, products(3)]);
  expect([status.status, JSON.parse(await status.text()).state]).toEqual([200, "operational"]);
  child.kill("SIGTERM");
  expect([await once(child, "exit"), log]).toEqual([[0, null], ""]);
});
