import { defineConfig } from "vitest/config";
import base from "../../vitest.config.ts";

/** Tests that need another program than Node.js to read what was written. */
export default defineConfig({
  plugins: base.plugins ?? [],
  test: { ...base.test, include: ["test/readers/**/*.readers.ts"] },
});
