import { isIPv6 } from "node:net";
import type { FastifyRequest } from "fastify";
import type { Scope } from "../../../contract/operations.ts";
import { hashSecret } from "../../store/access/manage-keys.ts";
import type { KeyRecord } from "../../store/store.ts";
import type { ServiceParts } from "../service-parts.ts";
import { ServiceProblem } from "../service-problem.ts";
import { type FixedWindow, rateLimited } from "./rate-limit.ts";

const REALM = 'Bearer realm="retail-catalog"';

/**
 * The key of a request. It is read from the store for each request, so that a revocation takes effect at once. Failed
 * attempts are counted by source address. They never delay a valid key.
 *
 * @param budget of the endpoint group, for the headers of a 429
 */
export async function authenticate(
  { headers, ip }: FastifyRequest,
  { store, failedAttempts }: ServiceParts,
  budget: FixedWindow,
  deadline: AbortSignal,
): Promise<KeyRecord> {
  const secret = bearerToken(headers.authorization);
  const key = secret === undefined ? undefined : await store.keyByHash(hashSecret(secret), deadline);
  if (key !== undefined && key.revokedAt === null) {
    return key;
  }
  const { admitted, resetSeconds } = failedAttempts.charge(sourceOf(ip));
  if (!admitted) {
    const figures = { ...budget.unused(), remaining: 0, resetSeconds };
    throw rateLimited("Too many failed authentications from this address.", figures);
  }
  throw secret === undefined
    ? new ServiceProblem("missing_credentials", "The request has no Bearer credential.", {
        headers: { "www-authenticate": REALM },
      })
    : new ServiceProblem("invalid_credentials", "The key is unknown or revoked.", {
        headers: { "www-authenticate": `${REALM}, error="invalid_token"` },
      });
}

/** Refuses a key whose team is not entitled to `scope`. */
export function requireScope(key: KeyRecord, scope: Scope): void {
  if (!key.scopes.includes(scope)) {
    throw new ServiceProblem("insufficient_scope", `The team of this key lacks the scope ${scope}.`, {
      headers: { "www-authenticate": `${REALM}, error="insufficient_scope", scope="${scope}"` },
    });
  }
}

/** An IPv4 address, or the /64 network of an IPv6 address, because one subscriber usually has a whole /64. */
export function sourceOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) {
    return mapped ?? address;
  }
  const [head = "", tail] = address.split("::");
  const groups = head === "" ? [] : head.split(":");
  const following = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: 8 - groups.length - following.length }, () => "0");
  return [...groups, ...zeros, ...following].slice(0, 4).join(":");
}

/** The credential of a Bearer header (RFC 6750 section 2.1). The scheme may have any case (RFC 9110 section 11.1). */
function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S.*)$/i.exec(authorization?.trim() ?? "")?.[1];
}
