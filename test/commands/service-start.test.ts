import { once } from "node:events";
import { mkdir, readFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { startCatalog, temporaryFolder } from "../helpers/cli.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { TestBrowser } from "../helpers/portal.ts";
import { startServiceCommand } from "../helpers/service-command.ts";

/** A started service with a team. */
async function start(args: readonly string[], env: Record<string, string> = {}) {
  const database = join(await temporaryFolder(), "service.db");
  await runInProcess(["service", "teams", "create", "sales", "--database", database]);
  await runInProcess(["service", "teams", "members", "add", "sales", "ada@example.com", "--database", database]);
  return startServiceCommand(["--database", database, ...args], env);
}

test("a service for this machine alone prints the codes, and the page says so", async () => {
  const { url, log } = await start([]);
  const browser = new TestBrowser(url, { origin: url });

  await browser.askForCode("ada@example.com");
  await expect.poll(log).toMatch(/^sign-in code for ada@example\.com: \d{6}\n$/);
  const { text } = await browser.get("/portal/code");
  const { headers } = await browser.post("/portal/code", { code: log().slice(-7, -1) });

  expect(text).toContain("No mail server is set up");
  expect(headers.get("location")).toBe("/portal");
});

test("under a public address there is no portal without mail, and a warning says why", async () => {
  const { url, log } = await start([], { CATALOG_PUBLIC_URL: "https://api.example.com" });

  await expect.poll(log).toMatch(/^warning: the developer portal is off, .*--smtp-url/);
  expect((await fetch(`${url}/portal`)).status).toBe(404);
  expect((await (await fetch(`${url}/v1/nowhere`)).json()) as object).toMatchObject({
    type: "https://api.example.com/errors#not_found",
  });
});

test("with --log json, what is wrong with the set-up is a line of JSON, too", async () => {
  const { log } = await start(["--log", "json"], { CATALOG_PUBLIC_URL: "http://api.example.com" });

  await expect
    .poll(() =>
      log()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).warning),
    )
    .toEqual([
      expect.stringMatching(/^the developer portal is off, .* prints the codes instead$/),
      "http://api.example.com is not https: others on the network can read keys, codes and cookies",
    ]);
});

test("with mail there is a portal under the public address, which may come from the environment", async () => {
  const { url, log } = await start(["--host", "0.0.0.0", "--public-url", "https://api.example.com/"], {
    CATALOG_SMTP_URL: "smtp://user:secret-word@127.0.0.1:1",
    CATALOG_MAIL_FROM: "catalog@example.com",
  });

  const answer = await fetch(`${url.replace("0.0.0.0", "127.0.0.1")}/portal/sign-in`);

  expect({ status: answer.status, setCookie: answer.headers.get("set-cookie") }).toEqual({
    status: 200,
    setCookie: expect.stringContaining("__Host-"),
  });
  expect(log()).toBe("");
});

test.each([
  [["--host", "0.0.0.0"], /other machines can reach --host "0\.0\.0\.0": add --public-url/],
  [["--host", "", "--public-url", "https://api.example.com"], /--host is empty, which would listen on all addresses/],
  [["--host", "localhost.example"], /other machines can reach --host "localhost\.example"/],
  [["--host", "127.0.0.1.example"], /other machines can reach --host "127\.0\.0\.1\.example"/],
  [["--public-url", "https://api.example.com/?catalog"], /--public-url "https:.*" has a query or fragment/],
  [
    ["--public-url", "https://user:word@api.example.com"],
    /^(?!.*word@).*--public-url must not contain a user name or pass/,
  ],
  [["--public-url", "user:word@api.example.com"], /^(?!.*word@).*--public-url must not contain a user name or pass/],
  [["--error-base", "foo bar"], /--error-base "foo bar" is not an http or https URL/],
  [["--public-url", "api.example.com"], /is not an http or https URL/],
  [["--smtp-url", "smtp://localhost"], /--smtp-url needs --mail-from/],
  [["--mail-from", "a@example.com"], /--mail-from needs --smtp-url/],
  [["--mail-from", "nobody", "--smtp-url", "smtp://localhost"], /"nobody" is not an e-mail address/],
  [["--trust-proxy", "all"], /--trust-proxy "all" is neither a number of proxies nor a list/],
  [["--trust-proxy", "10.0.0.0/33"], /is neither a number/],
  [["--trust-proxy", "0.0.0.0/0"], /--trust-proxy "0\.0\.0\.0\/0" is neither a number/],
  [["--trust-proxy", "10.0.0.1,::/0"], /is neither a number/],
  [
    ["--replica", "standby.db"],
    /--replica is not the URL of a PostgreSQL server; write postgres:\/\/user@host:5432\/name/,
  ],
  [
    ["--replica", "postgres://localhost/rows"],
    /--replica is the standby of a PostgreSQL database: name that one with --database/,
  ],
])("%j is refused with exit code 2", async (args, message) => {
  expect(await runInProcess(["service", "start", "--database", ":memory:", ...args])).toMatchObject({
    code: EXIT.usage,
    stderr: expect.stringMatching(message),
  });
});

test.each([
  [{ CATALOG_PUBLIC_URL: "api.example.com" }, /CATALOG_PUBLIC_URL "api\.example\.com" is not an http or https URL/],
  [{ CATALOG_SMTP_URL: "smtp://localhost" }, /CATALOG_SMTP_URL needs --mail-from/],
  [{ CATALOG_MAIL_FROM: "a", CATALOG_SMTP_URL: "smtp://h" }, /CATALOG_MAIL_FROM "a" is not an e-mail address/],
  [{ CATALOG_MAIL_FROM: "a@h", CATALOG_SMTP_URL: "http://h" }, /CATALOG_SMTP_URL is not the address of a mail server/],
])("%j is refused by the name of the variable", async (env, message) => {
  expect(await runInProcess(["service", "start", "--database", ":memory:"], { env })).toMatchObject({
    code: EXIT.usage,
    stderr: expect.stringMatching(message),
  });
});

test.each([
  ["--database", "postgres:user:word@127.0.0.1:1/db"],
  ["--database", "postgres://user:word@127.0.0.1:1/db"],
  ["--database", "postgres://user@127.0.0.1:1/db?sslpassword=word"],
  ["--database", "postgres://127.0.0.1:1/word@127.0.0.1:1/db"],
  ["--replica", "postgres://user:word@127.0.0.1:1/db"],
  ["--smtp-url", "smtp://user:word@mail.example.com"],
])("the password of %s %s is in no message and not in the title of the process", async (flag, address) => {
  const titles: string[] = [];
  const { code, stderr } = await runInProcess(["service", "start", "--port", "0", flag, address], {
    env: { CATALOG_DATABASE: ":memory:" },
    setTitle: (title) => titles.push(title),
  });

  expect({ code, titles }).toEqual({
    code: flag === "--database" ? EXIT.unavailable : EXIT.usage,
    titles: ["catalog service"],
  });
  expect(stderr).not.toContain("word");
});

test.each([
  ["file:100%.db", EXIT.usage, 'error: "file:100%.db" names no database file: write % as %25'],
  ["file:///a%zz.db", EXIT.usage, 'error: "file:///a%zz.db" names no database file'],
  ["", EXIT.usage, "error: --database is empty"],
  [".", EXIT.failure, /^error: the database \. cannot be used: \S+: it is a folder, not a file\n/],
])("the database %j is refused with what is wrong", async (database, code, message) => {
  const keys = await runInProcess(["service", "keys", "list", "--database", database]);

  expect({ code: keys.code, stderr: keys.stderr }).toEqual({ code, stderr: expect.stringMatching(message) });
});

test("an invalid mail server is not repeated, because it may contain a password", async () => {
  const args = ["--mail-from", "a@example.com", "--smtp-url", "https://user:secret-word@mail.example.com"];
  const { code, stderr } = await runInProcess(["service", "start", "--database", ":memory:", ...args]);

  expect({ code, stderr }).toEqual({
    code: EXIT.usage,
    stderr: expect.stringContaining("--smtp-url is not the address of a mail server"),
  });
  expect(stderr).not.toContain("secret-word");
});

test("without a valid key, the hint names the database that was given", async () => {
  const database = join(await temporaryFolder(), "my rows.db");
  const { log } = await startServiceCommand(["--database", database, "-v"]);

  await expect.poll(log).toContain(`\`catalog service keys create NAME --database '${database}'\` creates one.`);
});

test("without a flag, the hint names no database", async () => {
  const database = join(await temporaryFolder(), "rows.db");
  const { log } = await startServiceCommand(["-v"], { CATALOG_DATABASE: database });

  await expect.poll(log).toContain("`catalog service keys create NAME` creates one.");
});

test("--log json writes a line for each response, and --metrics-port serves the counts", async () => {
  const database = join(await temporaryFolder(), "service.db");
  const { stdout } = await runInProcess(["service", "keys", "create", "laptop", "--database", database]);
  const secret = stdout.trim();
  const args = ["--database", database, "--log", "json", "--metrics-port", "0"];
  const { url, said, log } = await startServiceCommand(args);
  const metrics = /^metrics on (http:\S+\/metrics)$/m.exec(said)?.[1] ?? "";

  const asked = [];
  for (const [path, key] of [
    ["/v1/sample?key=secret", "secret"],
    ["/v1/coverage", secret],
    ["/secret", secret],
  ]) {
    const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
    const { request_id, meta } = (await response.json()) as { request_id?: string; meta?: { request_id: string } };
    asked.push(request_id ?? meta?.request_id);
  }
  await expect.poll(log).toMatch(/(.*\n){3}$/);
  const text = await (await fetch(metrics)).text();

  const lines = log().trim().split("\n");
  const shared = {
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    method: "GET",
    duration_ms: expect.any(Number),
  };
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { ...shared, request: asked[0], route: "/v1/sample", status: 401, team: null },
    { ...shared, request: asked[1], route: "/v1/coverage", status: 200, team: "default" },
    { ...shared, request: asked[2], route: null, status: 404, team: null },
  ]);
  // Neither a key nor what looks like one in the wrong place.
  expect(log()).not.toContain("secret");
  expect(log()).not.toContain(secret);
  expect(text).toContain('http_request_duration_seconds_count{route="/v1/sample",method="GET",status="401"} 1\n');
  expect(text).toContain('http_request_duration_seconds_count{route="none",method="GET",status="404"} 1\n');
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  expect((await fetch(url.replace(/$/, "/metrics"))).status).toBe(404);
});

test.each<[readonly string[], (text: string) => unknown]>([
  [[], (text) => /^warning: (.*)\.\n$/s.exec(text)?.[1]?.replaceAll(/\s+/g, " ")],
  [["--log", "json"], (text) => JSON.parse(text.split("\n", 1)[0] ?? "").warning],
])("with %j, stderr says why the database fails", async (args, warningOf) => {
  const database = join(await temporaryFolder(), "service.db");
  const { url, log } = await startServiceCommand(["--database", database, ...args]);
  await mkdir(`${database}-limits`);

  const { status } = await fetch(`${url}/v1/sample`);

  expect(status).toBe(503);
  expect(warningOf(log())).toBe(`the database cannot be used: ${database}-limits: it is a folder, not a file`);
});

test("a port of the metrics that is taken is named", async () => {
  const { url } = await start([]);
  const taken = new URL(url).port;
  const database = join(await temporaryFolder(), "service.db");

  expect(await runInProcess(["service", "start", "--metrics-port", taken, "--database", database])).toMatchObject({
    code: EXIT.usage,
    stderr: `error: port ${taken} is already in use; choose another with --metrics-port, or 0 for a free one.\n`,
  });
});

/** The answer of a PostgreSQL server to the first message of a client. */
const fatal = (code: string, message: string) => {
  const fields = `SFATAL\0C${code}\0M${message}\0\0`;
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + fields.length);
  return `E${length.toString("latin1")}${fields}`;
};

test.each([
  ["closes the connection", "", EXIT.unavailable, /is not available: /],
  [
    "starts",
    fatal("57P03", "the database system is starting up"),
    EXIT.unavailable,
    /is not available: the database sys/,
  ],
  ["has no such role", fatal("28000", 'role "user" does not exist'), EXIT.failure, /cannot be used: role "user" does/],
])("if the database server %s, the exit code says whether to try again", async (_, answer, code, message) => {
  const server = createServer((socket) => socket.once("data", () => socket.end(answer, "latin1"))).listen(
    0,
    "127.0.0.1",
  );
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  const keys = await runInProcess([
    "service",
    "keys",
    "list",
    "--database",
    `postgres://user@127.0.0.1:${port}/catalog`,
  ]);

  expect({ code: keys.code, stderr: keys.stderr }).toEqual({ code, stderr: expect.stringMatching(message) });
});

test("the list of processes does not show the password of a database", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void silent.close());
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const connected = once(silent, "connection");
  const database = `postgres://user:p4ssw0rd@127.0.0.1:${port}/catalog`;
  const child = startCatalog(["service", "keys", "list", "--database", database]);
  await connected;
  const shown = await readFile(`/proc/${child.pid}/cmdline`, "utf8");
  child.kill("SIGKILL");
  await once(child, "close");
  expect(shown.replace(/\0+$/, "")).toBe("catalog service");
});
