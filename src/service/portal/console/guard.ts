import { createHmac, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Html } from "../../../contract/values/html-tag.ts";
import { isLoopback } from "../../http/admission/source-address.ts";
import { type AppSettings, publicPath } from "../../http/service-options.ts";
import { ServiceProblem } from "../../http/service-problem.ts";
import { newSecret } from "../../store/access/manage-keys.ts";
import { html } from "../layout.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The secret of the browser. Only requests to the console have it. */
    visitor: string;
    /** The hidden field of a form that only this browser can send. */
    token: Html;
  }
}

/** The contract has no code for a form from another site, so programs get `invalid_request`. */
const CODES = { 400: "invalid_request", 403: "invalid_request", 404: "not_found", 429: "rate_limited" } as const;

/** Refuses a request. People get a page that says why, by default one with the message alone. */
export function refusal(status: keyof typeof CODES, message: string, page?: Html): ServiceProblem {
  return new ServiceProblem(CODES[status], message, { page, pageStatus: status });
}

/** The public address, which decides the flags of the cookie and the accepted origin. Without one, only loopback works. */
type Origin = Pick<AppSettings, "publicUrl">;

/** Name of the form field that carries the token. */
const TOKEN = "token";

/** Name of the cookie with the browser's secret. Browsers accept `__Host-` only for a whole host, without a path. */
export function cookieName(origin: Origin): string {
  const prefix = publicPath(origin) === "" ? "__Host-" : "__Secure-";
  return isHttps(origin) ? `${prefix}catalog-portal` : "catalog-portal";
}

/** Hides cookies from scripts and other sites, and limits them to the browser session, and to https if the portal has it. */
export function cookieFlags(origin: Origin) {
  return { path: publicPath(origin) || "/", httpOnly: true, sameSite: "lax", secure: isHttps(origin) } as const;
}

/**
 * Identifies the browser by the secret in its cookie, or gives it one. The secret proves nothing by itself: only its format is
 * checked. A form must come from the portal: other sites cannot change the `Origin` header, nor read the form's token.
 * @throws ServiceProblem otherwise
 */
export function identifyVisitor(request: FastifyRequest, reply: FastifyReply, origin: Origin): void {
  const { [cookieName(origin)]: cookie = "" } = request.cookies;
  const isKnown = /^[\w-]{43}$/.test(cookie);
  const visitor = isKnown ? cookie : newSecret();
  const token = createHmac("sha256", visitor).update("form").digest("base64url");
  if (request.method === "POST" && !isOwnOrigin(request, origin)) {
    throw refusal(403, "The form was not sent from a page of this portal.");
  }
  if (request.method === "POST" && !isSameText(formField(request, TOKEN), token)) {
    throw refusal(403, "The page expired, or the browser blocks cookies. Open the page again and repeat.");
  }
  if (!isKnown) {
    reply.setCookie(cookieName(origin), visitor);
  }
  request.visitor = visitor;
  request.token = html`<input type="hidden" name="${TOKEN}" value="${token}">`;
}

/** The text of a form field, or an empty text if the field is missing or repeated. */
export function formField(request: FastifyRequest, name: string): string {
  const value = (request.body as Record<string, unknown> | undefined)?.[name];
  return typeof value === "string" ? value : "";
}

/** Without a public address, the host must be a loopback address. This prevents DNS rebinding. */
function isOwnOrigin({ headers }: FastifyRequest, { publicUrl }: Origin): boolean {
  const { origin, host = "" } = headers;
  if (publicUrl !== undefined) {
    return origin === new URL(publicUrl).origin;
  }
  return origin === `http://${host}` && URL.canParse(origin) && isLoopback(new URL(origin).hostname);
}

export function isHttps({ publicUrl }: Origin): boolean {
  return publicUrl?.startsWith("https:") === true;
}

/** Compares in constant time. */
function isSameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
