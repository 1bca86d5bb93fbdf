import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isVersion, VERSION_HEADER } from "../../../contract/data-version.ts";
import { OPERATIONS, type OperationName, PREFIXES } from "../../../contract/operations.ts";
import { withinDeadline } from "../../store/query-deadline.ts";
import { authenticate, requireScope } from "../admission/auth.ts";
import { rateLimited, rateLimitHeaders } from "../admission/rate-limit.ts";
import { readFilters } from "../query/read-filters.ts";
import { readQuery } from "../query/read-query.ts";
import type { ServiceParts } from "../service-parts.ts";
import { encodeBody } from "./body-encoding.ts";
import { RESPONDERS } from "./responders.ts";

/** Serves the three operations of contract section 4. */
export function serveOperations(app: FastifyInstance, parts: ServiceParts): void {
  const { store, settings, budgets, measurements } = parts;

  /** Checks the key first, then the rate limit of its team, then its scope, then the parameters. */
  async function handle(name: OperationName, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const operation = OPERATIONS[name];
    const rows = await withinDeadline(settings.queryTimeout, async (deadline) => {
      const { key, charge } = await authenticate(request, parts, budgets[operation.group], deadline);
      request.team = key.team;
      measurements.useKey(key.id);
      if (!charge.admitted) {
        throw rateLimited("The team has no requests left in this window.", charge);
      }
      reply.headers(rateLimitHeaders(charge));
      requireScope(key, operation.scope);
      const parameters = readQuery(request.url, operation.parameters);
      const filters = readFilters(parameters);
      const asked = String(request.headers[VERSION_HEADER]);
      const version = isVersion(asked) ? Number(asked) : undefined;
      const onVersion = (used: number) => void reply.header(VERSION_HEADER, used);
      return RESPONDERS[name]({
        store,
        settings,
        requestId: request.id,
        parameters,
        filters,
        visible: key.retailers,
        deadline,
        version,
        onVersion,
      });
    });
    const { body, headers } = await encodeBody(rows, request.headers["accept-encoding"], request.ip);
    return reply.headers(headers).header("cache-control", "no-store").type("application/json").send(body);
  }

  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    for (const prefix of PREFIXES) {
      app.get(`${prefix}${OPERATIONS[name].path}`, {
        handler: (request, reply) => handle(name, request, reply),
        onResponse: measurements.countResponses(name),
      });
    }
  }
}
