import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createKey, DuplicateKeyError, listKeys, revokeKey } from "../../store/access/keys.ts";
import type { Member } from "../../store/access/members.ts";
import { sessionMember } from "../../store/access/sessions.ts";
import type { KeyRecord } from "../../store/store.ts";
import type { Html } from "../html.ts";
import { sendPage } from "../layout.ts";
import { checkForm, field, PortalRefusal, tokenField, visitorOf } from "./guard.ts";
import { createdPage, keysPage, revokePage } from "./key-pages.ts";
import type { ConsoleParts } from "./parts.ts";

/** Characters of a name at most. */
const LONGEST_NAME = 60;

/** Keys that a team may have at once, revoked ones aside: somebody's loop must not fill the database. */
const MOST_KEYS = 200;

/** Serves the keys of the team that a person is signed in for: list, create, revoke. */
export function serveKeys(app: FastifyInstance, { store, now, base, count, ...origin }: ConsoleParts): void {
  const onResponse = async (_: FastifyRequest, reply: FastifyReply) => count("portal-keys", reply.statusCode >= 500);

  const send = (reply: FastifyReply, status: number, html: Html) => sendPage(reply.code(status), html, "no-store");

  const keysOf = async ({ team }: Member): Promise<KeyRecord[]> =>
    (await listKeys(store))
      .filter((key) => key.team === team)
      .sort((a, b) => Number(a.revokedAt !== null) - Number(b.revokedAt !== null));

  /** Who is signed in; undefined once the request has been sent to the sign-in page. */
  const signedIn = async (visitor: string | undefined, reply: FastifyReply): Promise<Member | undefined> => {
    const member = visitor === undefined ? undefined : await sessionMember(store, visitor, now());
    if (member === undefined) {
      reply.redirect("/portal/sign-in", 303);
    }
    return member;
  };

  const activeKey = async (member: Member, request: FastifyRequest): Promise<KeyRecord> => {
    const { id } = request.params as { id: string };
    const key = (await keysOf(member)).find((candidate) => String(candidate.id) === id && candidate.revokedAt === null);
    if (key === undefined) {
      throw new PortalRefusal(404, "The team has no such key, or it is revoked already.");
    }
    return key;
  };

  app.get("/portal", { onResponse }, async (request, reply) => {
    const visitor = visitorOf(request, origin);
    const member = await signedIn(visitor, reply);
    if (member === undefined || visitor === undefined) {
      return reply;
    }
    return send(reply, 200, keysPage({ member, keys: await keysOf(member), token: tokenField(visitor) }));
  });

  // Whoever comes here by the back button or a bookmark finds the list, not an error.
  app.get("/portal/keys", { onResponse }, async (_, reply) => reply.redirect("/portal", 303));

  app.post("/portal/keys", { onResponse }, async (request, reply) => {
    const visitor = checkForm(request, origin);
    const member = await signedIn(visitor, reply);
    if (member === undefined) {
      return reply;
    }
    const name = field(request, "name").trim();
    const keys = await keysOf(member);
    const again = (error: string) =>
      send(reply, 400, keysPage({ member, keys, token: tokenField(visitor), name, error }));
    const flaw = flawOf(name, keys);
    if (flaw !== undefined) {
      return again(flaw);
    }
    try {
      const secret = await createKey(store, { name, team: member.team }, new Date(now()));
      return send(reply, 200, createdPage({ name, secret, base: base() }));
    } catch (error) {
      if (error instanceof DuplicateKeyError) {
        return again("The team has a key of this name; a revoked one keeps its name, too. Choose another.");
      }
      throw error;
    }
  });

  app.get("/portal/keys/:id/revoke", { onResponse }, async (request, reply) => {
    const visitor = visitorOf(request, origin);
    const member = await signedIn(visitor, reply);
    if (member === undefined || visitor === undefined) {
      return reply;
    }
    return send(reply, 200, revokePage({ key: await activeKey(member, request), token: tokenField(visitor) }));
  });

  app.post("/portal/keys/:id/revoke", { onResponse }, async (request, reply) => {
    const visitor = checkForm(request, origin);
    const member = await signedIn(visitor, reply);
    if (member === undefined) {
      return reply;
    }
    const { name, team } = await activeKey(member, request);
    await revokeKey(store, name, new Date(now()), team);
    return reply.redirect("/portal", 303);
  });
}

function flawOf(name: string, keys: readonly KeyRecord[]): string | undefined {
  if (name === "") {
    return "Enter a name.";
  }
  if (name.length > LONGEST_NAME || /\p{C}/u.test(name)) {
    return `A name has at most ${LONGEST_NAME} characters and no control characters.`;
  }
  const active = keys.filter(({ revokedAt }) => revokedAt === null).length;
  return active >= MOST_KEYS ? `A team has at most ${MOST_KEYS} keys. Revoke one that is not needed.` : undefined;
}
