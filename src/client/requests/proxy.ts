import { BlockList, isIP } from "node:net";
import { domainToASCII } from "node:url";
import { UsageError } from "../../contract/errors.ts";
import { untilAborted } from "../../contract/values/timer.ts";
import { CONNECTIONS, type Connections, directConnections, headersOf } from "./direct-connections.ts";
import { proxyPasswordError } from "./network-failure.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Connections to the origin of `baseUrl`, through the proxy that `HTTPS_PROXY` or `HTTP_PROXY` names for its scheme and
 * `NO_PROXY` does not exempt; lower-case names count too. An https origin is reached through a tunnel, so that the proxy
 * sees no header of ours.
 *
 * @throws UsageError for a variable that is not the address of a proxy
 */
export function connectionsTo(baseUrl: URL, env: Environment, connectTimeout: number): Connections {
  const isSecure = baseUrl.protocol === "https:";
  const variable = nameIn(env, isSecure ? "HTTPS_PROXY" : "HTTP_PROXY");
  const text = env[variable]?.trim();
  if (!text) {
    return directConnections(baseUrl);
  }
  const url = proxyUrl(text, variable);
  if (isExempt(baseUrl, env[nameIn(env, "NO_PROXY")] ?? "")) {
    return directConnections(baseUrl);
  }
  const load = async () => {
    // Loaded only for a proxy: its WebAssembly parser takes time and memory.
    const { default: undici } = await import("undici");
    return new undici.ProxyAgent({
      uri: url.href,
      proxyTunnel: isSecure,
      connections: CONNECTIONS,
      proxyTls: { timeout: connectTimeout },
      // The timer of the attempt covers everything from connect to the end of the body.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  };
  const proxy = { origin: url.origin, variable };
  let loading: ReturnType<typeof load> | undefined;
  return {
    proxy,
    get: async (path, sent, signal) => {
      loading ??= load();
      const dispatcher = await loading;
      const sending = dispatcher.request({ origin: baseUrl.origin, path, method: "GET", signal, headers: { ...sent } });
      // undici notices an abort only once it is connected. Late responses are discarded.
      sending.then(
        ({ body }) => signal.aborted && body.on("error", () => {}).destroy(),
        () => {},
      );
      const { statusCode, headers, body } = await untilAborted(sending, signal);
      if (statusCode === 407) {
        body.on("error", () => {}).destroy();
        throw proxyPasswordError(proxy);
      }
      return { status: statusCode, header: headersOf(headers), body };
    },
    close: async () => await (await loading)?.destroy(),
  };
}

/** The lower-case name if it is set, as in curl. */
function nameIn(env: Environment, name: string): string {
  const lower = name.toLowerCase();
  return env[lower] ? lower : name;
}

/**
 * Whether a `NO_PROXY` list has `*`, the host, a parent domain of it, or a network (`10.0.0.0/8`) that it is in. If the entry
 * has a port, that must match, too.
 */
function isExempt({ protocol, hostname, port }: URL, list: string): boolean {
  const host = withoutBrackets(hostname);
  const ownPort = port || (protocol === "https:" ? "443" : "80");
  return list.split(/[\s,]+/).some((entry) => {
    // The colons of an IPv6 address alone are not followed by a port.
    const [, name = entry, onlyPort = ownPort] = isIP(entry) === 0 ? (/^(.+?)(?::(\d+))?$/.exec(entry) ?? []) : [];
    const isNamed = isIP(host) === 0 ? isInDomain(host, name) : isInNetwork(host, withoutBrackets(name));
    return onlyPort === ownPort && (name === "*" || isNamed);
  });
}

/** A final dot makes a name absolute, and letters beyond ASCII are encoded, as in the host of a URL. */
function isInDomain(host: string, name: string): boolean {
  const [own, domain] = [host, domainToASCII(name.replace(/^\*?\./, ""))].map((text) => text.replace(/\.$/, ""));
  return domain !== "" && (own === domain || own?.endsWith(`.${domain}`) === true);
}

function isInNetwork(address: string, text: string): boolean {
  const [start = "", prefix] = text.split("/");
  const [family, bits] = isIP(start) === 6 ? (["ipv6", 128] as const) : (["ipv4", 32] as const);
  const length = prefix === undefined ? bits : Number(prefix || Number.NaN);
  if (isIP(start) === 0 || !(length >= 0 && length <= bits)) {
    return false;
  }
  const network = new BlockList();
  network.addSubnet(start, length, family);
  return network.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}

/**
 * Reads the address of a proxy. It may lack the scheme (`proxy.example:3128`), as for curl.
 *
 * @throws UsageError that leaves out the address, which may contain a password
 */
function proxyUrl(text: string, variable: string): URL {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  // A backslash would end the host, and undici decodes the user and the password.
  const url = URL.canParse(address) && !text.includes("\\") ? new URL(address) : undefined;
  if (url === undefined || !isDecodable(url.username) || !isDecodable(url.password)) {
    throw new UsageError(
      `${variable} is not the address of a proxy; expected http://HOST:PORT or http://USER:PASSWORD@HOST:PORT, with %5C for a backslash and %25 for a percent sign in USER and PASSWORD.`,
    );
  }
  if (!["http:", "https:"].includes(url.protocol)) {
    throw new UsageError(
      `${variable} names a proxy with ${url.protocol}//, but only http:// and https:// are supported.`,
    );
  }
  return url;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
