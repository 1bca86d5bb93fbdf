import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import accepts from "@fastify/accepts";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { API_PREFIX } from "../../contract/operations.ts";
import { startTimer } from "../../contract/values/timer.ts";
import { serveConsole } from "../portal/console/serve-console.ts";
import { notFoundPage } from "../portal/console/sign-in-pages.ts";
import { addRoot, sendPage } from "../portal/layout.ts";
import { withinDeadline } from "../store/query-deadline.ts";
import type { Store } from "../store/store.ts";
import { readQuota } from "./admission/auth.ts";
import { rateLimitHeaders } from "./admission/rate-limit.ts";
import { withoutPorts } from "./admission/source-address.ts";
import { checkRequest, createConnections, malformedRequest } from "./connections.ts";
import { serveOperations } from "./routes/serve-operations.ts";
import { servePages } from "./routes/serve-pages.ts";
import { HEALTH, serveOperator } from "./serve-operator.ts";
import { publicPath, type ServiceOptions } from "./service-options.ts";
import { createParts, type ServiceParts } from "./service-parts.ts";
import { newRequestId, PROBLEM_TYPE, problemDocument, problemFrom, ServiceProblem } from "./service-problem.ts";
import { serveStatus } from "./status/serve-status.ts";

const FLUSH_INTERVAL = 5_000;
/** Milliseconds for the last write of measurements, which a database that does not respond would never end. */
const LAST_FLUSH_TIME = 5_000;
/** Requests that may be handled at once. Further ones get `service_unavailable`. */
const MAX_REQUESTS = 256;
/** Milliseconds that clients have to read open responses after the service has closed its port. */
const CLOSE_TIME = 20_000;
/** A connection is closed if its client reads nothing of a response for this many milliseconds. */
const STALL_TIME = 30_000;
/** Milliseconds that a connection stays open between two requests. */
const KEEP_ALIVE_TIME = 72_000;

type MethodsOf = (target: string) => string[];

/** The service on `store`, as an application that does not listen yet. The caller closes the store. */
export function createApp(store: Store, options: ServiceOptions = {}): FastifyInstance {
  const parts = createParts(store, options);
  const { settings, rateLimitOf, errorBase } = parts;
  const root = publicPath(settings);
  const connections = createConnections(parts);

  const sendProblem = async (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const problem = problemFrom(error);
    if (problem.code === "internal_error") {
      settings.onUnexpectedError(error, request.id);
    }
    const rateLimit = rateLimitOf(request.routeOptions.url ?? request.url);
    const isPage = () => request.type(["application/json", PROBLEM_TYPE, "text/html"]) === "text/html";
    if (problem.code === "not_found" && rateLimit === undefined && isPage()) {
      return sendPage(reply.code(404).header("vary", "Accept"), notFoundPage());
    }
    const document = problemDocument(problem, errorBase(), request.id);
    reply.code(document.status).headers(problem.details.headers ?? {});
    if (rateLimit !== undefined && !reply.hasHeader("ratelimit-limit")) {
      // Asking a silent database again would double the time to the response.
      const isAsked = problem.code !== "upstream_timeout" && problem.code !== "service_unavailable";
      reply.headers(rateLimitHeaders(isAsked ? await readQuota(request, parts, rateLimit) : rateLimit.whole()));
    }
    return reply
      .header("cache-control", "no-store")
      .type(PROBLEM_TYPE)
      .send(Buffer.from(JSON.stringify(document)));
  };

  const app: FastifyInstance = fastify({
    genReqId: newRequestId,
    // Everything is also served below /api. A proxy may strip the path of the public address or keep it. Paths of the service may
    // begin with the same text (/v1, /portal), so it is only removed from a path at which nothing is served.
    rewriteUrl: ({ url = "/" }) => {
      const target = originForm(url);
      const whole = withoutPrefix(target, API_PREFIX);
      return root === "" || methodsOf(whole).length > 0
        ? whole
        : withoutPrefix(withoutPrefix(target, root), API_PREFIX);
    },
    // Requests that arrive while the service closes are answered as usual.
    return503OnClosing: false,
    // Closing takes as long as the drain delay. By default, fastify fails after 10 s.
    pluginTimeout: 0,
    serverFactory: (handler) => {
      const { requestTimeout, queryTimeout } = settings;
      const connectionsCheckingInterval = Math.ceil(requestTimeout / 6);
      const times = { requestTimeout, connectionsCheckingInterval, keepAliveTimeout: KEEP_ALIVE_TIME };
      const server = connections.createServer({ ...times, requireHostHeader: false }, handler);
      server.timeout = Math.min(STALL_TIME + queryTimeout, 2 ** 31 - 1);
      return server;
    },
    trustProxy: trusted(settings.trustProxy),
    // No route has a schema, and loading fastify's compilers takes a fifth of the start-up time.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    clientErrorHandler: (error, socket) =>
      error.code === "ECONNRESET"
        ? socket.destroy()
        : connections.refuse(socket, malformedRequest(error), String(error.rawPacket ?? "").split(" ", 2)[1]),
    frameworkErrors: (_, request, reply) => {
      const problem = new ServiceProblem("invalid_request", "The path is not valid percent-encoded text.");
      // Fastify's types for this handler do not fit its other types.
      void sendProblem(problem, request as FastifyRequest, reply as unknown as FastifyReply);
    },
  });
  const methodsOf = collectMethods(app);
  // Node.js reports CONNECT requests only with this event, and closes the connection if there is no listener.
  app.server.on("connect", (_: IncomingMessage, socket: Socket) =>
    connections.refuse(socket, wrongMethod("CONNECT", "GET, HEAD")),
  );

  if (root !== "") {
    addRoot(app, root);
  }
  app.setErrorHandler(sendProblem);
  app.addHook("onRequest", async (request) => {
    const forwarded = request.headers["x-forwarded-for"];
    if (settings.trustProxy !== 0 && forwarded !== undefined) {
      request.headers["x-forwarded-for"] = withoutPorts([forwarded].flat().join(","));
    }
    checkRequest(request.raw);
    if (request.is404) {
      // Refused here, before the body is read.
      throw notFound(methodsOf, request);
    }
  });
  app.addHook("onListen", async () => {
    // 0.0.0.0 and [::] stand for all interfaces; clients cannot connect to them.
    parts.listensAt(app.listeningOrigin.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:|$)/, "//localhost"));
  });
  limitRequests(app);
  app.register(accepts);
  app.register(async (scope) => serveOperations(scope, parts));
  serveStatus(app, parts);
  serveOperator(app, parts);
  servePages(app, parts);
  serveConsole(app, parts);
  closeGracefully(app, parts);
  return app;
}

function noSchemas(): never {
  throw new Error("routes have no schemas");
}

/** The problem of an unknown path or a wrong method. The contract has no code for the latter, so `Allow` lists the valid ones. */
function notFound(methodsOf: MethodsOf, { method, url }: FastifyRequest): ServiceProblem {
  const valid = methodsOf(url);
  return valid.length > 0
    ? wrongMethod(method, valid.join(", "))
    : new ServiceProblem("not_found", "There is nothing at this path.");
}

/**
 * Returns a function that tells the methods of the path of a target; none if nothing is served there. It knows the routes that are
 * added later. Fastify's `hasRoute` takes paths for patterns, and throws if a client sends one such as `/**`.
 */
function collectMethods(app: FastifyInstance): MethodsOf {
  const routes = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ method, url }) => {
    routes.set(url, new Set([...(routes.get(url) ?? []), ...[method].flat()]));
  });
  return (target) => {
    const methods = routes.get(target.split("?", 1)[0] ?? "");
    return ["GET", "HEAD", "POST"].filter((method) => methods?.has(method));
  };
}

function wrongMethod(method: string, valid: string): ServiceProblem {
  return new ServiceProblem("not_found", `The method ${method} is not available at this path.`, {
    headers: { allow: valid },
  });
}

/** Fastify's form of `trustProxy`: it trusts no proxy if it gets a number. */
function trusted(proxies: number | string): string | false | ((address: string, hop: number) => boolean) {
  return typeof proxies === "string" ? proxies : proxies > 0 && ((_, hop) => hop < proxies);
}

/** The path and query of a request target, which may also be a whole URL (RFC 9112 section 3.2.2). */
function originForm(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return rest.startsWith("/") || rest === target ? rest : `/${rest}`;
}

function withoutPrefix(target: string, prefix: string): string {
  const rest = target.slice(prefix.length);
  return target.startsWith(prefix) && /^(\/|\?|$)/.test(rest) ? rest.replace(/^(?!\/)/, "/") : target;
}

/**
 * Refuses requests while too many are being handled. A request counts from the end of its body to the start of its response, so
 * that slow clients block nobody.
 */
function limitRequests(app: FastifyInstance): void {
  const handled = new Set<string>();
  app.addHook("preHandler", async (request) => {
    if (handled.size >= MAX_REQUESTS && request.routeOptions.url !== HEALTH) {
      throw new ServiceProblem("service_unavailable", "The service is handling too many requests.", {
        headers: { "retry-after": "1" },
      });
    }
    handled.add(request.id);
  });
  app.addHook("onSend", async ({ id }) => void handled.delete(id));
}

/** Writes the measurements regularly. On closing, waits for the drain delay and for open responses, then writes the rest. */
function closeGracefully(app: FastifyInstance, { settings, measurements }: ServiceParts): void {
  const flushTimer = setInterval(measurements.flush, FLUSH_INTERVAL).unref();
  app.addHook("preClose", async () => {
    if (settings.drainDelay > 0) {
      await new Promise<void>((resolve) => startTimer(settings.drainDelay, resolve));
    }
    const closeTimer = setTimeout(() => app.server.closeAllConnections(), CLOSE_TIME).unref();
    // Without this, the timer would keep the closed application in memory.
    app.server.once("close", () => clearTimeout(closeTimer));
  });
  app.addHook("onClose", async () => {
    clearInterval(flushTimer);
    await withinDeadline(LAST_FLUSH_TIME, measurements.flush).catch(() => undefined);
  });
}
