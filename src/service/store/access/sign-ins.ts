import { createHmac, timingSafeEqual } from "node:crypto";
import type { Store } from "../store.ts";
import { hashSecret } from "./manage-keys.ts";
import { teamOf } from "./members.ts";
import { isoTime } from "./sessions.ts";

/** Milliseconds that a code is valid, and how often it may be tried. */
const CODE_LIFETIME = 10 * 60_000;
const CODE_TRIES = 5;

/**
 * Begins a sign-in and replaces an earlier one of the same browser. It does the same for unknown addresses, so that neither the
 * response nor its time reveals members. @returns whether the address is a member's, who gets the code
 * @param signIn the secret of the browser, in which alone the code is valid, the address as returned by `normalEmail`, and six digits
 */
export async function beginSignIn(
  database: Store,
  { visitor, email, code }: { visitor: string; email: string; code: string },
  now: number,
): Promise<boolean> {
  return await database.write(async (session) => {
    await session.query("DELETE FROM sign_in WHERE expires_at <= ? OR hash = ?", [isoTime(now), hashSecret(visitor)]);
    await session.query("INSERT INTO sign_in (hash, email, code_hash, tries, expires_at) VALUES (?, ?, ?, 0, ?)", [
      ...[hashSecret(visitor), email, hashCode(visitor, code), isoTime(now + CODE_LIFETIME)],
    ]);
    return (await teamOf(session, email)) !== undefined;
  });
}

/** `left`: remaining tries. `gone`: the code has expired, was used, or has no tries left. */
export type CodeOutcome = { kind: "right"; email: string } | { kind: "wrong"; left: number } | { kind: "gone" };

/** Checks a code and counts the try. The right code and the last try end the sign-in. */
export async function tryCode(
  database: Store,
  { visitor, code }: { visitor: string; code: string },
  now: number,
): Promise<CodeOutcome> {
  const hash = hashSecret(visitor);
  return await database.write(async (session) => {
    const [row] = await session.query<{ email: string; code_hash: string; tries: number }>(
      `UPDATE sign_in SET tries = tries + 1 WHERE hash = ? AND expires_at > ? RETURNING email, code_hash, tries`,
      [hash, isoTime(now)],
    );
    if (row === undefined) {
      return { kind: "gone" };
    }
    const { email, code_hash, tries } = row;
    const isRight = timingSafeEqual(Buffer.from(code_hash), Buffer.from(hashCode(visitor, code)));
    const isMember = (await teamOf(session, email)) !== undefined;
    const left = CODE_TRIES - tries;
    if (isRight || left === 0) {
      await session.query("DELETE FROM sign_in WHERE hash = ?", [hash]);
    }
    if (isRight && isMember) {
      return { kind: "right", email };
    }
    return left === 0 ? { kind: "gone" } : { kind: "wrong", left };
  });
}

/** The address of the browser's current sign-in. */
export async function pendingEmail(database: Store, visitor: string, now: number): Promise<string | undefined> {
  const pending = "SELECT email FROM sign_in WHERE hash = ? AND expires_at > ?";
  const [signIn] = await database.read((session) =>
    session.query<{ email: string }>(pending, [hashSecret(visitor), isoTime(now)]),
  );
  return signIn?.email;
}

/** Keyed by the browser's secret, which is not in the database: a plain hash of six digits could be reversed. */
function hashCode(visitor: string, code: string): string {
  return createHmac("sha256", visitor).update(`code ${code}`).digest("hex");
}
