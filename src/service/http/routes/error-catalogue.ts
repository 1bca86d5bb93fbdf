import type { FastifyInstance } from "fastify";
import { PROBLEM_CODES, PROBLEMS } from "../../../contract/problems.ts";
import { sendPage } from "../../portal/layout.ts";
import { errorsPage } from "../../portal/pages/errors-page.ts";
import { quality } from "../quality.ts";
import { problemType } from "../service-problem.ts";
import { PREFIXES } from "./serve-operations.ts";

/** Serves the public error catalogue, to which the `type` of each problem links. */
export function serveErrors(app: FastifyInstance, errorBase: () => string): void {
  for (const prefix of PREFIXES) {
    app.get(`${prefix}/errors.json`, async (_, reply) =>
      reply.type("application/json").send(Buffer.from(catalogue(errorBase()))),
    );
  }
  app.get("/errors", async (request, reply) => {
    reply.header("vary", "Accept");
    return prefersJson(request.headers.accept ?? "")
      ? reply.type("application/json").send(Buffer.from(catalogue(errorBase())))
      : sendPage(reply, errorsPage());
  });
}

function catalogue(errorBase: string): string {
  const errors = PROBLEM_CODES.map((code) => ({ code, type: problemType(errorBase, code), ...PROBLEMS[code] }));
  return JSON.stringify({ errors });
}

/** Whether an `Accept` header (RFC 9110 section 12.5.1) prefers JSON to HTML. */
function prefersJson(accept: string): boolean {
  return quality(accept, "application/json") > quality(accept, "text/html");
}
