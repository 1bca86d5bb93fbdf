import { defineConfig } from "vitest/config";
import base from "../../vitest.config.ts";

/** What a file alone can be: damaged, copied, migrated, read-only. Its tests say nothing about PostgreSQL. */
const OF_FILES = [
  "test/service/http/read-only.test.ts",
  "test/service/http/connections.test.ts",
  "test/service/demo/**",
  "test/service/load/read-*.test.ts",
  "test/service/store/store.test.ts",
  "test/service/store/database/migrations.test.ts",
];

/** What needs a table of rows that is divided. */
const OF_PARTITIONS = process.env.CATALOG_TEST_PARTITIONS === undefined ? ["test/postgres/partitions.postgres.ts"] : [];

/** The tests of the service on PostgreSQL: `npm run test:postgres`. */
export default defineConfig({
  plugins: base.plugins ?? [],
  test: {
    ...base.test,
    include: ["test/service/**/*.test.ts", "test/postgres/*.postgres.ts"],
    exclude: [...OF_FILES, ...OF_PARTITIONS],
  },
});
