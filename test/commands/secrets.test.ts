import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { runCatalog, temporaryFolder } from "../helpers/cli.ts";
import { pageBody, problemBody } from "../helpers/envelopes.ts";
import { answer, startFaultServer } from "../helpers/fault-server.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product, products } from "../helpers/products.ts";
import { startRewritingProxy } from "../helpers/rewriting-proxy.ts";
import { startTestService } from "../helpers/service.ts";

const KEY = "aB3-xyz_".repeat(5).concat("End");
/** Neither the key nor a part of it, in any letter case. */
const WITHOUT_KEY = expect.not.stringMatching(/ab3-?xyz/i);
const percent = [...KEY].map((character) => `%${character.charCodeAt(0).toString(16)}`).join("");

const SOURCES = ["the environment", "a file", "a profile", "a command"] as const;

/** The environment of a run that finds the key in a place, and the address of a service that answers everything with 418. */
async function keyFrom(source: (typeof SOURCES)[number]) {
  const folder = await temporaryFolder();
  const [file, config] = [join(folder, "key"), join(folder, "config.toml")];
  const server = await startFaultServer([]);
  const secret = source === "a profile" ? `api_key = "${KEY}"` : `api_key_command = "cat ${file}"`;
  await writeFile(file, `${KEY}\n`);
  await writeFile(config, `[profiles.default]\nbase_url = "${server.url.origin}"\n${secret}\n`, { mode: 0o600 });
  const env: Record<string, string> = {
    CATALOG_CONFIG: config,
    ...(source === "the environment" && { CATALOG_API_KEY: KEY }),
    ...(source === "a file" && { CATALOG_API_KEY_FILE: file }),
  };
  return { env, requests: server.requests };
}

describe.each(SOURCES)("a key of %s that is typed on the command line", (source) => {
  test.each([
    ["coverage", "--retailer", KEY],
    ["coverage", "-v", "--rcd", `acme:${KEY}:home`],
    ["coverage", "--retailer", `acme,${percent}`],
    ["sample", "--error-format", "json", "--category", KEY],
    ["export", "--manifest", "-o", "./rows.csv", "--retailer", KEY],
  ])("is refused before it is sent, and is in no output: %s %s", async (...args) => {
    const { env, requests } = await keyFrom(source);
    const cwd = await temporaryFolder();
    const { code, stdout, stderr } = await runInProcess(args, { env, cwd });
    expect({ code, stdout, stderr }).toEqual({
      code: EXIT.usage,
      stdout: "",
      stderr: expect.stringContaining("contains the API key"),
    });
    expect(stderr).toEqual(WITHOUT_KEY);
    expect({ requests, files: await readdir(cwd) }).toEqual({ requests: [], files: [] });
  });

  test.each([
    ["sample", KEY],
    ["coverage", "--retialer", KEY],
    ["coverage", `--${KEY}`],
    [KEY],
    ["coverage", "--demo", "--date", KEY],
    ["auth", "login", "--api-key", KEY],
    ["auth", "status", "--base-url", `http://${KEY}.invalid`, "--retries", "0"],
  ])("is in no message about a wrong command line: %s %s", async (...args) => {
    const { env } = await keyFrom(source);
    const { code, stdout, stderr } = await runInProcess(args, { env });
    expect(code).not.toBe(EXIT.ok);
    expect({ stdout, stderr }).toEqual({ stdout: WITHOUT_KEY, stderr: WITHOUT_KEY });
  });
});

test("a key in the path of its own file is in no warning and no report", async () => {
  const { url, key } = await startTestService();
  const config = join(await temporaryFolder(), key);
  await writeFile(config, `[profiles.default]\nbase_url = "${url}"\napi_key = "${key}"\n`);
  await chmod(config, 0o644);
  const { code, stdout, stderr } = await runInProcess(["auth", "status"], { env: { CATALOG_CONFIG: config } });
  expect({ code, stdout, stderr }).toEqual({
    code: EXIT.ok,
    stdout: expect.stringContaining("/[redacted])"),
    stderr: expect.stringContaining("/[redacted] contains an API key"),
  });
  expect(stdout + stderr).not.toContain(key);
});

test("the built tool refuses a key on the command line", async () => {
  const { env } = await keyFrom("the environment");
  expect(await runCatalog(["coverage", "--retailer", KEY], { env })).toMatchObject({
    code: EXIT.usage,
    stdout: "",
    stderr: WITHOUT_KEY,
  });
});

describe("a service that echoes the key", () => {
  const echo = `${KEY} ${percent} ${percent.toUpperCase()}`;
  const headers = { "www-authenticate": echo, "content-encoding": KEY, location: `http://${KEY}.example/` };

  test.each([
    ["a problem", answer({ status: 400, body: problemBody({ code: "unknown_retailer", detail: echo, title: echo }) })],
    [
      "valid options",
      answer({ status: 400, body: problemBody({ code: "unknown_retailer", valid_options: [KEY, echo] }) }),
    ],
    ["the headers of an error", answer({ status: 401, headers, body: "{}" })],
    ["the headers of a redirection", answer({ status: 302, headers })],
    ["the headers of a success", answer({ headers, body: pageBody([]) })],
    ["a page of the web", answer({ headers: { "content-type": "text/html" }, body: `<title>${echo}</title>` })],
  ])("does not get it into an output by %s", async (_, behaviour) => {
    const server = await startFaultServer(() => behaviour);
    const env = { CATALOG_BASE_URL: server.url.origin, CATALOG_API_KEY: KEY };
    for (const flags of [["-v"], ["--error-format", "json"]]) {
      const args = ["coverage", "--retailer", "acme", "--retries", "0", ...flags];
      const { code, stdout, stderr } = await runInProcess(args, { env });
      expect(code).not.toBe(EXIT.ok);
      expect({ stdout, stderr }).toEqual({ stdout: WITHOUT_KEY, stderr: WITHOUT_KEY });
    }
    expect(server.requests).toHaveLength(2);
  });

  test.each(["data", "cursor"])("does not get it into rows, journals or manifests by its %s", async (place) => {
    const { url, key } = await startTestService({ rows: products(3) });
    const rewrite = ({ text, target }: { text: string; target: string }) => {
      const body = JSON.parse(text);
      if (target.startsWith("/v1/catalog") && place === "data") {
        body.data[1].title = `a lamp ${key}`;
      } else if (target.startsWith("/v1/catalog")) {
        Object.assign(body.pagination, { has_more: true, next_cursor: key });
      }
      return { text: JSON.stringify(body) };
    };
    const env = { CATALOG_BASE_URL: await startRewritingProxy(url, rewrite, onTestFinished), CATALOG_API_KEY: key };
    const cwd = await temporaryFolder();
    const { code, stderr } = await runInProcess(["export", "-v", "-o", "./rows.ndjson", "--manifest"], { cwd, env });
    expect({ code, stderr }).toEqual({
      code: EXIT.failure,
      stderr: expect.stringContaining("The service's response contains the API key"),
    });
    const files = await Promise.all((await readdir(cwd)).map((name) => readFile(join(cwd, name), "utf8")));
    expect([stderr, ...files].filter((text) => text.includes(key))).toEqual([]);
  });
});

test("rows keep what looks like a key but is none", async () => {
  const title = `b${KEY.slice(1)}`;
  const { url, key } = await startTestService({ rows: [product({ title })] });
  const env = { CATALOG_BASE_URL: url, CATALOG_API_KEY: key };
  const { stdout } = await runInProcess(["export", "-f", "ndjson"], { env });
  expect(JSON.parse(stdout).title).toBe(title);
});

/** Fails where nothing catches it, once the tool listens, with the key in the message and in a member. */
const FAILS_LATER = `
  const on = process.on;
  process.on = (name, listener) => {
    if (name === "uncaughtException") {
      setImmediate(() => Promise.reject(Object.assign(new Error("no luck with " + process.env.CATALOG_API_KEY), { env: process.env })));
    }
    return on.call(process, name, listener);
  };`;

test("an error that nothing caught ends a waiting command, and is told without the key", async () => {
  const key = "aB3".padEnd(43, "x");
  const silent = await startFaultServer(() => () => {});
  const { code, stdout, stderr } = await runCatalog(["coverage", "--base-url", silent.url.href], {
    env: { CATALOG_API_KEY: key, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(FAILS_LATER)}` },
  });
  expect({ code, stdout, stderr }).toEqual({
    code: EXIT.failure,
    stdout: "",
    stderr: expect.stringMatching(
      /^error: unexpected failure: no luck with \[redacted\]\nThis is a bug in catalog\. [^\n]*\n$/,
    ),
  });
});
