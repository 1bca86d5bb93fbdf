import { expect, test } from "vitest";
import { isLoopback, sourceOf, withoutPorts } from "../../../../src/service/http/admission/source-address.ts";
import { startTestService } from "../../../helpers/service.ts";

test.each([
  ["203.0.113.9", "203.0.113.9"],
  ["::ffff:203.0.113.9", "203.0.113.9"],
  ["::FFFF:cb00:7109", "203.0.113.9"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:0DB8:0001:2::6", "2001:db8:1:2"],
  ["2001:db8::6", "2001:db8:0:0"],
  ["fe80::1%eth0", "fe80:0:0:0"],
  ["::1", "0:0:0:0"],
  ["unknown", "unknown"],
])("attempts from %s are counted under %s", (address, source) => {
  expect(sourceOf(address)).toBe(source);
});

test.each([
  ["LocalHost", true],
  ["127.255.1.20", true],
  ["::ffff:127.0.0.1", true],
  ["::1", true],
  ["[::1]", true],
  ["::2", false],
  ["::ffff:203.0.113.9", false],
  ["x127.0.0.1", false],
  ["127.example.com", false],
  ["x.localhost", false],
])("%s leads to this machine only: %s", (hostname, expected) => {
  expect(isLoopback(hostname)).toBe(expected);
});

test.each([
  ["203.0.113.9:4711 ,203.0.113.10", "203.0.113.9, 203.0.113.10"],
  ["[2001:db8::6]:4711", "2001:db8::6"],
  ["[2001:db8::6]", "2001:db8::6"],
  ["2001:db8::6", "2001:db8::6"],
  ["x[2001:db8::6]:1", "x[2001:db8::6]:1"],
  ["[2001:db8::6]:1x", "[2001:db8::6]:1x"],
  ["x1.2.3.4:5", "x1.2.3.4:5"],
  ["1.2.3.4:5x", "1.2.3.4:5x"],
  ["unknown", "unknown"],
])("the header %s names %s without ports", (header, expected) => {
  expect(withoutPorts(header)).toBe(expected);
});

/** 21 addresses: each of these spellings in turn, with a port that grows. */
const inTurn = (...spellings: string[]) =>
  Array.from({ length: 21 }, (_, index) =>
    (spellings[index % spellings.length] ?? "").replaceAll("PORT", `${4_000 + index}`),
  );

test.each([
  [
    "an IPv4 address with any port or none, mapped to IPv6, and behind invented ones",
    inTurn("203.0.113.9:PORT", "[::ffff:203.0.113.9]:PORT", "198.51.100.7, 203.0.113.9", "203.0.113.9"),
    1,
  ],
  ["all addresses of an IPv6 /64, with any port", inTurn("[2001:db8:1:2::6]:PORT", "2001:db8:1:2:PORT::PORT"), 1],
  [
    "an address before that of a proxy that is trusted by its network, with its port",
    inTurn("203.0.113.9:PORT, 10.0.0.7:443"),
    "loopback,10.0.0.0/8",
  ],
])("%s: one source behind a trusted proxy", async (_, forwarded, trustProxy) => {
  const service = await startTestService({ trustProxy });
  const attempt = async (address: string) =>
    (await service.get("/v1/coverage", { key: "wrong", headers: { "x-forwarded-for": address } })).status;

  const statuses = [];
  for (const header of [...forwarded, "203.0.113.10", "2001:db8:1:3::1"]) {
    statuses.push(await attempt(header));
  }

  expect(statuses).toEqual([...Array(20).fill(401), 429, 401, 401]);
});
