import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ServiceParts } from "../../http/service-parts.ts";
import { createKey, listKeys, revokeKey } from "../../store/access/manage-keys.ts";
import type { Member } from "../../store/access/members.ts";
import { normalName } from "../../store/access/names.ts";
import { sessionMember } from "../../store/access/sessions.ts";
import { type KeyRecord, RefusedChangeError } from "../../store/store-types.ts";
import { sendPrivatePage } from "../layout.ts";
import { formField, refusal } from "./guard.ts";
import { createdPage, keysPage, revokePage } from "./key-pages.ts";

/** Longest name of a key, in characters. */
const LONGEST_NAME = 60;

declare module "fastify" {
  interface FastifyRequest {
    /** Who is signed in. Only requests to the pages of keys have it. */
    member: Member;
  }
}

/** Serves the keys of a signed-in person's team: list, create, revoke. */
export function serveKeys(app: FastifyInstance, { store, settings, base, measurements }: ServiceParts): void {
  const { now } = settings;

  const keysOf = async ({ team }: Member): Promise<KeyRecord[]> =>
    (await listKeys(store, team)).sort((a, b) => Number(a.revoked_at !== null) - Number(b.revoked_at !== null));

  const activeKey = async ({ query, member }: FastifyRequest): Promise<KeyRecord> => {
    const { id } = query as { id?: unknown };
    const key = (await keysOf(member)).find(
      (candidate) => String(candidate.id) === id && candidate.revoked_at === null,
    );
    if (key === undefined) {
      throw refusal(404, "The team has no such key, or it is already revoked.");
    }
    return key;
  };

  app.addHook("onResponse", measurements.countResponses("portal-keys"));
  app.addHook("preHandler", async (request, reply) => {
    const member = await sessionMember(store, request.visitor, now());
    if (member === undefined) {
      return reply.redirect("/portal/sign-in", 303);
    }
    request.member = member;
  });

  app.get("/portal", async ({ member, token }, reply) =>
    sendPrivatePage(reply, 200, keysPage({ member, keys: await keysOf(member), token })),
  );
  // For the back button and bookmarks after a key was created.
  app.get("/portal/keys", async (_, reply) => reply.redirect("/portal", 303));
  app.post("/portal/keys", async (request, reply) => {
    const { member, token } = request;
    const text = formField(request, "name");
    const name = normalName(text);
    const keys = await keysOf(member);
    const refused = (error: string) => refusal(400, error, keysPage({ member, keys, token, name: text, error }));
    if (name === undefined || name.length > LONGEST_NAME) {
      const isEmpty = text.trim() === "";
      throw refused(isEmpty ? "Enter a name." : `A name has 1 to ${LONGEST_NAME} visible characters.`);
    }
    const secret = await createKey(store, { name, team: member.team }, new Date(now())).catch((error: unknown) => {
      throw error instanceof RefusedChangeError
        ? refused("The team has a key of this name. Revoked keys keep their names. Choose another name.")
        : error;
    });
    return sendPrivatePage(reply, 200, createdPage({ name, secret, base: base() }));
  });
  app.get("/portal/keys/revoke", async (request, reply) =>
    sendPrivatePage(reply, 200, revokePage({ key: await activeKey(request), token: request.token })),
  );
  app.post("/portal/keys/revoke", async (request, reply) => {
    const { name, team } = await activeKey(request);
    await revokeKey(store, name, new Date(now()), team);
    return reply.redirect("/portal", 303);
  });
}
