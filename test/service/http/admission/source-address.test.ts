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
  ["localhost", true],
  ["127.1.2.3", true],
  ["::ffff:127.0.0.1", true],
  ["[::1]", true],
  ["::ffff:203.0.113.9", false],
  ["127.example.com", false],
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

const entries = (address: (port: number) => string) => Array.from({ length: 21 }, (_, index) => address(4_000 + index));

test.each([
  ["IPv4 addresses with ports", entries((port) => `203.0.113.9:${port}`), 1],
  ["IPv6 addresses with ports", entries((port) => `[2001:db8::6]:${port}`), 1],
  ["all addresses of an IPv6 /64", entries((port) => `2001:db8:1:2:${port}::${port}`), 1],
  ["IPv4-mapped addresses with ports", entries((port) => `[::ffff:203.0.113.9]:${port}`), 1],
  ["invented addresses before that of the proxy", entries((port) => `198.51.100.${port % 256}, 203.0.113.9`), 1],
  [
    "a proxy that is trusted by its network, with its port",
    entries((port) => `203.0.113.9:${port}, 10.0.0.7:443`),
    "loopback,10.0.0.0/8",
  ],
])("%s are one source behind a trusted proxy", async (_, forwarded, trustProxy) => {
  const service = await startTestService({ trustProxy });
  const statuses = [];
  for (const header of forwarded) {
    const response = await service.get("/v1/coverage", { key: "wrong", headers: { "x-forwarded-for": header } });
    statuses.push(response.status);
  }
  const others = [];
  for (const other of ["203.0.113.10", "2001:db8:1:3::1"]) {
    const headers = { "x-forwarded-for": other };
    others.push((await service.get("/v1/coverage", { key: "wrong", headers })).status);
  }

  expect(statuses).toEqual([...Array(20).fill(401), 429]);
  expect(others).toEqual([401, 401]);
});
