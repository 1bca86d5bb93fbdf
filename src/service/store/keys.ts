import { createHash, randomBytes } from "node:crypto";
import { SCOPES, type Scope } from "../../contract/operations.ts";
import type { EmbeddedStore } from "./embedded.ts";
import { insertKey, markRevoked, readKeys } from "./key-records.ts";
import type { KeyRecord } from "./store.ts";

/** A scope that the contract does not know. */
export class UnknownScopeError extends Error {
  override readonly name = "UnknownScopeError";
  readonly scope: string;
  readonly valid: readonly string[] = SCOPES;

  constructor(scope: string) {
    super(`"${scope}" is not a scope: use ${SCOPES.join(" or ")}`);
    this.scope = scope;
  }
}

/** A key of this name exists already; a revoked key keeps its name. */
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

export interface NewKey {
  name: string;
  /** Default: `default`. */
  team?: string;
  /** Default: every scope. */
  scopes?: readonly string[];
  /** Retailers that the team can see; default: all. */
  retailers?: readonly string[];
}

/**
 * Creates a key and resolves to its secret: 32 random bytes as 43 characters of base64url (RFC 4648
 * section 5). Only a hash of it is kept, so that it can never be shown again.
 *
 * @throws UnknownScopeError, DuplicateKeyError
 */
export async function createKey(database: EmbeddedStore, key: NewKey, at: Date): Promise<string> {
  const secret = randomBytes(32).toString("base64url");
  const record: KeyRecord = {
    name: key.name,
    team: key.team ?? "default",
    scopes: knownScopes(key.scopes),
    retailers: key.retailers ?? null,
    createdAt: at.toISOString(),
    revokedAt: null,
  };
  await database.write(async (session) => {
    if ((await readKeys(session)).some(({ name }) => name === key.name)) {
      throw new DuplicateKeyError(key.name);
    }
    await insertKey(session, hashSecret(secret), record);
  });
  return secret;
}

/** Every key, revoked ones too, by name. Secrets are not kept. */
export async function listKeys(database: EmbeddedStore): Promise<KeyRecord[]> {
  return await database.read(readKeys);
}

/** Revokes a key at once. @throws UnknownKeyError */
export async function revokeKey(database: EmbeddedStore, name: string, at: Date): Promise<void> {
  await database.write(async (session) => {
    const known = (await readKeys(session)).map((key) => key.name);
    if (!known.includes(name)) {
      throw new UnknownKeyError(name, known);
    }
    await markRevoked(session, name, at.toISOString());
  });
}

/** SHA-256 of a secret in hexadecimal; a secret of 256 random bits needs no salt and no slow hash. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

function knownScopes(scopes: readonly string[] = SCOPES): Scope[] {
  return scopes.map((text) => {
    const scope = SCOPES.find((known) => known === text);
    if (scope === undefined) {
      throw new UnknownScopeError(text);
    }
    return scope;
  });
}
