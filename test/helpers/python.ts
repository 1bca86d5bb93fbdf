import { execFile, spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

/** Where `.ci/run` installs the programs that read the tool's files. */
export const READERS_FOLDER = join(import.meta.dirname, "..", "..", "coverage", "readers");

const env = { ...process.env, PYTHONPATH: join(READERS_FOLDER, "python") };

/** Whether Python has these modules, separated by commas. */
export function canImport(modules: string): boolean {
  const { status, stderr } = spawnSync("python3", ["-c", `import ${modules}`], { env, encoding: "utf8" });
  if (status !== 0 && !stderr.includes("ModuleNotFoundError")) {
    throw new Error(`python3 cannot say whether it has ${modules}: ${stderr}`);
  }
  return status === 0;
}

/** What a Python program with these arguments prints. */
export async function runPython(args: readonly string[], cwd?: string): Promise<string> {
  return (await promisify(execFile)("python3", args, { env, cwd, maxBuffer: 2 ** 30 })).stdout;
}

/** Starts a Python program that answers each line of its input with a line. */
export function startPython(args: readonly string[], cwd: string) {
  const program = spawn("python3", args, { env, cwd, stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface(program.stdout)[Symbol.asyncIterator]();
  return {
    ask: async (line: string): Promise<string> => {
      program.stdin.write(`${line}\n`);
      const { done, value } = await answers.next();
      if (done) {
        throw new Error(`${args.join(" ")} ended; its errors are on stderr`);
      }
      return value;
    },
    stop: () => void program.kill(),
  };
}
