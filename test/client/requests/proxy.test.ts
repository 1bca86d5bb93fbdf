import { expect, test } from "vitest";
import { runCatalog } from "../../helpers/cli.ts";
import { COMBINATION } from "../../helpers/envelopes.ts";
import { runInProcess } from "../../helpers/in-process.ts";
import { KEY } from "../../helpers/test-client.ts";
import { startProxy, startSecureService } from "../../helpers/tunnel.ts";

/** Runs the built tool by default, because bundling can break what a proxy needs to pass a response on. */
async function coverage(
  url: string,
  env: Record<string, string>,
  run: typeof runCatalog | typeof runInProcess = runCatalog,
) {
  const args = ["coverage", "--format", "json", "--retries", "0", "--verbose", "--base-url", url];
  const { code, stdout, stderr } = await run(args, { env: { CATALOG_API_KEY: KEY, ...env } });
  return { code, rows: stdout === "" ? [] : JSON.parse(stdout), stderr };
}

const ROWS = [expect.objectContaining(COMBINATION)];

test("an https service is reached through the tunnel of HTTPS_PROXY, which sees no key", async () => {
  const [service, proxy] = [await startSecureService(), await startProxy("ann:pass word")];
  const { code, rows, stderr } = await coverage(service.url, {
    HTTPS_PROXY: `http://ann:pass%20word@localhost:${proxy.port}`,
    NODE_EXTRA_CA_CERTS: service.certificate,
  });
  expect({ code, rows }).toEqual({ code: 0, rows: ROWS });
  const credentials = `Basic ${Buffer.from("ann:pass word").toString("base64")}`;
  expect(proxy.requests).toEqual([{ method: "CONNECT", target: new URL(service.url).host, credentials }]);
  expect(service.authorizations).toEqual([`Bearer ${KEY}`]);
  expect(stderr).not.toContain("pass");
});

test("a proxy that refuses a password is named with the variable, without the password, for http and https", async () => {
  const [service, proxy] = [await startSecureService(), await startProxy("ann:pass word")];
  const address = `http://ann:passport@localhost:${proxy.port}`;
  for (const [url, variable] of [
    [service.url, "HTTPS_PROXY"],
    ["http://catalog.invalid", "HTTP_PROXY"],
  ] as const) {
    const { code, stderr } = await coverage(url, { [variable]: address }, runInProcess);
    expect(code).toBe(3);
    expect(stderr).toContain(
      `The proxy http://localhost:${proxy.port} asks for a user and a password (407): set ${variable}`,
    );
    expect(stderr).not.toContain("passport");
  }
  expect(service.authorizations).toEqual([]);
});

test("a dead proxy is named as the proxy, and one without TLS, too", async () => {
  const proxy = await startProxy();
  const deadProxy = { http_proxy: "http://ann:passport@127.0.0.1:1" };
  const dead = await coverage("http://catalog.invalid", deadProxy, runInProcess);
  const plainProxy = { HTTPS_PROXY: `https://localhost:${proxy.port}` };
  const plain = await coverage("https://catalog.invalid", plainProxy, runInProcess);
  expect([dead, plain]).toMatchObject([
    { code: 5, stderr: expect.stringContaining("No response from the proxy http://127.0.0.1:1 (http_proxy)") },
    { code: 5, stderr: expect.stringContaining("does not use TLS: should HTTPS_PROXY begin with http://?") },
  ]);
});

test.each(["http://DOM\\u:passport@127.0.0.1:3128", "http://u:passport%zz@127.0.0.1:3128", "http://u:passport@["])(
  "the address %s of a proxy is refused with the name of its variable, without the password",
  async (HTTP_PROXY) => {
    const { code, stderr } = await coverage("http://catalog.invalid", { HTTP_PROXY }, runInProcess);
    expect(code).toBe(2);
    expect(stderr).toContain("HTTP_PROXY is not the address of a proxy");
    expect(stderr).not.toContain("passport");
  },
);

test("a proxy of another protocol is refused", async () => {
  const env = { HTTP_PROXY: "socks5://127.0.0.1:1080" };
  const { code, stderr } = await coverage("http://catalog.invalid", env, runInProcess);
  expect(code).toBe(2);
  expect(stderr).toContain("HTTP_PROXY names a proxy with socks5://");
});

test("an https service in NO_PROXY is reached directly", async () => {
  const [service, proxy] = [await startSecureService(), await startProxy()];
  const { code, rows } = await coverage(service.url, {
    HTTPS_PROXY: `http://localhost:${proxy.port}`,
    NO_PROXY: "example.org,localhost",
    NODE_EXTRA_CA_CERTS: service.certificate,
  });
  expect({ code, rows, proxied: proxy.requests }).toEqual({ code: 0, rows: ROWS, proxied: [] });
  expect(service.authorizations).toEqual([`Bearer ${KEY}`]);
});

test("an https service whose certificate is not trusted gets no request, through a tunnel or not", async () => {
  const [service, proxy] = [await startSecureService(), await startProxy()];
  for (const env of [{}, { HTTPS_PROXY: `http://localhost:${proxy.port}` }]) {
    const { code, stderr } = await coverage(service.url, env, runInProcess);
    expect(code).toBe(1);
    expect(stderr).toContain("NODE_EXTRA_CA_CERTS");
    expect(stderr).not.toContain("again later");
  }
  expect(service.authorizations).toEqual([]);
  expect(proxy.requests.length).toBe(1);
});

test("an http service is reached through HTTP_PROXY, with its credentials", async () => {
  const proxy = await startProxy("ann:secret");
  const { code, rows, stderr } = await coverage("http://catalog.invalid/api", {
    HTTP_PROXY: `http://ann:secret@localhost:${proxy.port}`,
  });
  expect({ code, rows }).toEqual({ code: 0, rows: ROWS });
  const credentials = `Basic ${Buffer.from("ann:secret").toString("base64")}`;
  expect(proxy.requests).toEqual([{ method: "GET", target: "http://catalog.invalid/api/v1/coverage", credentials }]);
  expect(stderr).not.toContain("secret");
});

test("a proxy URL without credentials sends none", async () => {
  const proxy = await startProxy();
  const env = { HTTP_PROXY: `http://localhost:${proxy.port}` };
  const { code, rows } = await coverage("http://catalog.invalid/api", env, runInProcess);
  expect({ code, rows }).toEqual({ code: 0, rows: ROWS });
  expect(proxy.requests).toEqual([expect.objectContaining({ method: "GET", credentials: undefined })]);
});
