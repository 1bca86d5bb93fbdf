import cookie from "@fastify/cookie";
import formBody from "@fastify/formbody";
import type { FastifyInstance } from "fastify";
import { startDeadline } from "../../../contract/values/timer.ts";
import type { ServiceParts } from "../../http/service-parts.ts";
import { PROBLEM_TYPE, problemFrom } from "../../http/service-problem.ts";
import { withinDeadline } from "../../store/query-deadline.ts";
import type { Store } from "../../store/store.ts";
import { StoreTimeoutError } from "../../store/store-types.ts";
import { sendPrivatePage } from "../layout.ts";
import { cookieFlags, identifyVisitor, isHttps } from "./guard.ts";
import { serveKeys } from "./serve-keys.ts";
import { serveSignIn } from "./serve-sign-in.ts";
import { closedPage, messagePage } from "./sign-in-pages.ts";

/** Maximum size of a form in bytes. Forms carry only an address and a token. */
const FORM_BYTES = 4_096;

/** A store whose reads and changes end after the query timeout, for example while a load locks the file. */
function withoutLongWaits({ store, settings: { queryTimeout } }: ServiceParts): Store {
  return {
    ...store,
    read: async (work) => await withinDeadline(queryTimeout, (deadline) => store.read(work, deadline)),
    write: async (work) => {
      const late = () => new StoreTimeoutError(`no change within ${queryTimeout} ms`);
      const deadline = startDeadline([], queryTimeout, late);
      try {
        return await store.write(work, deadline.signal);
      } finally {
        deadline.release();
      }
    },
  };
}

/** Serves sign-in and the keys of a team below `/portal`, in a separate scope: its plugins do not affect the API. */
export function serveConsole(app: FastifyInstance, shared: ServiceParts): void {
  const parts = { ...shared, store: withoutLongWaits(shared) };
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
      reply.header("vary", "Accept");
      if (request.type(["text/html", "application/json", PROBLEM_TYPE]) !== "text/html") {
        // The handler of the API sends it.
        throw error;
      }
      const problem = problemFrom(error);
      if (problem.code === "internal_error") {
        settings.onUnexpectedError(error, request.id);
      }
      const { page = messagePage(problem, request.id), pageStatus = problem.status } = problem.details;
      return sendPrivatePage(reply, pageStatus, page);
    });
    scope.addHook("preHandler", async (request, reply) => identifyVisitor(request, reply, settings));
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
