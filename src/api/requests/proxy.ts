import { EnvHttpProxyAgent } from "undici";
import { UsageError } from "../../errors.ts";

/** Above what callers ask for at once (`MAX_IN_FLIGHT`), so that no request waits for a socket while its timeout runs. */
const CONNECTIONS = 128;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Keep-alive connections to the origin of `baseUrl`, through the proxy that `HTTPS_PROXY` or
 * `HTTP_PROXY` names for its scheme and `NO_PROXY` does not exempt; lower-case names count too.
 * An https origin is reached through a tunnel, so that the proxy sees no header of ours.
 *
 * @throws UsageError where the proxy variable is not a URL.
 */
export function createDispatcher(baseUrl: URL, env: Environment, connectTimeout: number): EnvHttpProxyAgent {
  const name = baseUrl.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const proxy = proxyUrl(name, env);
  // All three are always given, an unset one as "", because undici would read `process.env` for those left out.
  return new EnvHttpProxyAgent({
    httpProxy: name === "HTTP_PROXY" ? proxy : "",
    httpsProxy: name === "HTTPS_PROXY" ? proxy : "",
    noProxy: variable("NO_PROXY", env),
    proxyTunnel: name === "HTTPS_PROXY",
    connections: CONNECTIONS,
    connect: { timeout: connectTimeout },
    // One timer of ours covers an attempt from connect to the end of the body.
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
    // Its value may hold a password.
    throw new UsageError(`${name} is not the URL of a proxy.`);
  }
  return url;
}
