import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { TARGETS } from "../fuzz/targets.ts";

test.each([
  ["scripts/fuzz.mjs", ["nope"], 2, Object.keys(TARGETS)],
  ["bench/run.mjs", ["--help"], 0, ["start-up", "service-pages", "prices"]],
])("%s %j says what there is", (script, args, code, names) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: "utf8" });
  const said = stdout + stderr;
  expect({ status, names: names.filter((name) => !said.includes(name)) }).toEqual({ status: code, names: [] });
});
