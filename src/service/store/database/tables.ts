import {
  DummyDriver,
  type Generated,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from "kysely";

/** The tables of records, as queries read and write them. `schema/*.sql` declares them, and those of the rows. */
interface RecordTables {
  secret: { cursor: Buffer };
  team: { name: string; scopes: string; retailers: string | null; created_at: string };
  api_key: {
    id: Generated<number>;
    team: string;
    name: string;
    hash: string;
    created_at: string;
    last_used_at: string | null;
    revoked_at: string | null;
  };
  member: { email: string; team: string; added_at: string };
  sign_in: { hash: string; email: string; code_hash: string; tries: number; expires_at: string };
  portal_session: { hash: string; email: string; created_at: string; seen_at: string };
  day_count: { date: string; operation: string; requests: number; failures: number };
  incident: {
    id: Generated<number>;
    title: string;
    suite: string;
    severity: string;
    started_at: string;
    resolved_at: string | null;
  };
  incident_update: { id: Generated<number>; incident: number; state: string; body: string; posted_at: string };
}

/** Builds queries of records, which `Session.run` runs. Both engines understand the words of PostgreSQL in them. */
export const db = new Kysely<RecordTables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (unused) => new PostgresIntrospector(unused),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});
