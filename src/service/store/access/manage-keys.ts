import { createHash, randomBytes } from "node:crypto";
import type { EmbeddedStore } from "../embedded.ts";
import type { KeyRecord } from "../store.ts";
import { deleteKey, insertKey, markRevoked, readKeys } from "./key-records.ts";
import { teamWith, type WantedGrants } from "./manage-teams.ts";

/** A key of this name exists already in the team; a revoked key keeps its name. */
export class DuplicateKeyError extends Error {
  override readonly name = "DuplicateKeyError";
  readonly keyName: string;

  constructor(keyName: string) {
    super(`there is already a key named "${keyName}"`);
    this.keyName = keyName;
  }
}

/** No key has this name. */
export class UnknownKeyError extends Error {
  override readonly name = "UnknownKeyError";
  readonly keyName: string;
  readonly known: readonly string[];

  constructor(keyName: string, known: readonly string[]) {
    super(`there is no key named "${keyName}"`);
    this.keyName = keyName;
    this.known = known;
  }
}

/** Keys of several teams have this name. */
export class AmbiguousKeyError extends Error {
  override readonly name = "AmbiguousKeyError";

  constructor(keyName: string, teams: readonly string[]) {
    super(`the teams ${teams.join(", ")} each have a key named "${keyName}"; say which one with --team`);
  }
}

export interface NewKey extends WantedGrants {
  name: string;
  /** Default: `default`. It is made with the wanted grants where it is new. */
  team?: string;
}

/**
 * Creates a key and resolves to its secret: 32 random bytes as 43 characters of base64url (RFC 4648
 * section 5). Only a hash of it is kept, so that it can never be shown again.
 *
 * @throws UnknownScopeError, GrantConflictError, DuplicateKeyError
 */
export async function createKey(database: EmbeddedStore, key: NewKey, at: Date): Promise<string> {
  const secret = randomBytes(32).toString("base64url");
  await database.write(async (session) => {
    const team = await teamWith(session, key.team ?? "default", key, at);
    if ((await readKeys(session)).some(({ name, team: owner }) => name === key.name && owner === team.name)) {
      throw new DuplicateKeyError(key.name);
    }
    await insertKey(session, hashSecret(secret), { name: key.name, team: team.name, createdAt: at.toISOString() });
  });
  return secret;
}

/** Deletes a key whose secret was not delivered; its name is free again. */
export async function takeBackKey(database: EmbeddedStore, secret: string): Promise<void> {
  await database.write((session) => deleteKey(session, hashSecret(secret)));
}

/** Every key, revoked ones too, by name and team. Secrets are not kept. */
export async function listKeys(database: EmbeddedStore): Promise<KeyRecord[]> {
  return await database.read(readKeys);
}

/**
 * Revokes a key at once.
 *
 * @param team may be left out where one team alone has a key of this name
 * @throws UnknownKeyError, AmbiguousKeyError
 */
export async function revokeKey(database: EmbeddedStore, name: string, at: Date, team?: string): Promise<void> {
  await database.write(async (session) => {
    const keys = (await readKeys(session)).filter((key) => team === undefined || key.team === team);
    const [key, another] = keys.filter((candidate) => candidate.name === name);
    if (key === undefined) {
      throw new UnknownKeyError(
        name,
        keys.map((known) => known.name),
      );
    }
    if (another !== undefined) {
      const teams = keys.filter((candidate) => candidate.name === name).map((candidate) => candidate.team);
      throw new AmbiguousKeyError(name, teams);
    }
    await markRevoked(session, key.id, at.toISOString());
  });
}

/** SHA-256 of a secret in hexadecimal; a secret of 256 random bits needs no salt and no slow hash. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
