import type { Session } from "../database/database-session.ts";
import type { Store } from "../store.ts";
import { RefusedChangeError, unknownName } from "../store-types.ts";
import { requireTeam } from "./manage-teams.ts";

export interface Member {
  /** As returned by `normalEmail`. */
  email: string;
  team: string;
}

/** Longest address, in characters (RFC 5321 section 4.5.3.1.3, without the angle brackets). */
const LONGEST_EMAIL = 254;

/** An address as it is stored and compared, in lower case; undefined if the text is not one plain address. */
export function normalEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase();
  const isPlain = /^[^\s@<>()[\]\\,;:"\p{C}]+@[^\s@<>()[\]\\,;:"\p{C}]+$/u.test(email);
  return isPlain && email.length <= LONGEST_EMAIL ? email : undefined;
}

/** Lets a person sign in for the team. @throws RefusedChangeError for an unknown team, and for a member of another one */
export async function addMember(database: Store, { team, email }: Member, at: Date): Promise<void> {
  await database.write(async (session) => {
    await requireTeam(session, team);
    const known = await teamOf(session, email);
    if (known !== undefined) {
      throw new RefusedChangeError(`${email} is already a member of the team "${known}"`);
    }
    const insert = "INSERT INTO member (email, team, added_at) VALUES (?, ?, ?)";
    await session.query(insert, [email, team, at.toISOString()]);
  });
}

/** Removes a person from the team and ends the person's sessions. The team's keys stay. @throws RefusedChangeError */
export async function removeMember(database: Store, { team, email }: Member): Promise<void> {
  await database.write(async (session) => {
    await requireTeam(session, team);
    const known = await membersOf(session, team);
    if (!known.includes(email)) {
      const names = known.map((name) => ({ name }));
      throw unknownName(`${email} is not a member of the team "${team}"`, names);
    }
    for (const table of ["member", "portal_session", "sign_in"]) {
      await session.query(`DELETE FROM ${table} WHERE email = ?`, [email]);
    }
  });
}

/** Addresses of a team's members, sorted. */
export async function membersOf(session: Session, team: string): Promise<string[]> {
  return (await readMembers(session)).filter((member) => member.team === team).map(({ email }) => email);
}

/** All members, sorted by team and address. */
export async function readMembers(session: Session): Promise<Member[]> {
  return await session.query<Member>("SELECT email, team FROM member ORDER BY team, email");
}

/** The team of a person; undefined if in none. */
export async function teamOf(session: Session, email: string): Promise<string | undefined> {
  const [member] = await session.query<Member>("SELECT email, team FROM member WHERE email = ?", [email]);
  return member?.team;
}
