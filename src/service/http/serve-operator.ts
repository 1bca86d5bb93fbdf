import type { FastifyInstance } from "fastify";
import { withinDeadline } from "../store/query-deadline.ts";
import type { ServiceParts } from "./service-parts.ts";
import { ServiceProblem } from "./service-problem.ts";

/** Served even while the service handles too many requests. */
export const HEALTH = "/healthz";

/** Length in milliseconds of the window in which `/readyz` counts its requests. */
const READY_WINDOW = 1_000;

/**
 * Serves the health checks. `/healthz` is 200 while the process works; `/readyz` is 200 while the service can read its database
 * and write counts to it, and is not closing.
 */
export function serveOperator(app: FastifyInstance, { store, settings }: ServiceParts): void {
  const readiness = store.windows("ready", READY_WINDOW);
  let isClosing = false;
  app.addHook("preClose", async () => {
    isClosing = true;
  });
  app.get(HEALTH, async (_, reply) => reply.header("cache-control", "no-store").send({ status: "ok" }));
  app.get("/readyz", async (_, reply) => {
    if (isClosing) {
      throw new ServiceProblem("service_unavailable", "The service is closing.", { headers: { "retry-after": "1" } });
    }
    await withinDeadline(settings.queryTimeout, async (deadline) => {
      await store.snapshot(deadline);
      await readiness.count("", settings.now(), deadline);
    });
    return reply.header("cache-control", "no-store").send({ status: "ready" });
  });
}
