import { SCOPES, type Scope } from "../../../contract/operations.ts";
import type { Session } from "../database/database-connection.ts";
import type { EmbeddedStore } from "../embedded.ts";
import type { Grants } from "../store.ts";
import { insertTeam, readTeams, type TeamRecord, updateGrants } from "./team-records.ts";

/** A scope that the contract does not know. */
export class UnknownScopeError extends Error {
  override readonly name = "UnknownScopeError";

  constructor(scope: string) {
    super(`"${scope}" is not a scope: use ${SCOPES.join(" or ")}`);
  }
}

/** A team of this name exists already. */
export class DuplicateTeamError extends Error {
  override readonly name = "DuplicateTeamError";

  constructor(team: string) {
    super(`there is already a team "${team}"`);
  }
}

/** No team has this name. */
export class UnknownTeamError extends Error {
  override readonly name = "UnknownTeamError";
  readonly team: string;
  readonly known: readonly string[];

  constructor(team: string, known: readonly string[]) {
    super(`there is no team "${team}"`);
    this.team = team;
    this.known = known;
  }
}

/** A key was asked for with other grants than its team has. */
export class GrantConflictError extends Error {
  override readonly name = "GrantConflictError";
  readonly team: TeamRecord;

  constructor(team: TeamRecord) {
    super(`the team "${team.name}" has other grants: ${describeGrants(team)}`);
    this.team = team;
  }
}

/** What is asked for of a team; an absent member is not asked about. */
export interface WantedGrants {
  scopes?: readonly string[];
  /** `null`: every retailer. */
  retailers?: readonly string[] | null;
}

/**
 * Creates a team; where nothing else is wanted it has every scope and sees every retailer.
 *
 * @throws UnknownScopeError, DuplicateTeamError
 */
export async function createTeam(
  database: EmbeddedStore,
  name: string,
  wanted: WantedGrants,
  at: Date,
): Promise<TeamRecord> {
  return await database.write(async (session) => {
    if ((await readTeams(session)).some((team) => team.name === name)) {
      throw new DuplicateTeamError(name);
    }
    return await addTeam(session, name, wanted, at);
  });
}

/** Changes what a team may do, at once for all its keys; what is not wanted stays. @throws UnknownScopeError, UnknownTeamError */
export async function grantTeam(database: EmbeddedStore, name: string, wanted: WantedGrants): Promise<TeamRecord> {
  return await database.write(async (session) => {
    const team = await requireTeam(session, name);
    const changed = { ...team, ...grantsFrom(wanted, team) };
    await updateGrants(session, name, changed);
    return changed;
  });
}

/** @throws UnknownTeamError */
export async function requireTeam(session: Session, name: string): Promise<TeamRecord> {
  const teams = await readTeams(session);
  const team = teams.find((candidate) => candidate.name === name);
  if (team === undefined) {
    throw new UnknownTeamError(
      name,
      teams.map((known) => known.name),
    );
  }
  return team;
}

/**
 * The team `name`, made with the wanted grants where it is new.
 *
 * @throws UnknownScopeError, or GrantConflictError where the team exists and has other grants than wanted
 */
export async function teamWith(session: Session, name: string, wanted: WantedGrants, at: Date): Promise<TeamRecord> {
  const team = (await readTeams(session)).find((candidate) => candidate.name === name);
  if (team === undefined) {
    return await addTeam(session, name, wanted, at);
  }
  if (JSON.stringify(grantsFrom(wanted, team)) !== JSON.stringify(grantsFrom({}, team))) {
    throw new GrantConflictError(team);
  }
  return team;
}

/** `scopes catalog:sample; retailers all` */
export function describeGrants({ scopes, retailers }: Grants): string {
  const listed = (items: readonly string[]) => (items.length === 0 ? "none" : items.join(", "));
  return `scopes ${listed(scopes)}; retailers ${retailers === null ? "all" : listed(retailers)}`;
}

async function addTeam(session: Session, name: string, wanted: WantedGrants, at: Date): Promise<TeamRecord> {
  const grants = grantsFrom(wanted, { scopes: SCOPES, retailers: null });
  const team = { name, ...grants, createdAt: at.toISOString() };
  await insertTeam(session, team);
  return team;
}

/** In one order, each item once, so that equal grants look equal. */
function grantsFrom(wanted: WantedGrants, otherwise: Grants): Grants {
  const { scopes = otherwise.scopes, retailers = otherwise.retailers } = wanted;
  const unknown = scopes.find((scope) => !SCOPES.includes(scope as Scope));
  if (unknown !== undefined) {
    throw new UnknownScopeError(unknown);
  }
  return {
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    retailers: retailers === null ? null : [...new Set(retailers)].sort(),
  };
}
