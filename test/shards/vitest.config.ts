import { defineConfig } from "vitest/config";
import base from "../../vitest.config.ts";

/** Those tests whose statements read or change rows. The other tables are on one server. */
const OF_ROWS = [
  "test/service/http/properties.test.ts",
  "test/service/http/routes/{catalog,coverage}.test.ts",
  "test/service/store/product-rows/{versions,snapshot}.test.ts",
];

/** The tests of rows on three PostgreSQL servers: `npm run test:shards`. */
export default defineConfig({
  plugins: base.plugins ?? [],
  test: {
    ...base.test,
    include: [...OF_ROWS, "test/shards/*.shards.ts"],
    globalSetup: ["test/helpers/build.ts", "test/shards/set-up.ts"],
  },
});
