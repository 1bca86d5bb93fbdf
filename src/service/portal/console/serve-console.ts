import cookie from "@fastify/cookie";
import formBody from "@fastify/formbody";
import type { FastifyInstance } from "fastify";
import type { ServiceParts } from "../../http/service-parts.ts";
import { PROBLEM_TYPE, problemFrom, ServiceProblem } from "../../http/service-problem.ts";
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
      const { problem, status, title, page } = refusalOf(error);
      reply.header("vary", "Accept");
      if (request.type(["text/html", "application/json", PROBLEM_TYPE]) !== "text/html") {
        // The handler of the API sends it.
        throw status === 500 ? error : problem;
      }
      if (status === 500) {
        settings.onUnexpectedError(error, request.id);
      }
      const { message } = problem;
      return sendPrivatePage(reply, status, page ?? messagePage({ title, message, requestId: request.id }));
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

/** The contract has no code for a form from another site, so programs get `invalid_request`. */
const CODES = { 400: "invalid_request", 403: "invalid_request", 404: "not_found", 429: "rate_limited" } as const;

/** The problem that programs get, and the status and title of the page for people, or the page itself. */
function refusalOf(error: unknown): {
  problem: ServiceProblem;
  status: number;
  title: string;
  page?: Html | undefined;
} {
  const title = "That did not work";
  if (error instanceof PortalRefusal) {
    const { status, message, page } = error;
    return { problem: new ServiceProblem(CODES[status], message), status, title, page };
  }
  const { statusCode } = error as { statusCode?: unknown };
  if (typeof statusCode === "number" && statusCode >= 400 && statusCode < 500) {
    // Fastify refuses a form that is too long or of the wrong type.
    return { problem: new ServiceProblem("invalid_request", "The form could not be read."), status: statusCode, title };
  }
  const problem = problemFrom(error);
  const { status } = problem;
  return { problem, status, title: status < 500 ? title : status === 500 ? "Something failed" : "Not available" };
}
