import { expect, test } from "vitest";
import { startTestPortal, TestBrowser, type TestPortal } from "../../helpers/portal.ts";
import { startTestService } from "../../helpers/service.ts";

const PUBLIC_URL = "https://example.com/shop/catalog";

/** A browser that reaches the service below the path of its public address, through a proxy that keeps the path. */
function browserOf({ url }: TestPortal): TestBrowser {
  return new TestBrowser(`${url}/shop/catalog`, { origin: "https://example.com" });
}

test("a public address with a path keeps it in every link, form and redirect, and they work", async () => {
  const portal = await startTestPortal({ publicUrl: PUBLIC_URL });
  const browser = browserOf(portal);

  const redirect = await browser.get("/portal");
  const signedIn = await browser.signIn("ada@example.com", portal.codes);
  const created = await browser.post("/portal/keys", { name: "laptop" });
  const pages = await Promise.all(
    ["", "/", "/reference", "/errors", "/status", "/changelog", "/portal"].map((path) => browser.get(path)),
  );
  const addresses = [created, ...pages].flatMap(({ text }) =>
    [...text.matchAll(/ (?:href|src|action)="([^"#]+)"/g)].map(([, address = ""]) => address),
  );
  const linked = [...new Set(addresses)].filter((address) => !address.endsWith("/sign-out"));
  const statuses = await Promise.all(linked.map(async (address) => (await browser.get(address.slice(13))).status));

  expect([redirect, signedIn].map(({ headers }) => headers.get("location"))).toEqual([
    "/shop/catalog/portal/sign-in",
    "/shop/catalog/portal",
  ]);
  expect(addresses.filter((address) => !/^\/shop\/catalog\/[^/]*/.test(address))).toEqual([]);
  expect(linked.length).toBeGreaterThan(10);
  expect(statuses.filter((status) => status >= 400)).toEqual([]);
  expect(created.text).toContain(`catalog auth login --base-url ${PUBLIC_URL} `);
});

test.each(["/v1", "/portal"])(
  "a proxy may leave out or keep %s, with which paths of the service begin, too",
  async (path) => {
    const { url } = await startTestPortal({ publicUrl: `https://example.com${path}` });
    const statuses = [];
    for (const prefix of [path, ""]) {
      for (const target of ["/", "/portal/sign-in", "/v1/coverage", "/**"]) {
        statuses.push((await fetch(`${url}${prefix}${target}`)).status);
      }
    }

    expect(statuses).toEqual([200, 200, 401, 404, 200, 200, 401, 404]);
  },
);

test("a proxy may leave the path of the public address out or keep it", async () => {
  const service = await startTestService({ publicUrl: PUBLIC_URL });

  const [kept, leftOut] = [await service.get("/shop/catalog/v1/nowhere"), await service.get("/v1/nowhere")];
  const [rows, description] = [
    await service.get("/shop/catalog/v1/coverage?retailer=a"),
    await service.get("/shop/catalog/openapi.json"),
  ];
  const neighbour = await service.get("/shop/catalogue/status.json");

  expect([kept.body.type, leftOut.body.type]).toEqual(Array(2).fill(`${PUBLIC_URL}/errors#not_found`));
  expect(kept.headers.get("ratelimit-limit")).toBe("120");
  expect(rows.body.code).toBe("unknown_retailer");
  expect(description.body.servers).toEqual([{ url: "/shop/catalog" }, { url: "/shop/catalog/api" }]);
  expect(neighbour.status).toBe(404);
});
