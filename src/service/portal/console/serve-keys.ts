import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ServiceParts } from "../../http/service-parts.ts";
import { createKey, DuplicateKeyError, listKeys, revokeKey } from "../../store/access/manage-keys.ts";
import type { Member } from "../../store/access/members.ts";
import { sessionMember } from "../../store/access/sessions.ts";
import type { KeyRecord } from "../../store/store.ts";
import { type Html, sendPrivatePage } from "../layout.ts";
import { checkForm, formField, refusal, tokenField, visitorOf } from "./guard.ts";
import { createdPage, keysPage, revokePage } from "./key-pages.ts";

/** Longest name of a key, in characters. */
const LONGEST_NAME = 60;

interface MemberCall {
  request: FastifyRequest;
  reply: FastifyReply;
  /** The hidden field of the forms of a page. */
  token: Html;
  member: Member;
}

/** Serves the keys of a signed-in person's team: list, create, revoke. */
export function serveKeys(app: FastifyInstance, { store, settings, base, measurements }: ServiceParts): void {
  const { now } = settings;

  const keysOf = async ({ team }: Member): Promise<KeyRecord[]> =>
    (await listKeys(store, team)).sort((a, b) => Number(a.revokedAt !== null) - Number(b.revokedAt !== null));

  /** Calls `handle` for signed-in people and redirects others to the sign-in page. Forms must come from the portal. */
  const forMember =
    (handle: (call: MemberCall) => Promise<FastifyReply>) => async (request: FastifyRequest, reply: FastifyReply) => {
      const visitor = request.method === "POST" ? checkForm(request, settings) : visitorOf(request, settings);
      const member = visitor === undefined ? undefined : await sessionMember(store, visitor, now());
      return visitor === undefined || member === undefined
        ? reply.redirect("/portal/sign-in", 303)
        : handle({ request, reply, token: tokenField(visitor), member });
    };

  const activeKey = async ({ request, member }: MemberCall): Promise<KeyRecord> => {
    const { id } = request.params as { id: string };
    const key = (await keysOf(member)).find((candidate) => String(candidate.id) === id && candidate.revokedAt === null);
    if (key === undefined) {
      throw refusal(404, "The team has no such key, or it is already revoked.");
    }
    return key;
  };

  const list = forMember(async ({ reply, token, member }) =>
    sendPrivatePage(reply, 200, keysPage({ member, keys: await keysOf(member), token })),
  );

  const create = forMember(async ({ request, reply, token, member }) => {
    const name = formField(request, "name").trim();
    const keys = await keysOf(member);
    const refused = (error: string) => refusal(400, error, keysPage({ member, keys, token, name, error }));
    const error = nameError(name);
    if (error !== undefined) {
      throw refused(error);
    }
    try {
      const secret = await createKey(store, { name, team: member.team }, new Date(now()));
      return sendPrivatePage(reply, 200, createdPage({ name, secret, base: base() }));
    } catch (error) {
      if (error instanceof DuplicateKeyError) {
        throw refused("The team has a key of this name. Revoked keys keep their names. Choose another name.");
      }
      throw error;
    }
  });

  const askToRevoke = forMember(async (call) =>
    sendPrivatePage(call.reply, 200, revokePage({ key: await activeKey(call), token: call.token })),
  );

  const revoke = forMember(async (call) => {
    const { name, team } = await activeKey(call);
    await revokeKey(store, name, new Date(now()), team);
    return call.reply.redirect("/portal", 303);
  });

  app.addHook("onResponse", measurements.countResponses("portal-keys"));
  app.get("/portal", list);
  // For the back button and bookmarks after a key was created.
  app.get("/portal/keys", async (_, reply) => reply.redirect("/portal", 303));
  app.post("/portal/keys", create);
  app.get("/portal/keys/:id/revoke", askToRevoke);
  app.post("/portal/keys/:id/revoke", revoke);
}

function nameError(name: string): string | undefined {
  if (name === "") {
    return "Enter a name.";
  }
  return name.length > LONGEST_NAME || /\p{C}/u.test(name)
    ? `A name has at most ${LONGEST_NAME} characters and no control characters.`
    : undefined;
}
