import { expect, test } from "vitest";
import { CHANGELOG } from "../../../src/contract/changelog.ts";
import { startTestPortal } from "../../helpers/portal.ts";
import { startTestService } from "../../helpers/service.ts";

const PUBLIC = ["/", "/reference", "/errors", "/status", "/changelog"];

test("every page forbids foreign and inline content, framing and content sniffing, and links to no other site", async () => {
  const portal = await startTestPortal();
  const browser = await portal.signedIn();
  const stranger = portal.browser();
  const pages = [
    ...(await Promise.all(PUBLIC.map((path) => browser.get(path)))),
    await stranger.get("/portal/sign-in"),
    await browser.get("/portal"),
    await browser.post("/portal/keys", { name: "laptop" }),
  ];

  for (const { headers, text } of pages) {
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("referrer-policy")).toBe("same-origin");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(text).not.toMatch(/<style|<script>|\sstyle=|\son\w+=|(src|href|action)="(https?:)?\/\//);
  }
});

test("private pages are not cached", async () => {
  const portal = await startTestPortal();
  const browser = await portal.signedIn();
  const paths = ["/portal", "/portal/sign-in", "/portal/code", "/portal/keys", "/errors"];

  const kept = await Promise.all(paths.map((path) => browser.get(path)));

  expect(kept.filter(({ status }) => status === 200).map(({ headers }) => headers.get("cache-control"))).toEqual([
    "no-store",
    "no-cache",
  ]);
});

test("a page's style, icon and script exist and may be cached forever", async () => {
  const portal = await startTestPortal();
  const browser = await portal.signedIn();
  const { text } = await browser.post("/portal/keys", { name: "laptop" });
  const paths = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);

  const assets = await Promise.all(paths.map((path) => browser.get(path)));

  const names = ["content-type", "cache-control", "x-content-type-options"];
  expect(assets.map(({ status, headers }) => [status, ...names.map((name) => headers.get(name))])).toEqual(
    ["text/css; charset=utf-8", "image/svg+xml", "text/javascript; charset=utf-8"].map((type) => [
      200,
      type,
      "public, max-age=31536000, immutable",
      "nosniff",
    ]),
  );
  expect(assets.map(({ text: content }) => content)).toEqual([
    expect.stringContaining("main {"),
    expect.stringMatching(/^<svg .*<\/svg>$/),
    expect.stringContaining("navigator.clipboard.writeText(secret.textContent.trim())"),
  ]);
});

test("the start page tells the limits of this service", async () => {
  const service = await startTestService({ rateLimit: 7, sampleRateLimit: 3, windowSeconds: 20 });

  expect((await service.get("/")).text).toContain(
    "7 requests in 20 seconds for catalog and coverage together, 3 for samples",
  );
  expect((await (await startTestService()).get("/")).text).toContain("120 requests a minute for catalog");
});

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

test("a browser gets a page for an address without one, and a program a problem", async () => {
  const service = await startTestService();
  const asked = [
    ["/nowhere", BROWSER, "text/html; charset=utf-8"],
    ["/nowhere", "*/*", "application/problem+json"],
    ["/nowhere", "application/json, text/html;q=0.5", "application/problem+json"],
    ["/nowhere", "text/html;q=0.5, application/problem+json", "application/problem+json"],
    ["/v1/nowhere", BROWSER, "application/problem+json"],
  ] as const;

  for (const [path, accept, type] of asked) {
    const response = await fetch(`${service.url}${path}`, { headers: { accept } });
    expect({ status: response.status, contentType: response.headers.get("content-type") }).toEqual({
      status: 404,
      contentType: type,
    });
    expect(await response.text()).toContain(type.startsWith("text") ? "<h1>There is nothing" : '"code":"not_found"');
  }
});

test("the reference has every operation, parameter and type of the description", async () => {
  const service = await startTestService();
  const { body } = await service.get("/openapi.json");

  const { text } = await service.get("/reference");

  const names = [
    ...Object.keys(body.paths).map((path) => `GET ${path}`),
    ...Object.values<{ get: { parameters: { name: string }[] } }>(body.paths).flatMap(({ get }) =>
      get.parameters.map(({ name }) => name),
    ),
    ...Object.keys(body.components.schemas),
    ...Object.keys(body.components.schemas.Product.properties),
  ];
  expect(names.filter((name) => !text.includes(`<code>${name}</code>`))).toEqual([]);
  const anchors = [...text.matchAll(/href="#([^"]+)"/g)].map(([, anchor]) => anchor);
  expect(anchors.filter((anchor) => !text.includes(`id="${anchor}"`))).toEqual([]);
});

test("the changelog has the same entries as a page and as JSON", async () => {
  const service = await startTestService();

  const [page, { body }] = [await service.get("/changelog"), await service.get("/changelog.json")];

  expect(body).toEqual({ releases: CHANGELOG });
  expect(body.releases[0].version).toBe("0.2.0");
  expect(page.text.match(/<li><span class="tag">/g)).toHaveLength(CHANGELOG.flatMap(({ changes }) => changes).length);
});

test("pages and their JSON are also served below /api", async () => {
  const service = await startTestService({ now: () => Date.parse("2026-03-10T12:00:00Z") });
  const pages = ["/reference", "/errors", "/status", "/changelog"];

  for (const path of [...pages, "/openapi.json", "/errors.json", "/status.json", "/changelog.json"]) {
    const [page, alias] = [await service.get(path), await service.get(`/api${path}`)];
    expect({ status: alias.status, text: alias.text }).toEqual({ status: 200, text: page.text });
  }
});

test("without a mail server, the portal is closed, and its page says why", async () => {
  const service = await startTestService();

  const [page, signIn] = [await fetch(`${service.url}/portal`), await fetch(`${service.url}/portal/sign-in`)];

  expect({ status: page.status, text: await page.text() }).toEqual({
    status: 404,
    text: expect.stringContaining("no mail server is set"),
  });
  expect(signIn.status).toBe(404);
  expect((await service.get("/openapi.json")).body.externalDocs).toBeUndefined();
});

test("the OpenAPI document links to the portal at the public address", async () => {
  const portal = await startTestPortal({ publicUrl: "https://api.example.com" });

  expect((await portal.get("/openapi.json")).body.externalDocs.url).toBe("https://api.example.com/portal");
});
