import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
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

  expect({ status: response.status, data: JSON.parse(await response.text()).data }).toEqual({
    status: 200,
    data: products(3),
  });
  expect({ status: status.status, state: JSON.parse(await status.text()).state }).toEqual({
    status: 200,
    state: "operational",
  });
  child.kill("SIGTERM");
  expect({ exit: await once(child, "exit"), log }).toEqual({ exit: [0, null], log: "" });
});

test("a read-only database with changes in its write-ahead log is refused, also by the name of a link", async () => {
  const path = join(await openFolder(), "rows.db");
  const store = await openStore(path);
  onTestFinished(() => store.close());
  await createKey(store, { name: "in the log" }, new Date());
  await chmod(path, 0o444);
  await chmod(dirname(path), 0o555);
  onTestFinished(() => chmod(dirname(path), 0o755));
  const link = join(await openFolder(), "link.db");
  await symlink(path, link);
  const command = [...(await unprivilegedCatalog()), "service", "keys", "list", "--database", link];

  const listing = promisify(execFile)(process.execPath, command, { env: bareEnvironment() });

  await expect(listing).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("permission denied") });
});
