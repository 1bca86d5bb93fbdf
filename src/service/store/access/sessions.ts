import { insertRow } from "../database/json-records.ts";
import type { EmbeddedStore } from "../embedded.ts";
import { hashSecret, newSecret } from "./manage-keys.ts";
import type { Member } from "./members.ts";

/** Milliseconds after which a session without requests ends, and after which every session ends. */
const SESSION_IDLE = 30 * 60_000;
const SESSION_LIFETIME = 12 * 3_600_000;

/** Milliseconds between two writes of the time of the last request, so that not every request writes. */
const SEEN_EVERY = 60_000;

/** Opens a session with a new secret; only its hash is stored. */
export async function openPortalSession(database: EmbeddedStore, email: string, now: number): Promise<string> {
  const secret = newSecret();
  const at = isoTime(now);
  await database.write(async (session) => {
    await session.query("DELETE FROM portal_session WHERE created_at <= ? OR seen_at <= ?", [
      isoTime(now - SESSION_LIFETIME),
      isoTime(now - SESSION_IDLE),
    ]);
    await insertRow(session, "portal_session", { hash: hashSecret(secret), email, created_at: at, seen_at: at });
  });
  return secret;
}

/** Who is signed in with this secret; undefined if the session has ended or the person has no team. */
export async function sessionMember(database: EmbeddedStore, secret: string, now: number): Promise<Member | undefined> {
  const hash = hashSecret(secret);
  const [row] = await database.read((session) =>
    session.query(
      `SELECT email, team, seen_at FROM portal_session JOIN member USING (email)
       WHERE hash = ? AND portal_session.created_at > ? AND seen_at > ?`,
      [hash, isoTime(now - SESSION_LIFETIME), isoTime(now - SESSION_IDLE)],
    ),
  );
  if (row === undefined) {
    return undefined;
  }
  const [email, team, seenAt] = row;
  if (Date.parse(String(seenAt)) + SEEN_EVERY <= now) {
    // Not awaited: a load may lock the database for a minute. If it fails, the session ends a little earlier.
    database
      .write((session) => session.query("UPDATE portal_session SET seen_at = ? WHERE hash = ?", [isoTime(now), hash]))
      .catch(() => undefined);
  }
  return { email: String(email), team: String(team) };
}

export async function endSession(database: EmbeddedStore, secret: string): Promise<void> {
  await database.write((session) => session.query("DELETE FROM portal_session WHERE hash = ?", [hashSecret(secret)]));
}

/** @param time milliseconds since the epoch */
export function isoTime(time: number): string {
  return new Date(time).toISOString();
}
