import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { hashSecret } from "../../../src/service/store/access/manage-keys.ts";
import { addMember, removeMember } from "../../../src/service/store/access/members.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { startTestPortal, startWithCode, type TestBrowser } from "../../helpers/portal.ts";

const MINUTE = 60_000;

/** A clock that the test sets. */
function clock() {
  const time = { now: Date.parse("2026-03-10T12:00:00Z") };
  return { time, now: () => time.now };
}

const wrongFor = (code: string) => (code === "000000" ? "111111" : "000000");

describe("a code", () => {
  test("signs in the person it was sent to, and opens the page of keys", async () => {
    const portal = await startTestPortal();
    const browser = portal.browser();

    const response = await browser.signIn(" ADA@example.com ", portal.codes);
    const { status, text } = await browser.get("/portal");

    expect(portal.codes).toEqual([{ email: "ada@example.com", code: expect.stringMatching(/^\d{6}$/) }]);
    expect({ status: response.status, location: response.headers.get("location") }).toEqual({
      status: 303,
      location: "/portal",
    });
    expect({ status, text }).toEqual({ status: 200, text: expect.stringContaining("signed in as ada@example.com") });
  });

  test("is valid for ten minutes", async () => {
    const { time, now } = clock();
    const portal = await startTestPortal({ now });
    const [early, late] = [portal.browser(), portal.browser()];
    await early.askForCode("ada@example.com");
    await late.askForCode("bob@example.com");
    await expect.poll(() => portal.codes.length).toBe(2);
    const [first, second] = portal.codes;

    time.now += 10 * MINUTE - 1;
    const inTime = await early.post("/portal/code", { code: first?.code ?? "" });
    time.now += 1;
    const tooLate = await late.post("/portal/code", { code: second?.code ?? "" });

    expect({ inTimeStatus: inTime.status, tooLateStatus: tooLate.status }).toEqual({
      inTimeStatus: 303,
      tooLateStatus: 400,
    });
    expect(tooLate.text).toContain("The code has expired");
  });

  test("can be tried five times", async () => {
    const { browser, code } = await startWithCode();

    const said = [];
    for (let index = 0; index < 5; index += 1) {
      const { text } = await browser.post("/portal/code", { code: wrongFor(code) });
      said.push(/<p class="error"[^>]*>([^<]+)</.exec(text)?.[1]);
    }
    const right = await browser.post("/portal/code", { code });

    expect(said).toEqual([
      "This is not the code. 4 tries are left.",
      "This is not the code. 3 tries are left.",
      "This is not the code. 2 tries are left.",
      "This is not the code. One try is left.",
      "The code has expired, was used, or was tried too often. Ask for another one.",
    ]);
    expect(right.status).toBe(400);
  });

  test("is checked at most five times when many wrong tries arrive at once", async () => {
    const { browser, code } = await startWithCode();
    const wrong = { code: wrongFor(code) };

    const responses = await Promise.all(Array.from({ length: 20 }, () => browser.post("/portal/code", wrong)));

    expect(responses.filter(({ text }) => text.includes("This is not the code"))).toHaveLength(4);
  });

  test("works once", async () => {
    const { browser, code } = await startWithCode();
    const { cookie, token } = browser;
    await browser.post("/portal/code", { code });

    browser.cookie = cookie;
    const again = await browser.post("/portal/code", { code, token });

    expect(again).toMatchObject({ status: 400, text: expect.stringContaining("was used") });
  });

  test("works in the browser that asked for it and in no other", async () => {
    const portal = await startTestPortal();
    const [mine, other] = [portal.browser(), portal.browser()];
    await mine.askForCode("ada@example.com");
    await other.askForCode("stranger@example.com");

    expect(await other.post("/portal/code", { code: await portal.nextCode() })).toMatchObject({
      status: 400,
      text: expect.stringContaining("This is not the code"),
    });
  });
});

test("codes, sessions and secrets of browsers are in the database as hashes only", async () => {
  const database = join(await temporaryFolder(), "portal.db");
  const portal = await startTestPortal({ database });
  const pending = portal.browser();
  await pending.askForCode("bob@example.com");
  const browser = await portal.signedIn();
  const bytes = Buffer.concat([await readFile(database), await readFile(`${database}-wal`)]);
  const secretOf = ({ cookie }: { cookie: string }) => cookie.slice(cookie.indexOf("=") + 1);

  expect(bytes.includes(hashSecret(secretOf(browser)))).toBe(true);
  expect(bytes.includes(hashSecret(secretOf(pending)))).toBe(true);
  expect(bytes.includes(secretOf(browser))).toBe(false);
  expect(bytes.includes(secretOf(pending))).toBe(false);
  for (const { code } of portal.codes) {
    expect(bytes.includes(hashSecret(code))).toBe(false);
  }
});

describe("an address that belongs to nobody", () => {
  test("gets the same responses and runs the same SQL as a member's address, and gets no mail", async () => {
    const statements: string[] = [];
    const portal = await startTestPortal({
      now: () => Date.parse("2026-03-10T12:00:00Z"),
      faults: (store) => ({
        write: (work) =>
          store.write((session) =>
            work({
              ...session,
              query: (sql, parameters) => {
                statements.push(sql);
                return session.query(sql, parameters);
              },
            }),
          ),
      }),
    });
    const responsesFor = async (email: string) => {
      statements.length = 0;
      const browser = portal.browser();
      const asked = await browser.askForCode(email);
      const page = await browser.get("/portal/code");
      const wrong = await browser.post("/portal/code", { code: "12345x" });
      const hidden = (text: string) => text.replaceAll(browser.token, "TOKEN").replaceAll(email, "EMAIL");
      return {
        asked: [asked.status, asked.headers.get("location"), asked.text],
        pages: [page, wrong].map(({ status, text }) => [status, hidden(text)]),
        statements: [...statements],
      };
    };

    const [known, unknown] = [await responsesFor("ada@example.com"), await responsesFor("xyz@example.com")];

    expect(unknown).toEqual(known);
    expect(known.statements.length).toBeGreaterThan(0);
    await expect.poll(() => portal.codes.map(({ email }) => email)).toEqual(["ada@example.com"]);
  });

  test("is not revealed by a slow mail server: the response does not wait for it", async () => {
    let asked = 0;
    const never = () => {
      asked += 1;
      return new Promise<void>(() => {});
    };
    const portal = await startTestPortal({ portal: { sendCode: never, codesArePrinted: false } });

    const { status } = await portal.browser().askForCode("ada@example.com");

    expect(status).toBe(303);
    await expect.poll(() => asked).toBe(1);
  });
});

test("a mail that cannot be sent is reported to the operator, without the code", async () => {
  const told: unknown[] = [];
  const portal = await startTestPortal({
    portal: { sendCode: async () => Promise.reject(new Error("refused")), codesArePrinted: false },
    onUnexpectedError: (error) => told.push((error as Error).message),
  });

  await portal.browser().askForCode("ada@example.com");

  await expect.poll(() => told).toEqual(["refused"]);
});

/** The statuses of the responses to forms for codes to these addresses, all sent from one page. */
async function statusesOf(browser: TestBrowser, emails: readonly string[]): Promise<number[]> {
  await browser.get("/portal/sign-in");
  const statuses: number[] = [];
  for (const email of emails) {
    statuses.push((await browser.post("/portal/sign-in", { email })).status);
  }
  return statuses;
}

const FIVE_AND_REFUSED = [303, 303, 303, 303, 303, 429];

const nobodies = (count: number) => Array.from({ length: count }, (_, index) => `nobody-${index}@example.com`);

describe("the rate is limited", () => {
  test.each([
    ["of a member", ["ada", "Ada", "aDa", "adA", "ADa", "ADA"]],
    ["of nobody", Array(6).fill("nobody")],
  ])(
    "for codes that one source asks for and one address %s, however it is written, but not for those to another one",
    async (_, names: string[]) => {
      const portal = await startTestPortal();
      const emails = names.map((name) => `${name}@example.com`);

      expect(await statusesOf(portal.browser(), emails)).toEqual(FIVE_AND_REFUSED);
      expect((await portal.browser().askForCode("bob@example.com")).status).toBe(303);
    },
  );

  test("and anonymous requests for codes to a member's address do not lock the member out", async () => {
    const portal = await startTestPortal({ trustProxy: 1 });
    const from = (address: string) => portal.browser({ "x-forwarded-for": address });

    const statuses = await statusesOf(from("203.0.113.1"), Array(6).fill("ada@example.com"));
    const { status } = await from("203.0.113.2").signIn("ada@example.com", portal.codes);

    expect({ statuses, status }).toEqual({ statuses: FIVE_AND_REFUSED, status: 303 });
  });

  test("and all addresses of an IPv6 /64 are one source, for codes that are asked for and for codes that are tried", async () => {
    const portal = await startTestPortal({ trustProxy: 1 });
    const from = (address: string) => portal.browser({ "x-forwarded-for": address });
    const asked = [];
    for (let index = 1; index <= 21; index += 1) {
      asked.push((await from(`2001:db8:1:2::${index}`).askForCode(`nobody-${index}@example.com`)).status);
    }
    const tried = [];
    for (let index = 1; index <= 61; index += 1) {
      const browser = from(`2001:db8:1:3::${index}`);
      await browser.get("/portal/sign-in");
      tried.push((await browser.post("/portal/code", { code: "123456" })).status);
    }

    expect(asked).toEqual([...Array(20).fill(303), 429]);
    expect(tried).toEqual([...Array(60).fill(400), 429]);
    expect((await from("2001:db8:1:4::1").askForCode("ada@example.com")).status).toBe(303);
  });

  test("for codes that one source asks for, whatever the address", async () => {
    const portal = await startTestPortal();
    await statusesOf(portal.browser(), nobodies(20));

    const { status, headers, text } = await portal.browser().askForCode("ada@example.com");

    expect({ status, text }).toEqual({
      status: 429,
      text: expect.stringContaining("Too many codes were asked for. Try again in 60 minutes."),
    });
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(3_500);
    expect(portal.codes).toEqual([]);
  });

  test("for codes that one source tries", async () => {
    const { time, now } = clock();
    const browser = (await startTestPortal({ now })).browser();
    await browser.askForCode("stranger@example.com");
    const tryCode = () => browser.post("/portal/code", { code: "123456" });
    const statuses = [];
    for (let index = 0; index < 60; index += 1) {
      statuses.push((await tryCode()).status);
    }
    const said = [];
    for (const minutes of [0, 30.5, 28.5]) {
      time.now += minutes * MINUTE;
      const { status, text, headers } = await tryCode();
      said.push([status, /Too many codes were tried\. [^<]+/.exec(text)?.[0], headers.get("retry-after")]);
    }

    expect(statuses).toEqual(Array(60).fill(400));
    expect(said).toEqual([
      [429, "Too many codes were tried. Try again in 60 minutes.", "3600"],
      [429, "Too many codes were tried. Try again in 30 minutes.", "1770"],
      [429, "Too many codes were tried. Try again in one minute.", "60"],
    ]);
  });

  test.each([
    ["the connection, not a client's X-Forwarded-For", {}, [303, 429]],
    ["the address that the one trusted proxy adds", { trustProxy: 1 }, [303, 303]],
    ["the address that a proxy in a trusted network adds", { trustProxy: "127.0.0.0/8" }, [303, 303]],
  ])("and identifies a source by %s", async (_, options, expected) => {
    const portal = await startTestPortal(options);
    await statusesOf(portal.browser({ "x-forwarded-for": "203.0.113.1" }), nobodies(19));

    const statuses = [];
    for (const last of [1, 2]) {
      const browser = portal.browser({ "x-forwarded-for": `198.51.100.7, 203.0.113.${last}` });
      statuses.push((await browser.askForCode(`other-${last}@example.com`)).status);
    }

    expect(statuses).toEqual(expected);
  });
});

describe("a session", () => {
  test("has a new secret that the browser did not have before signing in", async () => {
    const portal = await startTestPortal();
    const browser = portal.browser();
    await browser.get("/portal/sign-in");
    const before = browser.cookie;
    await browser.signIn("ada@example.com", portal.codes);
    const after = browser.cookie;

    browser.cookie = before;
    const withOld = await browser.get("/portal");

    expect(after).not.toBe(before);
    expect({ status: withOld.status, location: withOld.headers.get("location") }).toEqual({
      status: 303,
      location: "/portal/sign-in",
    });
  });

  test.each([
    ["thirty minutes without a request", [29, 29, 31], [200, 200, 303]],
    ["twelve hours even with requests", [...Array(24).fill(29), 20, 5], [...Array(24).fill(200), 200, 303]],
  ])("ends after %s", async (_, steps, expected) => {
    const { time, now } = clock();
    const portal = await startTestPortal({ now });
    const browser = await portal.signedIn();

    const statuses = [];
    for (const minutes of steps) {
      time.now += minutes * MINUTE;
      const { status } = await browser.get("/portal");
      statuses.push(status);
      // The time of a request is stored after its response.
      await vi.waitFor(async () => {
        const last = "SELECT max(seen_at) AS seen FROM portal_session";
        const [session] = await portal.store.read((reader) => reader.query<{ seen: string }>(last));
        expect(status === 303 || session?.seen === new Date(time.now).toISOString()).toBe(true);
      });
    }

    expect(statuses).toEqual(expected);
  });

  test("ends when the person signs out, also for a copy of the cookie", async () => {
    const portal = await startTestPortal();
    const browser = await portal.signedIn();
    const { cookie } = browser;

    const { headers } = await browser.post("/portal/sign-out");
    browser.cookie = cookie;

    expect(headers.get("set-cookie")).toMatch(/^catalog-portal=;.*Expires=Thu, 01 Jan 1970/);
    expect((await browser.get("/portal")).status).toBe(303);
  });

  test("ends when the person leaves the team", async () => {
    const portal = await startTestPortal();
    const browser = await portal.signedIn();

    await removeMember(portal.store, { team: "sales", email: "ada@example.com" });

    expect((await browser.get("/portal")).status).toBe(303);
    expect((await browser.post("/portal/keys", { name: "late" })).status).toBe(303);
  });
});

test("a removed person who is added again has to sign in again, with a new code", async () => {
  const portal = await startTestPortal();
  const signedIn = await portal.signedIn();
  const pending = portal.browser();
  await pending.askForCode("ada@example.com");
  await expect.poll(() => portal.codes.length).toBe(2);
  const ada = { team: "sales", email: "ada@example.com" };

  await removeMember(portal.store, ada);
  await addMember(portal.store, ada, new Date());
  const page = await signedIn.get("/portal");
  const code = await pending.post("/portal/code", { code: portal.codes[1]?.code ?? "" });

  expect({ status: page.status, location: page.headers.get("location") }).toEqual({
    status: 303,
    location: "/portal/sign-in",
  });
  expect(code).toMatchObject({ status: 400, text: expect.stringContaining("Ask for another one.") });
});

describe("the cookie", () => {
  test("is hidden from scripts and other sites, and for https alone where the public address is https, below its path", async () => {
    const answers = [];
    for (const publicUrl of ["http://localhost:8787", "https://api.example.com", "https://example.com/shop"]) {
      const { headers } = await (await startTestPortal({ publicUrl })).browser().get("/portal/sign-in");
      const cookie = headers.get("set-cookie")?.replace(/=[\w-]{43};/, "=SECRET;");
      answers.push([cookie, headers.get("strict-transport-security")]);
    }

    const HTTPS_ONLY = "max-age=31536000";
    expect(answers).toEqual([
      ["catalog-portal=SECRET; Path=/; HttpOnly; SameSite=Lax", null],
      ["__Host-catalog-portal=SECRET; Path=/; HttpOnly; Secure; SameSite=Lax", HTTPS_ONLY],
      ["__Secure-catalog-portal=SECRET; Path=/shop; HttpOnly; Secure; SameSite=Lax", HTTPS_ONLY],
    ]);
  });

  test("is replaced if its secret is not one of the portal's, and kept if it may be", async () => {
    const browser = (await startTestPortal()).browser();
    const replaced = [];
    for (const secret of ["x", `${"a".repeat(43)}a`, `-${"a".repeat(43)}`, `${"a".repeat(42)}!`, "a".repeat(43)]) {
      browser.cookie = `catalog-portal=${secret}`;
      replaced.push((await browser.get("/portal/sign-in")).headers.has("set-cookie"));
    }

    expect(replaced).toEqual([true, true, true, true, false]);
  });
});
