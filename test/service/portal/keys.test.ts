import crypto from "node:crypto";
import { readFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { listKeys } from "../../../src/service/store/access/manage-keys.ts";
import { insertKey } from "../../../src/service/store/access/team-records.ts";
import { StoreUnavailableError } from "../../../src/service/store/store-types.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { startTestPortal } from "../../helpers/portal.ts";
import { withoutKeys } from "../../helpers/service.ts";

const secretIn = (text: string) => /<code class="secret">([\w-]{43})<\/code>/.exec(text)?.[1] ?? "";

test("a key created in the console works at once, and is refused at the first request after its revocation", async () => {
  const portal = await startTestPortal();
  const browser = await portal.signedIn();

  const created = await browser.post("/portal/keys", { name: " laptop " });
  const key = secretIn(created.text);
  const before = await portal.get("/v1/coverage", { key });
  const id = (await listKeys(portal.store)).find(({ name }) => name === "laptop")?.id;
  const asked = await browser.get(`/portal/keys/revoke?id=${id}`);
  const between = await portal.get("/v1/coverage", { key });
  const revoked = await browser.post(`/portal/keys/revoke?id=${id}`);
  const after = await portal.get("/v1/coverage", { key });
  const again = [await browser.get(`/portal/keys/revoke?id=${id}`), await browser.post(`/portal/keys/revoke?id=${id}`)];

  expect({ createdStatus: created.status, beforeStatus: before.status }).toEqual({
    createdStatus: 200,
    beforeStatus: 200,
  });
  expect({ askedStatus: asked.status, text: asked.text, betweenStatus: between.status }).toEqual({
    askedStatus: 200,
    text: expect.stringContaining("Revoke “laptop”?"),
    betweenStatus: 200,
  });
  expect({ status: revoked.status, location: revoked.headers.get("location") }).toEqual({
    status: 303,
    location: "/portal",
  });
  expect([after.status, after.body.code, ...again.map(({ status }) => status)]).toEqual([
    ...[401, "invalid_credentials"],
    ...[404, 404],
  ]);
  expect((await browser.get("/portal")).text).toMatch(/laptop<\/th>[\s\S]*?revoked/);
});

test("a secret appears in one uncached response and nowhere else", async () => {
  const database = join(await temporaryFolder(), "portal.db");
  const portal = await startTestPortal({ database });
  const browser = await portal.signedIn();

  const created = await browser.post("/portal/keys", { name: "laptop" });
  const secret = secretIn(created.text);
  const repeated = await browser.post("/portal/keys", { name: "laptop" });
  const list = await browser.get("/portal");
  const back = await browser.get("/portal/keys");

  expect(secret).toMatch(/^[\w-]{43}$/);
  expect(created.headers.get("cache-control")).toBe("no-store");
  expect(repeated).toMatchObject({ status: 400, text: expect.stringContaining("has a key of this name") });
  expect({ status: back.status, location: back.headers.get("location") }).toEqual({ status: 303, location: "/portal" });
  for (const { text } of [repeated, list, back]) {
    expect(text).not.toContain(secret);
  }
  const bytes = Buffer.concat([await readFile(database), await readFile(`${database}-wal`)]);
  expect(bytes.includes(secret)).toBe(false);
});

test("two people of one team see the same keys, and others see none of them", async () => {
  const portal = await startTestPortal();
  const [ada, bob, eve] = [
    await portal.signedIn("ada@example.com"),
    await portal.signedIn("bob@example.com"),
    await portal.signedIn("eve@example.com"),
  ];
  await ada.post("/portal/keys", { name: "of-ada" });
  const id = (await listKeys(portal.store)).find(({ name }) => name === "of-ada")?.id;

  const bobs = await bob.get("/portal");
  const eves = await eve.get("/portal");
  const stolen = [await eve.get(`/portal/keys/revoke?id=${id}`), await eve.post(`/portal/keys/revoke?id=${id}`)];
  const sameName = await eve.post("/portal/keys", { name: "of-ada" });

  expect(bobs.text).toContain("of-ada");
  expect(eves.text).not.toContain("of-ada");
  expect(stolen.map(({ status }) => status)).toEqual([404, 404]);
  expect(stolen[0]?.text).not.toContain("of-ada");
  expect(sameName.status).toBe(200);
  const { status } = await bob.post(`/portal/keys/revoke?id=${id}`);
  expect(status).toBe(303);
});

test("a team may have any number of keys", async () => {
  const portal = await startTestPortal();
  const ada = await portal.signedIn();
  await portal.store.write(async (session) => {
    for (let index = 0; index < 1_000; index += 1) {
      await insertKey(session, `hash ${index}`, {
        team: "sales",
        name: `key ${index}`,
        created_at: "2026-01-01T00:00:00Z",
      });
    }
  });

  const created = await ada.post("/portal/keys", { name: "one more" });

  expect({ status: created.status, secret: secretIn(created.text) }).toEqual({
    status: 200,
    secret: expect.stringMatching(/^.{43}$/),
  });
});

test("the list shows when a key was last used", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const portal = await startTestPortal({ now: () => Date.parse("2026-03-10T12:34:00Z") });
  const browser = await portal.signedIn();
  const key = secretIn((await browser.post("/portal/keys", { name: "laptop" })).text);
  const before = await browser.get("/portal");
  await portal.get("/v1/coverage", { key });

  vi.advanceTimersByTime(5_000);

  expect(before.text).toContain(">never<");
  await expect.poll(async () => (await browser.get("/portal")).text).not.toContain(">never<");
});

test("a name has 1 to 60 visible characters, and another one is refused beside its field", async () => {
  const portal = await startTestPortal();
  const browser = await portal.signedIn();
  const long = "A name has 1 to 60 visible characters";
  const names = [
    ["", "Enter a name."],
    ["   ", "Enter a name."],
    ["x".repeat(61), long],
    ["a\u0007b", long],
    ["a\u202eb", long],
  ] as const;

  for (const [name, error] of names) {
    const { status, text } = await browser.post("/portal/keys", { name });
    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining(error) });
    expect(text).toMatch(/aria-describedby="name-error name-hint" aria-invalid="true"/);
  }
  const valid = ["x".repeat(60), "👩\u200d💻"];
  for (const name of valid) {
    expect((await browser.post("/portal/keys", { name })).status).toBe(200);
  }

  const created = (await listKeys(portal.store)).filter(({ team }) => team === "sales");
  expect(new Set(created.map(({ name }) => name))).toEqual(new Set(valid));
});

describe("a form is refused, and changes nothing,", () => {
  test("from another site, with the token of another browser, without one, as JSON or too long", async () => {
    const portal = await startTestPortal();
    const browser = await portal.signedIn();
    const { token } = browser;
    const forms: [status: number, headers: Record<string, string | undefined>, fields: Record<string, string>][] = [
      [403, { origin: "https://evil.example" }, {}],
      [403, { origin: "null" }, {}],
      [403, { origin: "" }, {}],
      [403, { origin: undefined }, {}],
      [403, { origin: "http://localhost:9999", host: "localhost" }, {}],
      ...["rebound.example", "localhost.example", "127.0.0.1.example"].map((host): (typeof forms)[number] => {
        return [403, { origin: `http://${host}`, host }, {}];
      }),
      [403, {}, { token: "A".repeat(43) }],
      [403, {}, { token: "" }],
      [415, { "content-type": "application/json" }, {}],
      [413, {}, { name: "a".repeat(5_000) }],
    ];

    for (const [expected, headers, fields] of forms) {
      const { status } = await browser.post("/portal/keys", { name: "stolen", token, ...fields }, headers);
      expect({ status, headers, fields }).toEqual({ status: expected, headers, fields });
    }

    expect((await listKeys(portal.store)).map(({ team }) => team)).toEqual(["default"]);
    expect((await browser.post("/portal/keys", { name: "mine", token })).status).toBe(200);
  });

  test("from a host whose name begins with that of the public address, or without an Origin there", async () => {
    const portal = await startTestPortal({ publicUrl: "https://api.example.com" });
    const browser = await portal.signedIn();

    const names = ["https://api.example.com.evil.example", "https://api.example.com:444", "http://api.example.com"];
    const statuses = [];
    for (const origin of [...names, "", undefined]) {
      statuses.push((await browser.post("/portal/keys", { name: "stolen" }, { origin })).status);
    }
    const own = await browser.post("/portal/keys", { name: "mine" });

    expect([...statuses, own.status]).toEqual([403, 403, 403, 403, 403, 200]);
  });

  test("after its token was compared in constant time", async () => {
    const portal = await startTestPortal();
    const browser = await portal.signedIn();
    const compared = vi.spyOn(crypto, "timingSafeEqual");
    syncBuiltinESMExports();
    onTestFinished(() => {
      compared.mockRestore();
      syncBuiltinESMExports();
    });
    const token = "A".repeat(43);

    const { status } = await browser.post("/portal/keys", { name: "stolen", token });

    expect(status).toBe(403);
    expect(compared.mock.calls.map(([given]) => String(given))).toContain(token);
  });
});

test.each(["application/json", "application/problem+json, text/html;q=0.5"])(
  "a refused form is a problem for a client that asks for %s",
  async (accept) => {
    const portal = await startTestPortal();
    const browser = await portal.signedIn();

    const refused = [
      await browser.post("/portal/keys", { name: "a" }, { accept, origin: "https://evil.example" }),
      await browser.post("/portal/keys", { name: "" }, { accept }),
      await browser.post("/portal/keys", { name: "a".repeat(5_000) }, { accept }),
      await browser.post("/portal/keys/revoke?id=999", {}, { accept }),
    ].map(({ headers, text }) => [headers.get("content-type"), headers.get("vary"), JSON.parse(text).detail]);
    const page = await browser.post("/portal/keys", { name: "" }, { accept: "text/html, */*;q=0.8" });

    expect(refused).toEqual([
      ["application/problem+json", "Accept", "The form was not sent from a page of this portal."],
      ["application/problem+json", "Accept", "Enter a name."],
      ["application/problem+json", "Accept", "The form could not be read."],
      ["application/problem+json", "Accept", "The team has no such key, or it is already revoked."],
    ]);
    expect({ status: page.status, contentType: page.headers.get("content-type") }).toEqual({
      status: 400,
      contentType: "text/html; charset=utf-8",
    });
  },
);

test("without a database, the portal returns a page and the API a problem", async () => {
  let away = false;
  const fail = async () => Promise.reject(new StoreUnavailableError("away"));
  const portal = await startTestPortal({
    faults: (store) => ({
      read: (work, deadline) => (away ? fail() : store.read(work, deadline)),
      windows: withoutKeys(store, () => fail()),
    }),
  });
  const browser = await portal.signedIn();

  away = true;
  const page = await browser.get("/portal");
  const api = await portal.get("/v1/coverage");

  expect(page).toMatchObject({ status: 503, text: expect.stringContaining("The data cannot be read at the moment.") });
  expect({ status: api.status, code: api.body.code }).toEqual({ status: 503, code: "service_unavailable" });
});
