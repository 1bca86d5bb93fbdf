import cookie from "@fastify/cookie";
import formBody from "@fastify/formbody";
import type { FastifyInstance } from "fastify";
import type { ServiceParts } from "../../http/service-parts.ts";
import { PROBLEM_TYPE, ServiceProblem } from "../../http/service-problem.ts";
import { StoreTimeoutError, StoreUnavailableError } from "../../store/store.ts";
import type { Html } from "../html.ts";
import { sendPrivatePage } from "../layout.ts";
import { cookieFlags, isHttps, PortalRefusal } from "./guard.ts";
import { serveKeys } from "./serve-keys.ts";
import { serveSignIn } from "./serve-sign-in.ts";
import { closedPage, messagePage } from "./sign-in-pages.ts";

/** Longest form, in bytes. It has an address and a token. */
const FORM_BYTES = 4_096;

/** Serves sign-in and the keys of a team below `/portal`, in a separate scope: its plugins do not affect the API. */
export function serveConsole(app: FastifyInstance, parts: ServiceParts): void {
  const { settings } = parts;
  const { portal } = settings;
  if (portal === undefined) {
    app.get("/portal", async (_, reply) => sendPrivatePage(reply, 404, closedPage()));
    return;
  }
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    await scope.register(cookie, { parseOptions: cookieFlags(settings) });
    await scope.register(formBody, { bodyLimit: FORM_BYTES });
    scope.setErrorHandler((error, request, reply) => {
      const { id } = request;
      reply.header("vary", "Accept");
      if (request.type(["text/html", "application/json", PROBLEM_TYPE]) !== "text/html") {
        // The handler of the API sends it.
        throw problemOf(error);
      }
      const { status, page, ...message } = refusalOf(error);
      if (status === 500) {
        settings.onUnexpectedError(error, id);
      }
      return sendPrivatePage(reply, status, page ?? messagePage({ ...message, requestId: id }));
    });
    if (isHttps(settings)) {
      scope.addHook("onSend", async (_, reply) => {
        reply.header("strict-transport-security", "max-age=31536000");
      });
    }
    // Each in a scope of its own, which counts its responses.
    scope.register(async (signIn) => serveSignIn(signIn, parts, portal));
    scope.register(async (keys) => serveKeys(keys, parts));
  });
}

const TITLE = "That did not work";
const UNREADABLE = "The form could not be read.";

/** Fastify's status for a form that is too long or of the wrong type. Undefined for other errors. */
function unreadableStatus(error: unknown): number | undefined {
  const { statusCode } = error as { statusCode?: unknown };
  return typeof statusCode === "number" && statusCode >= 400 && statusCode < 500 ? statusCode : undefined;
}

/** The problem for clients that prefer JSON. The contract has no code for a form from another site, so it is `invalid_request`. */
function problemOf(error: unknown): unknown {
  if (error instanceof PortalRefusal) {
    const codes = { 400: "invalid_request", 403: "invalid_request", 404: "not_found", 429: "rate_limited" } as const;
    return new ServiceProblem(codes[error.status], error.message);
  }
  return unreadableStatus(error) === undefined ? error : new ServiceProblem("invalid_request", UNREADABLE);
}

/** The texts for the page of an error, or the page itself. */
function refusalOf(error: unknown): { status: number; title: string; message: string; page?: Html | undefined } {
  if (error instanceof PortalRefusal) {
    return { status: error.status, title: TITLE, message: error.message, page: error.page };
  }
  if (error instanceof ServiceProblem) {
    return { status: error.status, title: TITLE, message: error.message };
  }
  if (error instanceof StoreUnavailableError || error instanceof StoreTimeoutError) {
    const message = "The database is not available at the moment. Try again in a minute.";
    return { status: 503, title: "Not available", message };
  }
  const status = unreadableStatus(error);
  if (status !== undefined) {
    return { status, title: TITLE, message: UNREADABLE };
  }
  return { status: 500, title: "Something failed", message: "The service failed. The error was logged." };
}
