import { isIPv6 } from "node:net";

/**
 * An `X-Forwarded-For` header without the ports that some proxies add (`203.0.113.9:4711`, `[2001:db8::6]:4711`). With
 * them, each connection of a client would be another address.
 */
export function withoutPorts(forwarded: string): string {
  return forwarded
    .split(",")
    .map((entry) =>
      entry
        .trim()
        .replace(/^\[(.*)\](:\d+)?$/, "$1")
        .replace(/^([\d.]+):\d+$/, "$1"),
    )
    .join(", ");
}

/**
 * What limits are counted by: an IPv4 address, or the /64 network of an IPv6 address, because one subscriber usually has a
 * whole /64. Each address has one spelling.
 */
export function sourceOf(address: string): string {
  const [plain = ""] = address.split("%", 1);
  if (!isIPv6(plain)) {
    return plain;
  }
  const [head = "", tail = ""] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === "" ? [] : tail.split(":");
  const all = [...first, ...Array.from({ length: 8 - first.length - last.length }, () => "0"), ...last];
  const isMapped = all.slice(0, 6).join(":") === "0:0:0:0:0:ffff";
  return isMapped ? ipv4Of(all.slice(6)) : all.slice(0, 4).join(":");
}

/** @param groups the last two groups of an IPv4-mapped address */
function ipv4Of(groups: readonly string[]): string {
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]).join(".");
}
