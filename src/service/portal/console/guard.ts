import { createHmac, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { newSecret } from "../../store/access/sessions.ts";
import { type Html, html } from "../html.ts";

/** A request is refused with a page that says why. */
export class PortalRefusal extends Error {
  override readonly name = "PortalRefusal";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** What cookies and the check of forms depend on. */
export interface PortalOrigin {
  /** Origin of the public address, where one is set; without it the portal is reached over loopback only. */
  publicOrigin: string | undefined;
}

/** Name of the form field that carries the token. */
const TOKEN = "token";

function cookieName({ publicOrigin }: PortalOrigin): string {
  return isHttps(publicOrigin) ? "__Host-catalog-portal" : "catalog-portal";
}

/** The secret that a browser presents, before it signs in and after; not trusted to be one that was given out. */
export function visitorOf(request: FastifyRequest, origin: PortalOrigin): string | undefined {
  const value = request.cookies[cookieName(origin)];
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}

/** The browser's secret, or a new one that it is given. */
export function knownVisitor(request: FastifyRequest, reply: FastifyReply, origin: PortalOrigin): string {
  return visitorOf(request, origin) ?? giveSecret(reply, newSecret(), origin);
}

/** Sets the cookie: no script and no other site gets it, it ends with the browser, and over https it stays there. */
export function giveSecret(reply: FastifyReply, secret: string, origin: PortalOrigin): string {
  reply.setCookie(cookieName(origin), secret, {
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    secure: isHttps(origin.publicOrigin),
  });
  return secret;
}

export function takeSecret(reply: FastifyReply, origin: PortalOrigin): void {
  reply.clearCookie(cookieName(origin), {
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    secure: isHttps(origin.publicOrigin),
  });
}

/** The hidden field of a form that only this browser can send. */
export function tokenField(visitor: string): Html {
  return html`<input type="hidden" name="${TOKEN}" value="${tokenOf(visitor)}">`;
}

/**
 * The browser's secret, once it is certain that the form came from a page of the portal: the browser says so in
 * `Origin`, which no page of another site can change, and the form carries a token that no other site can read.
 *
 * @throws PortalRefusal otherwise
 */
export function checkForm(request: FastifyRequest, origin: PortalOrigin): string {
  const visitor = visitorOf(request, origin);
  if (!isOwnOrigin(request, origin)) {
    throw new PortalRefusal(403, "The form was not sent from a page of this portal.");
  }
  const token = field(request, TOKEN);
  if (visitor === undefined || !isSame(token, tokenOf(visitor))) {
    throw new PortalRefusal(403, "The page had expired, or the browser keeps no cookies. Open it again and repeat.");
  }
  return visitor;
}

/** The text of a form's field; empty where it is missing or repeated. */
export function field(request: FastifyRequest, name: string): string {
  const value = (request.body as Record<string, unknown> | undefined)?.[name];
  return typeof value === "string" ? value : "";
}

/** Whether an address leads to this machine only. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\]|::1)$/i.test(hostname);
}

/** Without a public address the host must be a loopback one, so that no foreign name can be bound to this machine. */
function isOwnOrigin({ headers }: FastifyRequest, { publicOrigin }: PortalOrigin): boolean {
  const { origin, host = "" } = headers;
  if (publicOrigin !== undefined) {
    return origin === publicOrigin;
  }
  return origin === `http://${host}` && URL.canParse(origin) && isLoopback(new URL(origin).hostname);
}

function isHttps(origin: string | undefined): boolean {
  return origin?.startsWith("https:") === true;
}

function tokenOf(visitor: string): string {
  return createHmac("sha256", visitor).update("form").digest("base64url");
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
