import { get } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { products } from "../../helpers/products.ts";
import { sharedService } from "../../helpers/service.ts";

const shared = sharedService({ rows: products(20), trustProxy: 1 });

/** The bytes of a catalog page for a client at an address, and their headers. */
async function page(accepted: string, address: string, filter = "") {
  const service = await shared();
  const headers = {
    authorization: `Bearer ${service.key}`,
    "accept-encoding": accepted,
    "x-forwarded-for": address,
  };
  return await new Promise<{ bytes: Buffer; encoding: string | undefined; vary: string | undefined }>((resolve) => {
    get(`${service.url}/v1/catalog${filter}`, { headers }, async (response) => {
      const bytes = Buffer.concat(await response.toArray());
      resolve({ bytes, encoding: response.headers["content-encoding"], vary: response.headers.vary });
    });
  });
}

const FAR = "203.0.113.9";

test.each([
  ["gzip, br", "br"],
  ["gzip", "gzip"],
  ["br;q=0.5, gzip;q=0.9", "gzip"],
  ["GZIP ; q=1, br;q=0", "gzip"],
])("a client that accepts %s gets %s", async (accepted, expected) => {
  const { bytes, encoding, vary } = await page(accepted, FAR);

  const decoded = (encoding === "br" ? brotliDecompressSync : gunzipSync)(bytes);
  expect({ encoding, vary }).toEqual({ encoding: expected, vary: "accept-encoding" });
  expect(JSON.parse(decoded.toString()).data).toEqual(products(20));
  expect(bytes.length).toBeLessThan(decoded.length / 4);
});

test.each([
  ["takes neither", "gzip;q=0, deflate", FAR, "", 20],
  ["is on this machine", "gzip, br", "127.0.0.1", "", 20],
  ["is on this machine, by IPv6", "gzip, br", "::1", "", 20],
  ["is on this machine, by an IPv4 address in IPv6", "gzip, br", "::ffff:127.0.0.1", "", 20],
  ["gets a short response", "gzip, br", FAR, "?end_date=2000-01-01", 0],
])("a client that %s gets the bytes as they are", async (_, accepted, address, filter, count) => {
  const { bytes, encoding } = await page(accepted, address, filter);

  expect(encoding).toBeUndefined();
  expect(JSON.parse(bytes.toString()).data).toEqual(products(count));
});

test.each(["gzip, br", "identity"])("HEAD gets the headers of a GET that accepts %s", async (accepted) => {
  const service = await shared();
  const headers = { "accept-encoding": accepted, "x-forwarded-for": FAR };
  const [head, whole] = [
    await service.get("/v1/catalog", { headers, method: "HEAD" }),
    await service.get("/v1/catalog", { headers }),
  ].map((response) =>
    ["content-type", "content-encoding", "content-length", "vary"].map((n) => response.headers.get(n)),
  );

  expect(head).toEqual(whole);
});
