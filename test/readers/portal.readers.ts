import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { mailCodes } from "../../src/commands/service/mail.ts";
import { EXIT } from "../../src/contract/errors.ts";
import { openIncident } from "../../src/service/store/manage-incidents.ts";
import { runCatalog } from "../helpers/cli.ts";
import { startMailServer } from "../helpers/mail-server.ts";
import { startTestPortal } from "../helpers/portal.ts";
import { TRANSCRIPT_ROWS } from "../helpers/transcripts.ts";

let chrome: Browser;

beforeAll(async () => {
  chrome = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
    // A page that the browser keeps for its back button must not show a secret again.
    ignoreDefaultArgs: ["--disable-back-forward-cache", "--hide-scrollbars"],
  });
});

afterAll(() => chrome.close());

/** A portal that sends its codes to a real mail server, and what people do in it. */
async function setUp() {
  const time = { now: Date.now() };
  const mail = await startMailServer();
  const sendCode = mailCodes({
    url: `smtp://catalog:pass%2Fword@127.0.0.1:${mail.port}`,
    from: "catalog@example.com",
  });
  const service = await startTestPortal({
    rows: TRANSCRIPT_ROWS,
    now: () => time.now,
    portal: { sendCode, codesArePrinted: false },
  });
  const open = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await chrome.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    onTestFinished(() => context.close());
    return await context.newPage();
  };
  /** Asks for a code and reads it from the mail. */
  const askForCode = async (page: Page, email: string): Promise<string> => {
    const before = mail.mails.length;
    await page.goto(`${service.url}/portal`);
    await page.getByLabel("E-mail address").fill(email);
    await page.getByRole("button", { name: "Send the code" }).click();
    await expect.poll(() => mail.mails.length).toBe(before + 1);
    return /^Subject: (\d{6}) is your sign-in code\r$/m.exec(mail.mails.at(-1)?.text ?? "")?.[1] ?? "";
  };
  const enter = async (page: Page, code: string): Promise<void> => {
    await page.getByLabel("Code of six digits").fill(code);
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  const signIn = async (page: Page, email: string): Promise<void> => {
    await enter(page, await askForCode(page, email));
    await page.getByText(`signed in as ${email}`).waitFor();
  };
  /** Creates a key and reads its secret from the page. */
  const createKey = async (page: Page, name: string): Promise<string> => {
    await page.getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Create key" }).click();
    return (await page.locator(".secret").textContent()) ?? "";
  };
  const coverage = (key: string) =>
    runCatalog(["coverage", "-f", "csv"], { env: { CATALOG_BASE_URL: service.url, CATALOG_API_KEY: key } });
  return { ...service, time, mails: mail.mails, open, askForCode, enter, signIn, createKey, coverage };
}

const wrongFor = (code: string) => (code === "000000" ? "111111" : "000000");

describe.each([
  ["in a wide window", {}],
  ["on a phone", { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true }],
  ["without script", { javaScriptEnabled: false }],
])("%s", (_, options) => {
  test("a key is made with a mailed code, works, is never shown again, is revoked and refused", async () => {
    const portal = await setUp();
    const page = await portal.open(options);
    await portal.signIn(page, "ada@example.com");
    const secret = await portal.createKey(page, "laptop");
    const works = await portal.coverage(secret);

    await page.getByRole("link", { name: "Back to the keys" }).click();
    const list = await page.content();
    await page.goBack().catch(() => undefined);
    // Where the browser has to ask for the page again it shows an error of its own, which takes a moment.
    await expect.poll(() => page.content().catch(() => secret)).not.toContain(secret);
    await page.goto(`${portal.url}/portal`);
    await page.getByRole("link", { name: "Revoke laptop" }).click();
    await page.getByText("Revoke “laptop”?").waitFor();
    await page.getByRole("button", { name: "Revoke the key" }).click();
    await page.getByText("revoked 20").waitFor();
    const refused = await portal.coverage(secret);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.goto(`${portal.url}/portal`);

    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(works).toMatchObject({ code: EXIT.ok, stdout: expect.stringContaining("nordwind") });
    expect(list).not.toContain(secret);
    expect(refused).toMatchObject({ code: EXIT.credentials, stderr: expect.stringContaining("invalid_credentials") });
    expect(new URL(page.url()).pathname).toBe("/portal/sign-in");
  });
});

test("a page with a secret that is loaded again shows no secret and makes no second key", async () => {
  const portal = await setUp();
  const page = await portal.open();
  await portal.signIn(page, "ada@example.com");
  const secret = await portal.createKey(page, "laptop");

  await page.reload();

  expect(await page.locator(".error").textContent()).toContain("The team has a key of this name");
  expect(await page.content()).not.toContain(secret);
});

test("the button copies the secret", async () => {
  const portal = await setUp();
  const page = await portal.open({ permissions: ["clipboard-read", "clipboard-write"] });
  await portal.signIn(page, "ada@example.com");
  const secret = await portal.createKey(page, "laptop");

  await page.getByRole("button", { name: "Copy the secret" }).click();
  await page.getByText("Copied.").waitFor();

  // As text: nothing of the types of a page is known here.
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(secret);
});

test("wrong, expired and used codes are refused beside the field, and another one can be had", async () => {
  const portal = await setUp();
  const page = await portal.open();
  const first = await portal.askForCode(page, "ada@example.com");
  await portal.enter(page, wrongFor(first));
  const wrong = await page.locator("#code-error").textContent();
  portal.time.now += 10 * 60_000;
  await portal.enter(page, first);
  const expired = await page.locator("#email-error").textContent();
  const second = await portal.askForCode(page, "ada@example.com");
  const other = await portal.open();
  await portal.askForCode(other, "bob@example.com");
  await portal.enter(page, second);
  await page.getByText("signed in as ada@example.com").waitFor();
  await portal.enter(other, second);

  expect(wrong).toBe("This is not the code. 4 tries are left.");
  expect(expired).toContain("The code has expired");
  expect(await other.locator("#code-error").textContent()).toContain("This is not the code.");
});

test("two people of one team see the same keys, another team does not, and a stranger gets no mail", async () => {
  const portal = await setUp();
  const [ada, bob, eve, stranger] = [
    await portal.open(),
    await portal.open(),
    await portal.open(),
    await portal.open(),
  ];
  await portal.signIn(ada, "ada@example.com");
  await portal.createKey(ada, "of-ada");
  await portal.signIn(bob, "bob@example.com");
  await portal.signIn(eve, "eve@example.com");
  await stranger.goto(`${portal.url}/portal`);
  await stranger.getByLabel("E-mail address").fill("stranger@example.com");
  await stranger.getByRole("button", { name: "Send the code" }).click();
  await stranger.getByLabel("Code of six digits").waitFor();

  expect(await bob.content()).toContain("of-ada");
  expect(await eve.content()).not.toContain("of-ada");
  expect(await stranger.content()).toContain("a code is on its way there");
  expect(portal.mails.flatMap(({ to }) => to)).toEqual(["ada", "bob", "eve"].map((name) => `${name}@example.com`));
});

test("on a phone, each key can be revoked without scrolling", async () => {
  const portal = await setUp();
  const page = await portal.open({ viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
  await portal.signIn(page, "ada@example.com");
  await portal.createKey(page, "a key with a long name that is 60 characters long, no more");
  await page.goto(`${portal.url}/portal`);

  const box = await page.getByRole("link", { name: "Revoke" }).boundingBox();

  expect(box?.x).toBeGreaterThan(0);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390 - 20);
});

test("tables and lines of code that are wider than the window show a scroll bar", async () => {
  const portal = await setUp();
  const page = await portal.open({ viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
  await page.goto(`${portal.url}/reference`);

  const bars = (await page.evaluate(`[...document.querySelectorAll(".scroll, pre")]
    .filter((element) => element.scrollWidth > element.clientWidth)
    .map((element) => element.offsetHeight - element.clientHeight - 2)`)) as number[];

  expect(bars.length).toBeGreaterThan(5);
  expect(Math.min(...bars)).toBeGreaterThan(5);
});

describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
  test.each([360, 1280])("axe finds nothing on any page, and none is wider than its window of %i", async (width) => {
    const portal = await setUp();
    const incident = { title: "Slow", suite: "catalog-api", severity: "major", body: "We look." } as const;
    await openIncident(portal.store, incident, new Date());
    const page = await portal.open({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
    const foreign: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(portal.url)) {
        foreign.push(request.url());
      }
    });
    const found: unknown[] = [];
    const inspect = async (name: string) => {
      await page.evaluate(axe.source);
      const violations = (await page.evaluate("axe.run().then(({ violations }) => violations)")) as {
        id: string;
        nodes: { html: string }[];
      }[];
      found.push(...violations.map(({ id, nodes }) => [name, id, nodes.map(({ html }) => html)]));
      const over = (await page.evaluate("document.documentElement.scrollWidth - innerWidth")) as number;
      found.push(...(over > 0 ? [[name, "is too wide by", over]] : []));
    };
    for (const path of ["/", "/reference", "/errors", "/status", "/changelog", "/portal/sign-in"]) {
      await page.goto(`${portal.url}${path}`);
      await inspect(path);
    }
    await page.getByLabel("E-mail address").fill("nobody");
    await page.getByRole("button", { name: "Send the code" }).click();
    await inspect("sign-in with an error");
    const code = await portal.askForCode(page, "ada@example.com");
    await inspect("code");
    await portal.enter(page, wrongFor(code));
    await inspect("code with an error");
    await portal.enter(page, code);
    await inspect("no keys");
    await portal.createKey(page, "a key with a long name that is 60 characters long, no more");
    await inspect("secret");
    await page.goto(`${portal.url}/portal`);
    await inspect("keys");
    await page.getByRole("button", { name: "Create key" }).click();
    await inspect("keys with an error");
    await page.getByRole("link", { name: "Revoke" }).click();
    await inspect("revoke");

    expect(found).toEqual([]);
    expect(foreign).toEqual([]);
  });
});
