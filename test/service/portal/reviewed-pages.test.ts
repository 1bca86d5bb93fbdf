import { expect, test } from "vitest";
import { listKeys } from "../../../src/service/store/access/manage-keys.ts";
import { openIncident, updateIncident } from "../../../src/service/store/manage-incidents.ts";
import { type Page, startTestPortal, type TestPortal } from "../../helpers/portal.ts";
import { startTestService } from "../../helpers/service.ts";

const NOON = Date.parse("2026-03-10T12:00:00Z");
const now = () => NOON;

/** Pages that are reviewed as a whole: a public one and one of the portal. The others have the same frame. */
const WHOLE = new Set(["home", "keys-none"]);

/** What a page has of its own: title, script, navigation and content. */
function withoutFrame(text: string): string {
  const own = text.match(/^(<title>.*|<script.*|<nav .*|<main [\s\S]*<\/main>)$/gm) ?? [];
  return `${own.join("\n")}\n`;
}

/** Compares a page with its reviewed file, without what differs between runs. */
async function expectAsReviewed(name: string, { text }: Page | { text: string }, { url }: { url: string }) {
  const settled = text
    .replaceAll(url, "http://service.example")
    .replace(/(?<=<code class="secret">)[\w-]{43}/, "SECRET")
    .replace(/(?<=name="token" value=")[\w-]{43}/g, "TOKEN")
    .replace(/(?<=\/assets\/\w+-)[0-9a-f]{12}/g, "HASH")
    .replace(/req_[\w-]{24}/g, "req_0")
    .replace(/(?<=\/portal\/keys\/revoke\?id=)\d+/g, "ID");
  await expect(WHOLE.has(name) ? settled : withoutFrame(settled)).toMatchFileSnapshot(
    `../../transcripts/pages/${name}.html`,
  );
}

test.each(["", "reference", "errors", "changelog"])("the public page /%s is as it was reviewed", async (path) => {
  const service = await startTestService({ now });
  await expectAsReviewed(path === "" ? "home" : path, await service.get(`/${path}`), service);
});

test("the page of an address without a page is as it was reviewed", async () => {
  const service = await startTestService({ now });
  const response = await fetch(`${service.url}/nowhere`, { headers: { accept: "text/html" } });
  await expectAsReviewed("not-found", { text: await response.text() }, service);
});

test("the status page shows states, figures and incidents as they were reviewed", async () => {
  let time = NOON - 86_400_000;
  const quiet = await startTestService({ now, sampleData: true });
  await expectAsReviewed("status-quiet", await quiet.get("/status"), quiet);
  const portal = await startTestPortal({ now: () => time });
  await portal.get("/v1/catalog");
  await portal.get("/v1/coverage");
  time = NOON - 1_000;
  const at = (hour: string) => new Date(`2026-03-10T${hour}:00:00Z`);
  const slow = { suite: "catalog-api", title: "Slow <pages>", severity: "minor", body: "Pages are slow." } as const;
  const id = await openIncident(portal.store, slow, at("06"));
  await expectAsReviewed("status-minor", await portal.get("/status"), portal);
  await updateIncident(portal.store, id, { state: "identified", body: "A disk is slow." }, at("07"));
  await updateIncident(portal.store, id, { state: "resolved", body: "It is over." }, at("08"));
  const lost = { suite: "developer-portal", title: "No mail", severity: "major", body: "No codes & no mail." } as const;
  await openIncident(portal.store, lost, at("09"));
  time = NOON;

  await expectAsReviewed("status", await portal.get("/status"), portal);
});

test("a portal without a mail server says so as it was reviewed", async () => {
  const service = await startTestService({ now });
  const response = await fetch(`${service.url}/portal`);
  await expectAsReviewed("portal-closed", { text: await response.text() }, service);
});

test("the pages of signing in are as they were reviewed", async () => {
  const portal = await startTestPortal({ now });
  const browser = portal.browser();
  const reviewed = (name: string, page: Page) => expectAsReviewed(name, page, portal);

  await reviewed("sign-in", await browser.get("/portal/sign-in"));
  await reviewed("sign-in-refused", await browser.post("/portal/sign-in", { email: `"ada"@` }));
  await reviewed("sign-in-empty", await browser.post("/portal/sign-in", { email: " " }));
  await browser.askForCode("ada@example.com");
  await reviewed("code", await browser.get("/portal/code"));
  await reviewed("code-refused", await browser.post("/portal/code", { code: "12" }));
  await reviewed("form-refused", await browser.post("/portal/code", {}, { origin: "https://evil.example" }));
  await reviewed("form-expired", await browser.post("/portal/code", { token: "" }));
  await reviewed("form-unreadable", await browser.post("/portal/code", {}, { "content-type": "application/json" }));
});

test("a portal that prints its codes says so as it was reviewed", async () => {
  const portal = await startTestPortal({ now, portal: { sendCode: async () => undefined, codesArePrinted: true } });
  const browser = portal.browser();
  await browser.askForCode("ada@example.com");
  await expectAsReviewed("code-printed", await browser.get("/portal/code"), portal);
});

test("the pages of keys are as they were reviewed", async () => {
  const portal = await startTestPortal({ now });
  const browser = await portal.signedIn();
  const reviewed = (name: string, page: Page) => expectAsReviewed(name, page, portal);
  const idOf = async (name: string) => (await listKeys(portal.store)).find((key) => key.name === name)?.id;

  await reviewed("keys-none", await browser.get("/portal"));
  await reviewed("key-created", await browser.post("/portal/keys", { name: "old <laptop>" }));
  await browser.post(`/portal/keys/revoke?id=${await idOf("old <laptop>")}`);
  await browser.post("/portal/keys", { name: "laptop" });
  await useKeys(portal);
  await browser.post("/portal/keys", { name: "phone" });
  await reviewed("keys", await browser.get("/portal"));
  await reviewed("key-refused", await browser.post("/portal/keys", { name: "" }));
  await reviewed("key-repeated", await browser.post("/portal/keys", { name: "laptop" }));
  await reviewed("revoke-used", await browser.get(`/portal/keys/revoke?id=${await idOf("laptop")}`));
  await reviewed("revoke-unused", await browser.get(`/portal/keys/revoke?id=${await idOf("phone")}`));
  await reviewed("key-of-nobody", await browser.get("/portal/keys/revoke?id=0"));
});

/** Marks all keys as used. */
async function useKeys({ store }: TestPortal): Promise<void> {
  await store.write((session) => session.script("UPDATE api_key SET last_used_at = '2026-03-09T08:30:00Z'"));
}
