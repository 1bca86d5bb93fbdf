import cookie from "@fastify/cookie";
import formBody from "@fastify/formbody";
import type { FastifyInstance } from "fastify";
import type { ServiceParts } from "../../http/service-parts.ts";
import { ServiceProblem } from "../../http/service-problem.ts";
import { StoreTimeoutError, StoreUnavailableError } from "../../store/store.ts";
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
    scope.setErrorHandler((error, { id }, reply) => {
      const { status, ...message } = refusalOf(error);
      if (status === 500) {
        settings.onUnexpectedError(error, id);
      }
      return sendPrivatePage(reply, status, messagePage({ ...message, requestId: id }));
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

/** What the page of an error says. */
function refusalOf(error: unknown): { status: number; title: string; message: string } {
  if (error instanceof PortalRefusal || error instanceof ServiceProblem) {
    return { status: error.status, title: "That did not work", message: error.message };
  }
  if (error instanceof StoreUnavailableError || error instanceof StoreTimeoutError) {
    const message = "The database is not available at the moment. Try again in a minute.";
    return { status: 503, title: "Not available", message };
  }
  const status = (error as { statusCode?: unknown }).statusCode;
  if (typeof status === "number" && status >= 400 && status < 500) {
    return { status, title: "That did not work", message: "The form could not be read." };
  }
  return { status: 500, title: "Something failed", message: "The service failed. The error was logged." };
}
