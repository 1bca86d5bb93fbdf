import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, open, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { CATALOG } from "./cli.ts";
import type { OnEnd } from "./endings.ts";

const TERMINAL = pathToFileURL(join(import.meta.dirname, "reader-terminal.mjs")).href;

/** The service and the generated rows that the console blocks of all pages use. */
export type Surroundings = Pick<Shell, "env">;

/**
 * Starts a service with the demo's rows, on which commands without `--demo` run, with a key of it.
 *
 * @param folder keeps the rows of the service and of `--demo`
 */
export async function startSurroundings(folder: string, onEnd: OnEnd): Promise<Surroundings> {
  const bin = join(folder, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "catalog"), `#!/bin/sh\nexec "${process.execPath}" "${CATALOG}" "$@"\n`);
  await chmod(join(bin, "catalog"), 0o755);
  const cwd = join(folder, "service");
  await mkdir(cwd);
  const env = {
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    HOME: folder,
    XDG_CACHE_HOME: join(folder, "cache"),
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    PAGER: "cat",
    NODE_OPTIONS: `--import=${TERMINAL}`,
  };
  const shell: Shell = { cwd, env, background: [] };
  onEnd(() => endAll(shell));
  const database = "--database service.db";
  await outputOf(
    `catalog export --demo -o demo.ndjson -q && catalog service load demo.ndjson ${database} &&
      catalog service keys create page ${database} --output key`,
    shell,
  );
  const ready = await outputOf(`catalog service start --port 0 --rate-limit 100000 ${database} &`, shell);
  const CATALOG_BASE_URL = /http:\S+/.exec(ready)?.[0] ?? "";
  return { env: { ...env, CATALOG_BASE_URL, CATALOG_API_KEY_FILE: join(cwd, "key") } };
}

/**
 * Runs the commands of a page's console blocks, one after the other in one folder, by a shell that finds `catalog`.
 *
 * A command that ends with `&` goes on until the page ends.
 *
 * @returns the page with the output that each command printed; where only ids and durations differ, as it was
 */
export async function withRealOutput(page: string, folder: string, { env }: Surroundings): Promise<string> {
  const cwd = join(folder, "work");
  await mkdir(cwd);
  const shell: Shell = { cwd, env: { ...env, HOME: folder }, background: [] };
  try {
    const parts = page.split(/(?<=^```console\n)([\s\S]*?)(?=^```$)/m);
    const run: string[] = [];
    for (const [index, part] of parts.entries()) {
      run.push(index % 2 === 1 ? await blockAsRun(part, shell) : part);
    }
    return run.join("");
  } finally {
    await endAll(shell);
  }
}

/** Ends the commands that go on. */
async function endAll({ background }: Shell): Promise<void> {
  for (const child of background) {
    const closed = once(child, "close");
    // One that has ended emits no more events.
    if (child.kill()) {
      await closed;
    }
  }
}

interface Shell {
  cwd: string;
  env: Record<string, string>;
  /** Commands that go on. */
  background: ChildProcess[];
}

async function blockAsRun(block: string, shell: Shell): Promise<string> {
  const steps = block.split(/^(?=\$ )/m);
  const run: string[] = [];
  for (const step of steps) {
    const command = /^\$ (?:.*\\\n)*.*\n/.exec(step)?.[0];
    if (command === undefined) {
      throw new Error(`a console block begins with a command, not with ${JSON.stringify(step.slice(0, 40))}`);
    }
    const shown = step.slice(command.length);
    const output = await outputOf(command.slice(2).trimEnd(), shell);
    const gap = /\n*$/.exec(shown)?.[0] ?? "";
    const isSame = settled(output) === settled(shown.trimEnd());
    run.push(command, isSame ? shown : output === "" ? "" : `${output}${gap || "\n"}`);
  }
  return run.join("");
}

/** What a command prints, with its exit code if that is not 0. The lines of CSV end as those of the page. */
async function outputOf(command: string, { cwd, env, background }: Shell): Promise<string> {
  const transcript = join(cwd, `../transcript-${background.length}.txt`);
  const file = await open(transcript, "w");
  const isBackground = command.endsWith("&");
  const line = isBackground ? `exec ${command.slice(0, -1)}` : command;
  const child = spawn("/bin/sh", ["-c", line], { cwd, env, stdio: ["ignore", file.fd, file.fd] });
  const closed = once(child, "close");
  if (isBackground) {
    background.push(child);
    // A service says when it is ready.
    while ((await readFile(transcript, "utf8")) === "" && child.exitCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  const [code] = isBackground ? [0] : await closed;
  await file.close();
  const text = (await readFile(transcript, "utf8")).replaceAll("\r\n", "\n").trimEnd();
  return code === 0 ? text : `${text}\n(exit code ${code})`;
}

/** A text without what differs from run to run. */
function settled(text: string): string {
  return text
    .replace(/\breq_[\w-]+/g, "req_")
    .replace(/\b\d+(\.\d+)? (ms|s)\b/g, "0 s")
    .replace(/[ \t]+$/gm, "");
}
