import { expect, onTestFinished, test, vi } from "vitest";
import { fetchPortalAddress } from "../../src/client/portal-address.ts";
import { answer, stallBeforeHeaders, startFaultServer } from "../helpers/fault-server.ts";
import { gate } from "../helpers/gate.ts";
import { ONE_ATTEMPT } from "../helpers/test-client.ts";

const OPTIONS = { ...ONE_ATTEMPT, requestTimeout: 60_000, retries: 5 };

const describing = (url: unknown) => answer({ body: JSON.stringify({ externalDocs: { url } }) });

test("the address is that of the description, which is requested below the base URL and without a key", async () => {
  const server = await startFaultServer([describing("https://portal.example/start")]);
  expect(await fetchPortalAddress(new URL("/api//", server.url), OPTIONS)).toBe("https://portal.example/start");
  expect(server.requests).toEqual([
    {
      method: "GET",
      target: "/api/openapi.json",
      headers: expect.not.objectContaining({ authorization: expect.anything() }),
    },
  ]);
});

test("an address without TLS counts only if it is that of the service", async () => {
  const server = await startFaultServer((request) =>
    describing(request.target.startsWith("/own/") ? `${server.url.origin}/portal` : "http://portal.example/"),
  );
  expect(await fetchPortalAddress(new URL("/own", server.url), OPTIONS)).toBe(`${server.url.origin}/portal`);
  expect(await fetchPortalAddress(new URL("/foreign", server.url), OPTIONS)).toBeUndefined();
});

test.each([
  ["no address", describing(undefined)],
  ["a number", describing(7)],
  ["a text that is no address", describing("portal")],
  ["a script", describing("javascript:alert(1)")],
  ["no external documents", answer({ body: "{}" })],
  ["null", answer({ body: "null" })],
  ["no JSON", answer({ body: "{" })],
  ["an error", answer({ status: 503, body: "{}" })],
])("a description with %s has none, and is requested once", async (_, behaviour) => {
  const server = await startFaultServer(() => behaviour);
  expect(await fetchPortalAddress(server.url, OPTIONS)).toBeUndefined();
  expect(server.requests).toHaveLength(1);
});

test("a silent service is waited for three seconds", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { passed: asked, open: requested } = gate();
  const server = await startFaultServer(() => (...received) => {
    stallBeforeHeaders(...received);
    requested();
  });
  let address: string | undefined | "pending" = "pending";
  const found = fetchPortalAddress(server.url, OPTIONS).then((result) => {
    address = result;
  });
  await asked;
  await vi.advanceTimersByTimeAsync(2_999);
  expect(address).toBe("pending");
  await vi.advanceTimersByTimeAsync(1);
  await found;
  expect(address).toBeUndefined();
});

test("an abort ends the request with its reason", async () => {
  const abort = new AbortController();
  const server = await startFaultServer(() => () => abort.abort(new Error("enough")));
  await expect(fetchPortalAddress(server.url, { ...OPTIONS, signal: abort.signal })).rejects.toThrow("enough");
});
