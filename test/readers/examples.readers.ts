import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { beforeAll, describe, expect, test } from "vitest";
import type { Context } from "../../src/cli/context.ts";
import { createProgram } from "../../src/commands/program.ts";
import type { Product } from "../../src/contract/product.ts";
import { addDays, dayOf } from "../../src/contract/values/day-arithmetic.ts";
import { CATALOG, temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { product } from "../helpers/products.ts";
import { startTestService, type TestService } from "../helpers/service.ts";

/** Values that stand for those of a reader, and the values of the rows here. */
const PLACEHOLDERS = {
  "SKU ": "B0CHX1W1XY ",
  "MODEL OR TITLE": "samsung a15",
  SLUG: "lamps",
  "--brand NAME": "--brand Brand",
};

const today = dayOf(Date.now());
/** Two products of each day up to yesterday, and on two days of spring; one falls by half on the last day. */
const ROWS: Product[] = [
  ...Array.from({ length: 40 }, (_, ago) => addDays(today, -1 - ago)),
  "2026-03-01",
  "2026-03-08",
].flatMap((crawl_date, ago) => [
  product({ crawl_date, sku: "B0CHX1W1XY", title: "Samsung A15 128GB", model_number: "SM-A155F" }),
  product({ crawl_date, sku: "N53437343A", selling_price: ago === 0 ? 7 : 15, currency: "EUR" }),
]);

/** Other programs of the examples. Each reads its input and ends with 0; `mail` says that it was called. */
const PROGRAMS = {
  mail: 'cat > /dev/null; echo "mail $*"',
  load: "",
  less: "cat",
  jq: "cat",
  duckdb: "",
  op: 'cat "$HOME/key.txt"',
};

const onEnd = afterAllTests();
let service: TestService;
let home: string;

beforeAll(async () => {
  service = await startTestService({ rows: ROWS, rateLimit: 100_000, sampleRateLimit: 1_000, onEnd });
  home = await temporaryFolder(onEnd);
  const bin = join(home, "bin");
  await mkdir(bin);
  await symlink(CATALOG, join(bin, "catalog"));
  await Promise.all(
    Object.entries(PROGRAMS).map(async ([name, script]) => {
      await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
      await chmod(join(bin, name), 0o755);
    }),
  );
  await mkdir(join(home, ".config", "fish", "completions"), { recursive: true });
  await writeFile(join(home, "key.txt"), service.key);
  await writeFile(join(home, "cheapest.sql"), "from rows order by selling_price limit 1");
  await writeFile(join(home, "basket.csv"), "sku\nB0CHX1W1XY\n");
  await writeFile(join(home, "watch.csv"), "sku,target_price\nB0CHX1W1XY,1\n");
  await writeFile(join(home, "list.csv"), "sku,target_price\nB0CHX1W1XY,1\n");
  await writeFile(join(home, "rates.csv"), "currency,rate\nUSD,0.9\n");
  const again = product({ retailer: "nordwind", crawl_date: "2026-01-31" });
  const csv = [Object.keys(again), Object.values(again)].map((values) => values.map((value) => value ?? "").join(","));
  await writeFile(join(home, "crawled-again.csv"), `${csv.join("\n")}\n`);
  // What a reader has made before.
  await shell(
    "catalog sync rows && catalog export -o rows.csv.gz --manifest && catalog export -o rows.ndjson --manifest && " +
      "catalog export -o rows.ndjson.gz && catalog auth login --profile staging < key.txt",
  );
});

/** Runs a line as a person would, and ends a service as soon as it listens. */
async function shell(line: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const setUp = 'set -o pipefail; fpath=(fpath "$HOME")';
  const child = spawn("bash", ["-c", `${setUp}\n${line}`], {
    cwd: home,
    env: {
      PATH: `${join(home, "bin")}:${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: home,
      CATALOG_BASE_URL: service.url,
      CATALOG_API_KEY: service.key,
    },
  });
  // Most lines end without reading it.
  child.stdin.on("error", () => undefined).end(service.key);
  child.stdout.on("data", (chunk) => {
    if (String(chunk).startsWith("listening on ")) {
      child.kill("SIGTERM");
    }
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
}

/** The examples of a command and of those below it, each once. */
function examplesOf(command: CommandUnknownOpts): string[] {
  let help = "";
  command.configureOutput({ writeOut: (more) => (help += more) }).outputHelp();
  const own = [...help.matchAll(/^ +\$ (.*)$/gm)].map(([, line = ""]) => line);
  return [...new Set([...own, ...command.commands.flatMap(examplesOf)])];
}

const folders = { config: "/nonexistent", data: "/nonexistent", cache: "/nonexistent" };
const context = { stdout: { columns: 200 }, env: {}, folders } as unknown as Context;
const program = await createProgram(
  context,
  () => true,
  () => undefined,
);

describe("an example of the help works as it is printed", () => {
  test.each(examplesOf(program))("%s", async (example) => {
    const line = Object.entries(PLACEHOLDERS)
      .reduce((written, [name, value]) => written.replace(name, value), example)
      .replaceAll("https://api.example.com", example.includes("login") ? service.url : "https://api.example.com")
      // The usual port may be taken.
      .replace(/^(catalog service start)(?!.*--port)/, "exec $1 --port 0")
      // A shell, which opens on a terminal only.
      .replace(/^catalog sql rows$/, "echo .quit | script -qec '$&' /dev/null");

    if (/ teams (?!create).* sales/.test(line)) {
      // The examples of deleting a team come before others that name it.
      await shell("catalog service teams create sales");
    }
    const { code, stderr } = await shell(line);

    // One product fell; the line that sends a mail goes on.
    const hasFallen = line.includes("--fail-if 'percent");
    expect({ code, matches: stderr.match(/^error: .*/gm) ?? [] }).toEqual({
      code: hasFallen && !line.includes("mail") ? 8 : 0,
      matches: hasFallen ? [expect.stringContaining("1 product fell more than 20 %")] : [],
    });
  });
});

describe("the alert of the help", () => {
  const alert = examplesOf(program).find((line) => line.includes("| mail ")) ?? "";

  test("sends a mail if a price has fallen", async () => {
    expect(await shell(alert)).toMatchObject({ code: 0, stdout: "mail -s prices fell ada\n" });
  });

  test.each([
    ["if no price has fallen", alert.replace("-20", "-80")],
    ["if the folder cannot be read", alert.replace(" rows ", " missing ")],
  ])("sends no mail %s", async (_, line) => {
    const { stdout } = await shell(line);
    expect({ isAlert: line === alert, stdout }).toEqual({ isAlert: false, stdout: "" });
  });
});
