import type { Store } from "../store.ts";
import { hashSecret, newSecret } from "./manage-keys.ts";
import type { Member } from "./members.ts";

/** Milliseconds after which a session without requests ends, and after which every session ends. */
const SESSION_IDLE = 30 * 60_000;
const SESSION_LIFETIME = 12 * 3_600_000;

/** Milliseconds between two writes of the time of the last request, so that not every request writes. */
const SEEN_EVERY = 60_000;

/** Opens a session with a new secret; only its hash is stored. */
export async function openPortalSession(database: Store, email: string, now: number): Promise<string> {
  const secret = newSecret();
  const at = isoTime(now);
  await database.write(async (session) => {
    const ended = [isoTime(now - SESSION_LIFETIME), isoTime(now - SESSION_IDLE)];
    await session.query("DELETE FROM portal_session WHERE created_at <= ? OR seen_at <= ?", ended);
    const insert = "INSERT INTO portal_session (hash, email, created_at, seen_at) VALUES (?, ?, ?, ?)";
    await session.query(insert, [hashSecret(secret), email, at, at]);
  });
  return secret;
}

/** Who is signed in with this secret; undefined if the session has ended or the person has no team. */
export async function sessionMember(database: Store, secret: string, now: number): Promise<Member | undefined> {
  const hash = hashSecret(secret);
  const [row] = await database.read((session) =>
    session.query<Member & { seen_at: string }>(
      `SELECT member.email AS email, team, seen_at FROM portal_session JOIN member ON member.email = portal_session.email
       WHERE hash = ? AND created_at > ? AND seen_at > ?`,
      [hash, isoTime(now - SESSION_LIFETIME), isoTime(now - SESSION_IDLE)],
    ),
  );
  if (row === undefined) {
    return undefined;
  }
  const { email, team, seen_at } = row;
  if (Date.parse(seen_at) + SEEN_EVERY <= now) {
    // Not awaited: a load may lock the database for a minute. If it fails, the session ends a little earlier.
    const seen = "UPDATE portal_session SET seen_at = ? WHERE hash = ?";
    database.write((session) => session.query(seen, [isoTime(now), hash])).catch(() => undefined);
  }
  return { email, team };
}

export async function endSession(database: Store, secret: string): Promise<void> {
  await database.write((session) => session.query("DELETE FROM portal_session WHERE hash = ?", [hashSecret(secret)]));
}

/** @param time milliseconds since the epoch */
export function isoTime(time: number): string {
  return new Date(time).toISOString();
}
