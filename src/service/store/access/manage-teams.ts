import { SCOPES } from "../../../contract/operations.ts";
import type { Session } from "../database/database-session.ts";
import type { Store } from "../store.ts";
import { type Grants, RefusedChangeError, unknownName } from "../store-types.ts";
import { insertTeam, readKeys, readTeams, sortedGrants, storedGrants, type TeamRecord } from "./team-records.ts";

/** Creates a team, by default with all scopes and retailers. @throws RefusedChangeError */
export async function createTeam(
  database: Store,
  name: string,
  wanted: Partial<Grants>,
  at: Date,
): Promise<TeamRecord> {
  return await database.write(async (session) => {
    if ((await readTeams(session)).some((team) => team.name === name)) {
      throw new RefusedChangeError(`there is already a team "${name}"`);
    }
    return await addTeam(session, name, wanted, at);
  });
}

/** Changes the grants of a team and all its keys at once; what `wanted` leaves out stays. @throws RefusedChangeError for an unknown team */
export async function grantTeam(database: Store, name: string, wanted: Partial<Grants>): Promise<TeamRecord> {
  return await database.write(async (session) => {
    const team = await requireTeam(session, name);
    const changed = { ...team, ...sortedGrants({ ...team, ...wanted }) };
    const update = "UPDATE team SET scopes = ?, retailers = ? WHERE name = ?";
    await session.query(update, [...storedGrants(changed), name]);
    return changed;
  });
}

/**
 * Deletes a team, its keys, and its members' access and sessions at once. @returns the numbers of valid keys and members
 * @throws RefusedChangeError for an unknown team, and for one with valid keys unless `revokeKeys`
 */
export async function deleteTeam(
  database: Store,
  name: string,
  { revokeKeys }: { revokeKeys: boolean },
): Promise<{ keys: number; members: number }> {
  return await database.write(async (session) => {
    await requireTeam(session, name);
    const valid = (await readKeys(session, { team: name })).filter(({ revoked_at }) => revoked_at === null);
    if (valid.length > 0 && !revokeKeys) {
      const names = valid.map((key) => key.name).join(", ");
      throw new RefusedChangeError(
        `the team "${name}" has valid keys: ${names}. Revoke them first, or delete them with the team by --revoke-keys`,
      );
    }
    const ofMembers = "email IN (SELECT email FROM member WHERE team = ?)";
    await session.query(`DELETE FROM portal_session WHERE ${ofMembers}`, [name]);
    await session.query(`DELETE FROM sign_in WHERE ${ofMembers}`, [name]);
    const members = await session.query("DELETE FROM member WHERE team = ? RETURNING email", [name]);
    await session.query("DELETE FROM api_key WHERE team = ?", [name]);
    await session.query("DELETE FROM team WHERE name = ?", [name]);
    return { keys: valid.length, members: members.length };
  });
}

/** @throws RefusedChangeError */
export async function requireTeam(session: Session, name: string): Promise<TeamRecord> {
  const teams = await readTeams(session);
  const team = teams.find((candidate) => candidate.name === name);
  if (team === undefined) {
    throw unknownName(`there is no team "${name}"`, teams);
  }
  return team;
}

/** The team `name`, which is created if it is new. @throws RefusedChangeError if it has other grants */
export async function teamWith(session: Session, name: string, wanted: Partial<Grants>, at: Date): Promise<TeamRecord> {
  const team = (await readTeams(session)).find((candidate) => candidate.name === name);
  if (team === undefined) {
    return await addTeam(session, name, wanted, at);
  }
  if (JSON.stringify(sortedGrants({ ...team, ...wanted })) !== JSON.stringify(sortedGrants(team))) {
    throw new RefusedChangeError(
      `the team "${name}" has other grants: ${describeGrants(team)}. Leave out --scope and --retailer, or change the team with \`catalog service teams grant\``,
    );
  }
  return team;
}

/** `scopes catalog:sample; retailers all` */
export function describeGrants({ scopes, retailers }: Grants): string {
  const listed = (items: readonly string[]) => (items.length === 0 ? "none" : items.join(", "));
  return `scopes ${listed(scopes)}; retailers ${retailers === null ? "all" : listed(retailers)}`;
}

async function addTeam(session: Session, name: string, wanted: Partial<Grants>, at: Date): Promise<TeamRecord> {
  const grants = sortedGrants({ scopes: SCOPES, retailers: null, ...wanted });
  const team = { name, ...grants, created_at: at.toISOString() };
  await insertTeam(session, team);
  return team;
}
