import type { FastifyRequest } from "fastify";
import type { Scope } from "../../../contract/operations.ts";
import { hashSecret } from "../../store/access/manage-keys.ts";
import { withinDeadline } from "../../store/query-deadline.ts";
import type { KeyRecord } from "../../store/store-types.ts";
import type { ServiceParts } from "../service-parts.ts";
import { ServiceProblem } from "../service-problem.ts";
import { type Quota, type RateLimit, rateLimited, rateLimitHeaders } from "./rate-limit.ts";
import { sourceOf } from "./source-address.ts";

const REALM = 'Bearer realm="retail-catalog"';

/**
 * Finds the key of a request and counts the request for its team. The key is read each time, so that a revocation takes effect at
 * once. Failed attempts are counted by source address and never delay a valid key.
 */
export async function authenticate(
  { headers, ip }: FastifyRequest,
  { failedAttempts }: ServiceParts,
  rateLimit: RateLimit,
  deadline: AbortSignal,
): Promise<{ key: KeyRecord; quota: Quota }> {
  const hash = keyHash(headers.authorization);
  const found = hash === undefined ? undefined : await rateLimit.countForTeam(hash, deadline);
  if (found !== undefined) {
    return found;
  }
  const { admitted, resetSeconds } = await failedAttempts.count(sourceOf(ip), deadline);
  if (!admitted) {
    const quota = { ...rateLimit.whole(), remaining: 0, resetSeconds };
    throw rateLimited("Too many failed authentications from this address.", quota);
  }
  const limits = rateLimitHeaders(rateLimit.whole());
  throw hash === undefined
    ? new ServiceProblem("missing_credentials", "The request has no Bearer credential.", {
        headers: { ...limits, "www-authenticate": REALM },
      })
    : new ServiceProblem("invalid_credentials", "The key is unknown or revoked.", {
        headers: { ...limits, "www-authenticate": `${REALM}, error="invalid_token"` },
      });
}

/** What the team of the request's key has left, without counting the request. Without a key or the database, a whole quota. */
export async function readQuota(
  { headers }: FastifyRequest,
  { settings }: ServiceParts,
  rateLimit: RateLimit,
): Promise<Quota> {
  const hash = keyHash(headers.authorization);
  return await withinDeadline(settings.queryTimeout, async (deadline) =>
    hash === undefined ? rateLimit.whole() : await rateLimit.left(hash, deadline),
  ).catch(rateLimit.whole);
}

/** @throws ServiceProblem `insufficient_scope` */
export function requireScope(key: KeyRecord, scope: Scope): void {
  if (!key.scopes.includes(scope)) {
    throw new ServiceProblem("insufficient_scope", `The team of this key lacks the scope ${scope}.`, {
      headers: { "www-authenticate": `${REALM}, error="insufficient_scope", scope="${scope}"` },
    });
  }
}

/** The hash of the key in a Bearer header (RFC 6750 section 2.1). The scheme may have any case (RFC 9110 section 11.1). */
function keyHash(authorization = ""): string | undefined {
  const secret = /^bearer +(\S.*)$/i.exec(authorization)?.[1];
  return secret === undefined ? undefined : hashSecret(secret);
}
