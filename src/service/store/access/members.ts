import type { Session } from "../database/database-connection.ts";
import type { EmbeddedStore } from "../embedded.ts";
import { requireTeam } from "./manage-teams.ts";

/** The address belongs to a team already; one person signs in for one team. */
export class DuplicateMemberError extends Error {
  override readonly name = "DuplicateMemberError";

  constructor(email: string, team: string) {
    super(`${email} is a member of the team "${team}" already`);
  }
}

/** The team has no member with this address. */
export class UnknownMemberError extends Error {
  override readonly name = "UnknownMemberError";
  readonly known: readonly string[];

  constructor(email: string, team: string, known: readonly string[]) {
    super(`${email} is not a member of the team "${team}"`);
    this.known = known;
  }
}

export interface Member {
  /** As `normalEmail` gives it. */
  email: string;
  team: string;
}

/** Characters of an address at most (RFC 5321 section 4.5.3.1.3, without the angle brackets). */
const LONGEST_EMAIL = 254;

/**
 * An address in the one form in which it is kept and compared: lower case, without white space around it. Undefined
 * where the text is not one plain address.
 */
export function normalEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase();
  const isPlain = /^[^\s@<>()[\]\\,;:"\p{C}]+@[^\s@<>()[\]\\,;:"\p{C}]+$/u.test(email);
  return isPlain && email.length <= LONGEST_EMAIL ? email : undefined;
}

/** Lets the person with this address sign in for the team. @throws UnknownTeamError, DuplicateMemberError */
export async function addMember(database: EmbeddedStore, { team, email }: Member, at: Date): Promise<void> {
  await database.write(async (session) => {
    await requireTeam(session, team);
    const known = await teamOf(session, email);
    if (known !== undefined) {
      throw new DuplicateMemberError(email, known);
    }
    await session.query("INSERT INTO member (email, team, added_at) VALUES (?, ?, ?)", [email, team, at.toISOString()]);
  });
}

/** Ends the person's sessions at once; the team's keys stay. @throws UnknownTeamError, UnknownMemberError */
export async function removeMember(database: EmbeddedStore, { team, email }: Member): Promise<void> {
  await database.write(async (session) => {
    await requireTeam(session, team);
    const known = await membersOf(session, team);
    if (!known.includes(email)) {
      throw new UnknownMemberError(email, team, known);
    }
    await session.query("DELETE FROM member WHERE email = ?", [email]);
    await session.query("DELETE FROM portal_session WHERE email = ?", [email]);
    await session.query("DELETE FROM sign_in WHERE email = ?", [email]);
  });
}

/** Addresses of a team's members, in order. */
export async function membersOf(session: Session, team: string): Promise<string[]> {
  const rows = await session.query("SELECT email FROM member WHERE team = ? ORDER BY email", [team]);
  return rows.map(([email]) => String(email));
}

/** Every member, by team and address. */
export async function readMembers(session: Session): Promise<Member[]> {
  const rows = await session.query("SELECT email, team FROM member ORDER BY team, email");
  return rows.map(([email, team]) => ({ email: String(email), team: String(team) }));
}

/** The team that a person signs in for. */
export async function teamOf(session: Session, email: string): Promise<string | undefined> {
  const [[team] = []] = await session.query("SELECT team FROM member WHERE email = ?", [email]);
  return team === undefined ? undefined : String(team);
}
