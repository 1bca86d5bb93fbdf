import { expect, test } from "vitest";
import { runCatalog } from "../../helpers/cli.ts";
import { COMBINATION } from "../../helpers/envelopes.ts";
import { runInProcess } from "../../helpers/in-process.ts";
import { KEY } from "../../helpers/test-client.ts";
import { startProxy, startSecureService } from "../../helpers/tunnel.ts";

/** Runs the built tool, because bundling can break what a proxy needs. */
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

test("an error does not show the wrong credentials of HTTPS_PROXY", async () => {
  const [service, proxy] = [await startSecureService(), await startProxy("ann:pass word")];
  const stranger = { HTTPS_PROXY: `http://ann:passport@localhost:${proxy.port}` };
  const { code, stderr } = await coverage(service.url, stranger, runInProcess);
  expect(code).toBe(5);
  expect(stderr).toContain(`The proxy refused the connection to ${service.url} with status 407`);
  expect(stderr).not.toContain("passport");
  expect(service.authorizations).toEqual([]);
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
    expect(code).toBe(5);
    expect(stderr).toContain("NODE_EXTRA_CA_CERTS");
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
