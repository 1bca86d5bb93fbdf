import ipaddr from "ipaddr.js";

/**
 * An `X-Forwarded-For` header without the ports that some proxies add (`203.0.113.9:4711`, `[2001:db8::6]:4711`). With
 * a port, each connection of a client would look like another address.
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
 * The key that limits are counted by: an IPv4 address, or the /64 of an IPv6 address, which one subscriber usually owns.
 * Equivalent spellings give the same key.
 */
export function sourceOf(address: string): string {
  const [plain = ""] = address.split("%", 1);
  if (!ipaddr.IPv6.isValid(plain)) {
    return plain;
  }
  const parsed = ipaddr.process(plain);
  return parsed instanceof ipaddr.IPv6 ? parsed.toNormalizedString().split(":", 4).join(":") : parsed.toString();
}

/** Whether an address or a host name leads to this machine only. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|(::ffff:)?127(\.\d+){3}|\[::1\]|::1)$/i.test(hostname);
}
