import { defineConfig } from "vitest/config";
import base from "../../vitest.config.ts";

/** Runs with faults that a seed chooses: `npm run test:faults`. */
export default defineConfig({
  plugins: base.plugins ?? [],
  test: { ...base.test, include: ["test/faults/**/*.faults.ts"], maxWorkers: 2 },
});
