import { EnvHttpProxyAgent } from "undici";
import { UsageError } from "../../errors.ts";

/** More than `MAX_IN_FLIGHT`, so that no request waits for a socket while its timeout runs. */
const CONNECTIONS = 128;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Keep-alive connections to the origin of `baseUrl`, through the proxy that `HTTPS_PROXY` or
 * `HTTP_PROXY` names for its scheme and `NO_PROXY` does not exempt; lower-case names count too.
 * An https origin is reached through a tunnel, so that the proxy sees no header of ours.
 *
 * @throws UsageError if the proxy variable is not a URL.
 */
export function createDispatcher(baseUrl: URL, env: Environment, connectTimeout: number): EnvHttpProxyAgent {
  const name = baseUrl.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const proxy = proxyUrl(name, env);
  // All three are always given, "" if unset, because undici would otherwise read `process.env`.
  return new EnvHttpProxyAgent({
    httpProxy: name === "HTTP_PROXY" ? proxy : "",
    httpsProxy: name === "HTTPS_PROXY" ? proxy : "",
    noProxy: variable("NO_PROXY", env),
    proxyTunnel: name === "HTTPS_PROXY",
    connections: CONNECTIONS,
    connect: { timeout: connectTimeout },
    // The timer of the attempt covers everything from connect to the end of the body.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

function variable(name: string, env: Environment): string {
  return env[name.toLowerCase()] || env[name] || "";
}

/** A proxy may be written without a scheme (`proxy.example:3128`), as for curl. */
function proxyUrl(name: string, env: Environment): string {
  const text = variable(name, env).trim();
  const url = text === "" || /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (url !== "" && !URL.canParse(url)) {
    // The message leaves out the value, which may contain a password.
    throw new UsageError(`${name} is not the URL of a proxy.`);
  }
  return url;
}
