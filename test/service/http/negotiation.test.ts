import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { encodeBody } from "../../../src/service/http/negotiation.ts";
import { products } from "../../helpers/products.ts";
import { startTestService } from "../../helpers/service.ts";

const BODY = Buffer.from(JSON.stringify(products(20)));
const FAR = "203.0.113.9";

test.each([
  ["gzip, br", "br"],
  ["gzip", "gzip"],
  ["br;q=0.5, gzip;q=0.9", "gzip"],
  ["GZIP ; q=1, br;q=0", "gzip"],
])("a client that accepts %s gets %s", async (accepted, encoding) => {
  const { body, headers } = await encodeBody(BODY, accepted, FAR);

  const decode = encoding === "br" ? brotliDecompressSync : gunzipSync;
  expect([headers, decode(body)]).toEqual([{ vary: "Accept-Encoding", "content-encoding": encoding }, BODY]);
  expect(body.length).toBeLessThan(BODY.length / 4);
});

test.each([
  ["asks for nothing", undefined, FAR, BODY],
  ["takes neither", "gzip;q=0, deflate, *;q=0.1", FAR, BODY],
  ["is on this machine", "gzip, br", "127.0.0.1", BODY],
  ["is on this machine, by IPv6", "gzip, br", "::1", BODY],
  ["is on this machine, by an IPv4 address in IPv6", "gzip, br", "::ffff:127.0.0.1", BODY],
  ["gets a short response", "gzip, br", FAR, BODY.subarray(0, 1_000)],
])("a client that %s gets the bytes as they are", async (_, accepted, address, sent) => {
  const { body, headers } = await encodeBody(sent, accepted, address);

  expect([body, headers]).toEqual([sent, { vary: "Accept-Encoding" }]);
});

test("responses with rows have Vary: Accept-Encoding", async () => {
  const service = await startTestService({ rows: products(20) });

  const { headers } = await service.get("/v1/catalog", { headers: { "accept-encoding": "gzip, br" } });

  expect([headers.get("vary"), headers.get("content-encoding")]).toEqual(["Accept-Encoding", null]);
});
