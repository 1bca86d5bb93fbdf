import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { CATALOG, runCatalog, temporaryFolder } from "../helpers/cli.ts";
import { product } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

/** Starts a shell in a pseudo-terminal, types a line once it is ready, and tells what it showed. */
const TYPIST = `
import json, os, pty, sys
command, typed = json.loads(sys.argv[1]), json.loads(sys.argv[2]).encode()
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
shown = b""
waiting = True
while b"[got " not in shown.split(b"READY", 1)[-1] or b" got]" not in shown:
    try:
        chunk = os.read(terminal, 4096)
    except OSError:
        break
    if not chunk:
        break
    shown += chunk
    if b"\\x1b[c" in chunk:
        os.write(terminal, b"\\x1b[?1;2c")
    if waiting and b"READY" in shown:
        waiting = False
        os.write(terminal, typed)
os.close(terminal)
# As it ends, the shell writes its history into the folder of the test.
os.waitpid(pid, 0)
print(json.dumps(shown.decode(errors="replace")))
`;

/** Says what the tool was called with; what the completion asks it goes to the tool itself. */
const STAND_IN = `#!/bin/sh
if [ "$1" = __complete ]; then exec "${process.execPath}" "${CATALOG}" "$@"; fi
printf '[%s' 'got '; printf '%s|' "$@"; printf '%s\\n' ' got]'
`;

const SHELLS = {
  bash: {
    command: ["bash", "--noprofile", "--rcfile", "rc", "-i"],
    rc: "PS1='READY '\nsource ./script\n",
  },
  zsh: {
    command: ["zsh", "-d", "-i"],
    rc: "PS1='READY '\nautoload -U compinit\ncompinit -u -D\nsource ./script\n",
  },
  fish: {
    command: ["fish", "--no-config", "--init-command", "source ./rc", "-i"],
    rc: "source ./script\nfunction fish_prompt; printf 'READY '; end\nset -g fish_greeting\n",
  },
} as const;

/** The arguments that the tool gets when `line` is typed into a shell, its tabs included. */
async function typedInto(shell: keyof typeof SHELLS, line: string): Promise<string[]> {
  const { url, key } = await startTestService({
    rows: [
      product({ sku: "1", retailer: "nordwind", category: "lamps", department: "home" }),
      product({ sku: "2", retailer: "casa-luz", category: "chairs", department: "garden" }),
    ],
  });
  const folder = await temporaryFolder();
  const catalog = join(folder, "bin", "catalog");
  await mkdir(dirname(catalog));
  await writeFile(catalog, STAND_IN, { mode: 0o755 });
  await writeFile(join(folder, "rows-of-mine.csv"), "");
  const service = { CATALOG_BASE_URL: url, CATALOG_API_KEY: key, XDG_CACHE_HOME: folder };
  await runCatalog(["coverage"], { env: service });
  const { command, rc } = SHELLS[shell];
  await writeFile(join(folder, "script"), (await runCatalog(["completion", shell])).stdout);
  await writeFile(join(folder, "rc"), rc);
  await symlink("rc", join(folder, ".zshrc"));
  const path = `${dirname(catalog)}${delimiter}${process.env.PATH}`;
  const env = { ...service, PATH: path, HOME: folder, ZDOTDIR: folder, TERM: "xterm", LC_ALL: "C.UTF-8" };
  const typist = ["-c", TYPIST, JSON.stringify(command), JSON.stringify(`${line}\r`)];
  const { stdout } = await promisify(execFile)("python3", typist, { env, cwd: folder, timeout: 30_000 });
  const shown = JSON.parse(stdout) as string;
  return /\[got (.*)\| got\]/.exec(shown)?.[1]?.split("|") ?? [shown];
}

describe.each(Object.keys(SHELLS) as (keyof typeof SHELLS)[])("in %s, the tabulator completes", (shell) => {
  test.each([
    ["commands and flags", "catalog sam\t--retr\t7", ["sample", "--retries", "7"]],
    ["a value behind =", "catalog export --format=par\t", ["export", "--format=parquet"]],
    ["a slug", "catalog export --retailer nor\t", ["export", "--retailer", "nordwind"]],
    ["a triple, colons and all", "catalog export --rcd casa-luz:ch\t", ["export", "--rcd", "casa-luz:chairs:garden"]],
    ["a word in double quotes", 'catalog export --retailer "nor\t', ["export", "--retailer", "nordwind"]],
    ["a word in single quotes", "catalog export --retailer 'nor\t", ["export", "--retailer", "nordwind"]],
    ["a quoted triple", 'catalog export --rcd "casa-luz:ch\t', ["export", "--rcd", "casa-luz:chairs:garden"]],
    ["a quoted value behind =", 'catalog export --format="par\t', ["export", "--format=parquet"]],
    [
      "a quoted word before it",
      'catalog export --retailer "nordwind" --cat\tla\t',
      ["export", "--retailer", "nordwind", "--category", "lamps"],
    ],
    ["a quoted file", 'catalog verify "rows-of\t', ["verify", "rows-of-mine.csv"]],
    ["a basket", "catalog index rows-of\t", ["index", "rows-of-mine.csv"]],
    ["a file", "catalog verify rows-of\t", ["verify", "rows-of-mine.csv"]],
  ])("%s", async (_, line, expected) => {
    expect(await typedInto(shell, line)).toEqual(expected);
  });
});

test.each(["bash", "zsh", "fish"] as const)(
  "%s completes a list of columns without a space before the comma",
  async (shell) => {
    expect(await typedInto(shell, "catalog sample --columns sel\t,ti\t,sk\t")).toEqual([
      "sample",
      "--columns",
      "selling_price,title,sku",
    ]);
  },
);

test("zsh without a configuration can load the script", async () => {
  const script = join(await temporaryFolder(), "script");
  await writeFile(script, (await runCatalog(["completion", "zsh"])).stdout);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: zsh expands it.
  const line = 'source "$1" && printf %s "${_comps[catalog]}"';
  const { stdout, stderr } = await promisify(execFile)("zsh", ["-f", "-c", line, "zsh", script]);
  expect({ stdout, stderr }).toEqual({ stdout: "_catalog", stderr: "" });
});
