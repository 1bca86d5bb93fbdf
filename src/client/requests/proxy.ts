import { InputError } from "../../contract/errors.ts";
import { CONNECTIONS, type Connections, directConnections, headersOf } from "./connections.ts";
import { untilAborted } from "./request-deadline.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Connections to the origin of `baseUrl`, through the proxy that `HTTPS_PROXY` or `HTTP_PROXY` names for its scheme and
 * `NO_PROXY` does not exempt; lower-case names count too. An https origin is reached through a tunnel, so that the proxy
 * sees no header of ours.
 *
 * @throws InputError if the proxy variable is not a URL.
 */
export function createConnections(baseUrl: URL, env: Environment, connectTimeout: number): Connections {
  const isSecure = baseUrl.protocol === "https:";
  const proxy = proxyUrl(isSecure ? "HTTPS_PROXY" : "HTTP_PROXY", env);
  if (proxy === "") {
    return directConnections(baseUrl);
  }
  const load = async () => {
    // Loaded only where it is needed: its parser in WebAssembly takes time and memory.
    const { default: undici } = await import("undici");
    // All three are always given, "" if unset, because undici would otherwise read the environment by itself.
    return new undici.EnvHttpProxyAgent({
      httpProxy: isSecure ? "" : proxy,
      httpsProxy: isSecure ? proxy : "",
      noProxy: variable("NO_PROXY", env),
      proxyTunnel: isSecure,
      connections: CONNECTIONS,
      connect: { timeout: connectTimeout },
      // The timer of the attempt covers everything from connect to the end of the body.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  };
  let loading: ReturnType<typeof load> | undefined;
  return {
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
      return { status: statusCode, header: headersOf(headers), body };
    },
    close: async () => await (await loading)?.destroy(),
  };
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
    throw new InputError(`${name} is not the URL of a proxy.`);
  }
  return url;
}
