import { randomInt } from "node:crypto";
import type { FastifyInstance, FastifyReply } from "fastify";
import { createRateLimit } from "../../http/admission/rate-limit.ts";
import { sourceOf } from "../../http/admission/source-address.ts";
import type { PortalAccess } from "../../http/service-options.ts";
import type { ServiceParts } from "../../http/service-parts.ts";
import { normalEmail } from "../../store/access/members.ts";
import { endSession, openPortalSession, sessionMember } from "../../store/access/sessions.ts";
import { beginSignIn, pendingEmail, tryCode } from "../../store/access/sign-ins.ts";
import { withinDeadline } from "../../store/query-deadline.ts";
import { sendPrivatePage } from "../layout.ts";
import { cookieName, formField, refusal } from "./guard.ts";
import { codePage, signInPage } from "./sign-in-pages.ts";

const HOUR_SECONDS = 3_600;

/** Limits per hour and source, so that no source locks out people elsewhere. */
const CODES_PER_ADDRESS = 5;
const CODES_PER_SOURCE = 20;
const TRIES_PER_SOURCE = 60;

/** Serves signing in with a mailed code, and signing out. */
export function serveSignIn(
  app: FastifyInstance,
  { store, settings, base, measurements }: ServiceParts,
  { sendCode, codesArePrinted }: PortalAccess,
): void {
  const { now, queryTimeout } = settings;
  /** Counts a request of `key`. If its limit is exceeded, sets `Retry-After` and returns the time to wait. */
  const limiter = (name: string, limit: number) => {
    const { count } = createRateLimit(store, name, limit, HOUR_SECONDS, now);
    return async (key: string, reply: FastifyReply): Promise<string | undefined> => {
      const { admitted, resetSeconds } = await withinDeadline(queryTimeout, (deadline) => count(key, deadline));
      if (admitted) {
        return undefined;
      }
      reply.header("retry-after", String(resetSeconds));
      const minutes = Math.ceil(resetSeconds / 60);
      return minutes === 1 ? "one minute" : `${minutes} minutes`;
    };
  };
  const codesOfSource = limiter("codes-of-source", CODES_PER_SOURCE);
  const codesOfAddress = limiter("codes-of-source-and-address", CODES_PER_ADDRESS);
  const triesOfSource = limiter("tries-of-source", TRIES_PER_SOURCE);
  app.addHook("onResponse", measurements.countResponses("portal-sign-in"));

  app.get("/portal/sign-in", async ({ visitor, token }, reply) => {
    if ((await sessionMember(store, visitor, now())) !== undefined) {
      return reply.redirect("/portal", 303);
    }
    return sendPrivatePage(reply, 200, signInPage({ token }));
  });

  app.post("/portal/sign-in", async (request, reply) => {
    const { visitor, token } = request;
    const typed = formField(request, "email");
    const email = normalEmail(typed);
    if (email === undefined) {
      const error = typed.trim() === "" ? "Enter your e-mail address." : "This is not an e-mail address.";
      throw refusal(400, error, signInPage({ token, email: typed, error }));
    }
    const source = sourceOf(request.ip);
    const wait = (await codesOfSource(source, reply)) ?? (await codesOfAddress(`${source} ${email}`, reply));
    if (wait !== undefined) {
      const error = `Too many codes were asked for. Try again in ${wait}.`;
      throw refusal(429, error, signInPage({ token, email: typed, error }));
    }
    const code = String(randomInt(1_000_000)).padStart(6, "0");
    const isMember = await beginSignIn(store, { visitor, email, code }, now());
    if (isMember) {
      // Sent after the response, so that the time it takes does not show whether the address belongs to a member.
      reply.raw.once("close", () => {
        sendCode(email, code, `${base()}/portal`).catch((error: unknown) =>
          settings.onUnexpectedError(error, request.id),
        );
      });
    }
    return reply.redirect("/portal/code", 303);
  });

  app.get("/portal/code", async ({ visitor, token }, reply) => {
    const email = await pendingEmail(store, visitor, now());
    return email === undefined
      ? reply.redirect("/portal/sign-in", 303)
      : sendPrivatePage(reply, 200, codePage({ token, email, codesArePrinted }));
  });

  app.post("/portal/code", async (request, reply) => {
    const { visitor, token } = request;
    const code = formField(request, "code").replaceAll(/[\s-]/g, "");
    const email = await pendingEmail(store, visitor, now());
    const again = (status: 400 | 429, error: string) =>
      refusal(status, error, codePage({ token, email: email ?? "", codesArePrinted, error }));
    if (email !== undefined && !/^\d{6}$/.test(code)) {
      throw again(400, "A code has six digits.");
    }
    const wait = await triesOfSource(sourceOf(request.ip), reply);
    if (wait !== undefined) {
      throw again(429, `Too many codes were tried. Try again in ${wait}.`);
    }
    const outcome = await tryCode(store, { visitor, code }, now());
    if (outcome.kind === "wrong") {
      throw again(
        400,
        `This is not the code. ${outcome.left === 1 ? "One try is" : `${outcome.left} tries are`} left.`,
      );
    }
    if (outcome.kind === "gone") {
      const error = "The code has expired, was used, or was tried too often. Ask for another one.";
      throw refusal(400, error, signInPage({ token, email: email ?? "", error }));
    }
    const secret = await openPortalSession(store, outcome.email, now());
    return reply.setCookie(cookieName(settings), secret).redirect("/portal", 303);
  });

  app.post("/portal/sign-out", async ({ visitor }, reply) => {
    await endSession(store, visitor);
    return reply.clearCookie(cookieName(settings)).redirect("/portal/sign-in", 303);
  });
}
