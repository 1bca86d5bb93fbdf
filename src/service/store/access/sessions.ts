import { db } from "../database/tables.ts";
import type { WritableStore } from "../writable-store.ts";
import { hashSecret, newSecret } from "./manage-keys.ts";
import type { Member } from "./members.ts";

/** Milliseconds after which a session without requests ends, and after which every session ends. */
const SESSION_IDLE = 30 * 60_000;
const SESSION_LIFETIME = 12 * 3_600_000;

/** Milliseconds between two writes of the time of the last request, so that not every request writes. */
const SEEN_EVERY = 60_000;

/** Opens a session with a new secret; only its hash is stored. */
export async function openPortalSession(database: WritableStore, email: string, now: number): Promise<string> {
  const secret = newSecret();
  const at = isoTime(now);
  await database.write(async (session) => {
    const ended = db.deleteFrom("portal_session");
    await session.run(ended.where("created_at", "<=", isoTime(now - SESSION_LIFETIME)));
    await session.run(ended.where("seen_at", "<=", isoTime(now - SESSION_IDLE)));
    const opened = { hash: hashSecret(secret), email, created_at: at, seen_at: at };
    await session.run(db.insertInto("portal_session").values(opened));
  });
  return secret;
}

/** Who is signed in with this secret; undefined if the session has ended or the person has no team. */
export async function sessionMember(database: WritableStore, secret: string, now: number): Promise<Member | undefined> {
  const hash = hashSecret(secret);
  const [row] = await database.read((session) =>
    session.run(
      db
        .selectFrom("portal_session")
        .innerJoin("member", "member.email", "portal_session.email")
        .select(["member.email", "team", "seen_at"])
        .where("hash", "=", hash)
        .where("created_at", ">", isoTime(now - SESSION_LIFETIME))
        .where("seen_at", ">", isoTime(now - SESSION_IDLE)),
    ),
  );
  if (row === undefined) {
    return undefined;
  }
  const { email, team, seen_at } = row;
  if (Date.parse(seen_at) + SEEN_EVERY <= now) {
    // Not awaited: a load may lock the database for a minute. If it fails, the session ends a little earlier.
    const seen = db.updateTable("portal_session").set({ seen_at: isoTime(now) });
    database.write((session) => session.run(seen.where("hash", "=", hash))).catch(() => undefined);
  }
  return { email, team };
}

export async function endSession(database: WritableStore, secret: string): Promise<void> {
  await database.write((session) =>
    session.run(db.deleteFrom("portal_session").where("hash", "=", hashSecret(secret))),
  );
}

/** @param time milliseconds since the epoch */
export function isoTime(time: number): string {
  return new Date(time).toISOString();
}
