import { describe, expect, test, vi } from "vitest";
import { listKeys } from "../../../src/service/store/access/manage-keys.ts";
import { createTeam, grantTeam } from "../../../src/service/store/access/manage-teams.ts";
import { addMember } from "../../../src/service/store/access/members.ts";
import { sharedDatabase } from "../../helpers/databases.ts";
import { type Page, startTestPortal, startWithCode, type TestBrowser } from "../../helpers/portal.ts";
import { holdIntervals, type TestServiceOptions } from "../../helpers/service.ts";
import { testStore } from "../store/stores.ts";

const NOON = Date.parse("2026-03-10T12:00:00Z");

test.each([
  ["/portal/sign-in", "GET, HEAD, POST"],
  ["/portal/sign-out", "POST"],
  ["/portal/keys/revoke?id=1", "GET, HEAD, POST"],
  ["/portal", "GET, HEAD"],
])("a wrong method at %s is told the valid ones: %s", async (path, valid) => {
  const { url } = await startTestPortal();

  const { status, headers } = await fetch(url + path, { method: "PUT" });

  expect({ status, allow: headers.get("allow") }).toEqual({ status: 404, allow: valid });
});

test("a form without a body, and one whose field is repeated, are refused as empty ones", async () => {
  const portal = await startTestPortal();
  const browser = portal.browser();
  await browser.get("/portal/sign-in");
  const headers = { origin: portal.url, cookie: browser.cookie, "content-type": "application/x-www-form-urlencoded" };
  const send = (body?: string) =>
    fetch(`${portal.url}/portal/sign-in`, { method: "POST", headers, ...(body !== undefined && { body }) });

  const bare = await send();
  const twice = await send(`token=${browser.token}&email=ada%40example.com&email=bob%40example.com`);

  expect(bare.status).toBe(403);
  expect({ status: twice.status, text: await twice.text() }).toEqual({
    status: 400,
    text: expect.stringContaining("Enter your e-mail address."),
  });
});

test("each step leads to the next page", async () => {
  const portal = await startTestPortal();
  const stranger = await portal.browser().get("/portal/code");
  const browser = portal.browser();
  const asked = await browser.askForCode("ada@example.com");
  const signedIn = await portal.signedIn();
  const steps = [
    stranger,
    asked,
    await signedIn.get("/portal/sign-in"),
    await signedIn.get("/portal/keys"),
    await signedIn.post("/portal/sign-out"),
  ];

  expect(steps.map(({ status, headers }) => [status, headers.get("location")])).toEqual([
    [303, "/portal/sign-in"],
    [303, "/portal/code"],
    [303, "/portal"],
    [303, "/portal"],
    [303, "/portal/sign-in"],
  ]);
});

test("each request to the portal is counted for its part of the status feed", async () => {
  holdIntervals();
  const portal = await startTestPortal({ now: () => NOON });
  const counts = async () => {
    vi.advanceTimersByTime(5_000);
    const all = await portal.store.dayCounts("2000-01-01");
    return Object.fromEntries(all.map(({ operation, requests, failures }) => [operation, [requests, failures]]));
  };
  const browser = portal.browser();
  // Three requests: the form, the form that is sent, and the page that it leads to.
  await browser.askForCode("ada@example.com");
  await browser.post("/portal/code", { code: "12" });
  await expect.poll(() => portal.codes).toHaveLength(1);
  await browser.post("/portal/code", { code: portal.codes[0]?.code ?? "" });
  await expect.poll(counts).toEqual({ "portal-sign-in": [5, 0] });

  await browser.get("/portal");
  await browser.get("/portal/keys");
  await browser.post("/portal/keys", { name: "a" });
  const id = (await listKeys(portal.store)).find(({ name }) => name === "a")?.id;
  await browser.get(`/portal/keys/revoke?id=${id}`);
  await browser.post(`/portal/keys/revoke?id=${id}`);
  await browser.post("/portal/sign-out");
  await expect.poll(counts).toEqual({ "portal-sign-in": [6, 0], "portal-keys": [5, 0] });
});

describe("a code", () => {
  test("has six digits, which may be typed with spaces and hyphens, as in 012 345", async () => {
    const { browser, code } = await startWithCode();
    for (const other of ["1234567", "x123456", "123456x", ""]) {
      expect((await browser.post("/portal/code", { code: other })).text).toContain("A code has six digits.");
    }
    const typed = code.replace(/^(...)(..)/, " $1 $2-");

    expect((await browser.post("/portal/code", { code: typed })).status).toBe(303);
  });

  test("that nobody asked for leads back to the form for an address, whatever it is", async () => {
    const browser = (await startTestPortal()).browser();
    await browser.get("/portal/sign-in");

    const { status, text } = await browser.post("/portal/code", { code: "12" });

    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining("Ask for another one.") });
    expect(text).toContain('name="email" type="email" autocomplete="email" value=""');
  });
});

test("an unforeseen error is a page without it, and is reported with the request", async () => {
  const reported: [string, string][] = [];
  let isBroken = false;
  const portal = await startTestPortal({
    onUnexpectedError: (error, id) => reported.push([(error as Error).message, id]),
    faults: (store) => ({
      write: (work) => (isBroken ? Promise.reject(new Error("secret")) : store.write(work)),
    }),
  });
  const browser = await portal.signedIn();
  isBroken = true;

  const { status, text } = await browser.post("/portal/keys", { name: "a" });
  const refused = await browser.post("/portal/keys", { name: "a", token: "" });

  expect({ status, refusedStatus: refused.status }).toEqual({ status: 500, refusedStatus: 403 });
  expect(text).toContain("<h1>Something failed</h1>\n<p>The service failed on this request.</p>");
  expect(text).not.toContain("secret");
  expect(reported).toEqual([["secret", /req_[\w-]{24}/.exec(text)?.[0]]]);
});

test("the page of keys names what the team may do", async () => {
  const portal = await startTestPortal();
  await createTeam(portal.store, "shop", { scopes: ["catalog:read"], retailers: ["acme", "bolt"] }, new Date());
  await addMember(portal.store, { team: "shop", email: "zoe@example.com" }, new Date());
  const browser = await portal.signedIn("zoe@example.com");
  await browser.post("/portal/keys", { name: "a" });

  const some = await browser.get("/portal");
  await grantTeam(portal.store, "shop", { scopes: [], retailers: [] });
  const none = await browser.get("/portal");

  expect(some.text).toContain("The team has the scopes catalog:read and sees the retailers acme, bolt.");
  expect(none.text).toContain("The team has the scopes (none) and sees the retailers (none).");
});

test("a form does not wait longer than a query may take while a load holds the database", async () => {
  const database = await sharedDatabase();
  const browser = (await startTestPortal({ database, queryTimeout: 200 })).browser();
  await browser.get("/portal/sign-in");
  const loading = await testStore(database);

  const { status, text } = await loading.write(() => browser.post("/portal/sign-in", { email: "ada@example.com" }));

  expect(status).toBe(504);
  expect(text).toContain("Not available");
});

const never = () => new Promise<never>(() => {});

test.each<[string, NonNullable<TestServiceOptions["faults"]>, (browser: TestBrowser) => Promise<Page>]>([
  ["reads", () => ({ read: never }), (browser) => browser.get("/portal/sign-in")],
  [
    "counts",
    (store) => ({ windows: (name, length) => ({ ...store.windows(name, length), count: never }) }),
    (browser) => browser.post("/portal/sign-in", { email: "ada@example.com" }),
  ],
])("a page whose database never %s is not available after the time of a query", async (_, faults, ask) => {
  const browser = (await startTestPortal({ faults, queryTimeout: 200 })).browser();
  await browser.get("/portal/sign-in");

  const { status, text } = await ask(browser);

  expect(status).toBe(504);
  expect(text).toContain("Not available");
});
