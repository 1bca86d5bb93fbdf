import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { openApiDocument } from "../../contract/openapi.ts";
import type { Store } from "../store/store.ts";
import { sourceOf } from "./auth.ts";
import { DayCounter } from "./day-counter.ts";
import { KeyUses } from "./key-uses.ts";
import { FAILED_ATTEMPTS_PER_WINDOW, type ServiceOptions, withDefaults } from "./options.ts";
import { PROBLEM_TYPE, problemDocument, problemFrom, ServiceProblem } from "./problems.ts";
import { FixedWindow, rateLimitHeaders } from "./rate-limit.ts";
import { malformedRequestHandler, OpenAnswers, socketAnswer } from "./raw-answers.ts";
import { newRequestId } from "./request-id.ts";
import { serveErrors } from "./routes/errors.ts";
import { serveOperations } from "./routes/operations.ts";
import { serveStatus } from "./routes/status-feed.ts";

const FLUSH_INTERVAL = 5_000;
/** Milliseconds after which a client that does not read its answer no longer holds up the end. */
const DRAIN_TIME = 10_000;

/** The service over `store` as an application that does not listen yet. The store is the caller's to close. */
export function createApp(store: Store, options: ServiceOptions = {}): FastifyInstance {
  const settings = withDefaults(options);
  const failedAttempts = new FixedWindow(FAILED_ATTEMPTS_PER_WINDOW, settings.windowSeconds, settings.now);
  const dayCounter = new DayCounter(store, settings.now);
  const keyUses = new KeyUses(store, settings.now);
  const answers = new OpenAnswers();
  const errorBase = (): string => settings.errorBase ?? urlOf(app);
  const answerSocket = socketAnswer(answers, failedAttempts, errorBase);

  const sendProblem = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const problem = problemFrom(error);
    if (problem.code === "internal_error") {
      settings.onUnexpectedError(error, request.id);
    }
    const document = problemDocument(problem, errorBase(), request.id);
    return reply
      .code(document.status)
      .headers(problem.headers)
      .type(PROBLEM_TYPE)
      .send(Buffer.from(JSON.stringify(document)));
  };

  /** What a `/v1` response says of the limits until a team is known: the failed attempts left to the address. */
  const describeLimits = (request: FastifyRequest, reply: FastifyReply): void => {
    if (/^\/(api\/)?v1(?![^/?])/.test(request.routeOptions.url ?? request.url)) {
      reply.headers(rateLimitHeaders(failedAttempts.peek(sourceOf(request.ip)))).header("cache-control", "no-store");
    }
  };

  // Unknown, because fastify gives this one place type parameters that nothing else of it has.
  const badPath = (_: unknown, request: unknown, reply: unknown): void => {
    const problem = new ServiceProblem("invalid_request", "The path is not valid percent-encoded text.");
    describeLimits(request as FastifyRequest, reply as FastifyReply);
    sendProblem(problem, request as FastifyRequest, reply as FastifyReply);
  };

  const app: FastifyInstance = fastify({
    genReqId: newRequestId,
    // The service reads queries itself: the parser of fastify forgives what must be refused.
    routerOptions: { querystringParser: () => ({}) },
    rewriteUrl: ({ url = "/" }) => originForm(url),
    // A request that arrives while the service drains is answered like any other.
    return503OnClosing: false,
    requestTimeout: 30_000,
    http: { requireHostHeader: false },
    clientErrorHandler: malformedRequestHandler(answerSocket),
    frameworkErrors: badPath,
  });
  answers.watch(app.server);
  app.server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    app.server.emit("request", request, response);
  });

  // Node.js gives a request for a tunnel to nobody else, and would hang up without a word.
  app.server.on("connect", (_: IncomingMessage, socket: Socket) => answerSocket(socket, wrongMethod("CONNECT")));

  app.setErrorHandler(sendProblem);
  app.addHook("onRequest", async (request, reply) => {
    describeLimits(request, reply);
    if (request.raw.httpVersion === "1.1" && request.headers.host === undefined) {
      throw new ServiceProblem("invalid_request", "The request has no Host header.");
    }
    if (request.is404) {
      // Here, so that a body sent to nowhere is not read first.
      throw notFound(app, request);
    }
  });
  endGracefully(app, async () => void (await Promise.all([dayCounter.flush(), keyUses.flush()])));

  serveOperations(app, { store, settings, failedAttempts, dayCounter, keyUses });
  serveErrors(app, errorBase);
  serveStatus(app, store, dayCounter, settings);
  const description = Buffer.from(JSON.stringify(openApiDocument()));
  app.get("/openapi.json", async (_, reply) => reply.type("application/json").send(description));
  return app;
}

/** Address under which a listening application is reached. */
export function urlOf(app: FastifyInstance): string {
  const address = app.server.address();
  if (address === null || typeof address === "string") {
    return "http://localhost";
  }
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

/** The contract has no code for a wrong method: what is not there is not found, and `Allow` says what is. */
function notFound(app: FastifyInstance, { method, url }: FastifyRequest): ServiceProblem {
  const path = url.split("?", 1)[0] ?? url;
  if (!app.hasRoute({ method: "GET", url: path })) {
    return new ServiceProblem("not_found", "There is nothing at this path.");
  }
  return wrongMethod(method);
}

function wrongMethod(method: string): ServiceProblem {
  return new ServiceProblem("not_found", `Nothing answers the method ${method} at this path.`, {
    headers: { allow: "GET, HEAD" },
  });
}

/** Path and query of a request target, which a client may also write as a whole URL (RFC 9112 section 3.2.2). */
function originForm(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return rest.startsWith("/") || rest === target ? rest : `/${rest}`;
}

/** What was measured is written now and then and at the end; connections are let go as soon as their answer is finished. */
function endGracefully(app: FastifyInstance, flush: () => Promise<void>): void {
  let ending = false;
  let flushTimer: NodeJS.Timeout | undefined;
  app.addHook("onReady", async () => {
    flushTimer = setInterval(flush, FLUSH_INTERVAL).unref();
  });
  app.addHook("onSend", async (_, reply) => {
    if (ending) {
      reply.header("connection", "close");
    }
  });
  app.addHook("preClose", async () => {
    ending = true;
    setTimeout(() => app.server.closeAllConnections(), DRAIN_TIME).unref();
  });
  app.addHook("onClose", async () => {
    clearInterval(flushTimer);
    await flush();
  });
}
