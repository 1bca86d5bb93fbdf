import { createHash, randomBytes } from "node:crypto";
import type { Store } from "../store.ts";
import { type Grants, type KeyRecord, RefusedChangeError, unknownName } from "../store-types.ts";
import { requireTeam, teamWith } from "./manage-teams.ts";
import { insertKey, readKeys } from "./team-records.ts";

export interface NewKey extends Partial<Grants> {
  name: string;
  /** Default: `default`. A team that does not exist is created if the key has grants, with these. */
  team?: string;
}

/** 32 random bytes as 43 characters of base64url (RFC 4648 section 5). */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * Creates a key and resolves to its secret, of which only a hash is stored.
 * @throws RefusedChangeError for a name that a key of the team has, for other grants than the team has, and for a named team that
 * does not exist (any more) if the key has no grants: the new team would get all rights without anyone having chosen them
 */
export async function createKey(database: Store, key: NewKey, at: Date): Promise<string> {
  const secret = newSecret();
  await database.write(async (session) => {
    const { team: name = "default", scopes, retailers } = key;
    const isKnown = key.team !== undefined && scopes === undefined && retailers === undefined;
    const team = isKnown ? await requireTeam(session, name) : await teamWith(session, name, key, at);
    const [taken] = await readKeys(session, { team: team.name, name: key.name });
    if (taken !== undefined) {
      const state = taken.revoked_at === null ? "" : "revoked ";
      throw new RefusedChangeError(`there is already a ${state}key named "${key.name}"`);
    }
    await insertKey(session, hashSecret(secret), { name: key.name, team: team.name, created_at: at.toISOString() });
  });
  return secret;
}

/** Deletes a key whose secret was not delivered, also after the signal of the store. Its name can be used again. */
export async function takeBackKey(database: Store, secret: string): Promise<void> {
  const byHash = "DELETE FROM api_key WHERE hash = ?";
  await database.write((session) => session.query(byHash, [hashSecret(secret)]), new AbortController().signal);
}

/** The keys of a team, or all keys, including revoked ones, sorted by name and team. */
export async function listKeys(database: Store, team?: string): Promise<KeyRecord[]> {
  return await database.read((session) => readKeys(session, { team }));
}

/**
 * Revokes a key at once and keeps the time of an earlier revocation. @param team optional if the name is unique
 * @throws RefusedChangeError for an unknown team, and if no team or several teams have a key of this name
 */
export async function revokeKey(database: Store, name: string, at: Date, team?: string): Promise<void> {
  await database.write(async (session) => {
    if (team !== undefined) {
      await requireTeam(session, team);
    }
    const named = await readKeys(session, { team, name });
    const [key] = named;
    if (key === undefined) {
      throw unknownName(`there is no key named "${name}"`, await readKeys(session, { team }));
    }
    if (named.length > 1) {
      const teams = named.map((candidate) => candidate.team).join(", ");
      throw new RefusedChangeError(`the teams ${teams} each have a key named "${name}"; add --team`);
    }
    const revoke = "UPDATE api_key SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL";
    await session.query(revoke, [at.toISOString(), key.id]);
  });
}

/** SHA-256 of a secret, hexadecimal. A secret of 256 random bits needs no salt and no slow hash. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
