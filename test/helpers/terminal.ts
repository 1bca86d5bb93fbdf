import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { bareEnvironment, CATALOG, type RunOptions } from "./cli.ts";

export interface TerminalOptions extends Omit<RunOptions, "stdin"> {
  columns?: number;
  rows?: number;
  /** A shell command that reads the tool's stdout, in the same terminal. */
  pipedTo?: string;
  /** The input of a person. Each part is typed when the terminal shows the text that it answers. */
  typed?: readonly { after: string; text: string }[];
}

export interface TerminalResult {
  code: number;
  /** Everything that was sent to the terminal, with control sequences. */
  output: string;
  /** Whether the terminal is in the mode that a shell expects: input is shown and read by lines. */
  isRestored: boolean;
}

/** Ctrl-C and Ctrl-D, as a keyboard sends them. */
export const CTRL_C = "\x03";
export const CTRL_D = "\x04";

/** The usual size of a terminal. */
export const SIZE = { columns: 100, rows: 30 };

/** Python, because Node.js has no pseudo-terminals. */
const DRIVER = `
import fcntl, json, os, pty, struct, sys, termios
job = json.load(sys.stdin)
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", job["rows"], job["columns"], 0, 0))
    os.execvpe(job["command"][0], job["command"], job["env"])
shown, answered = b"", 0
while True:
    try:
        chunk = os.read(terminal, 65536)
    except OSError:
        break
    if not chunk:
        break
    shown += chunk
    while job["typed"]:
        after = job["typed"][0]["after"].encode()
        found = shown.find(after, answered)
        if found < 0:
            break
        answered = found + len(after)
        os.write(terminal, job["typed"].pop(0)["text"].encode())
modes = termios.tcgetattr(terminal)[3]
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
restored = bool(modes & termios.ECHO and modes & termios.ICANON and modes & termios.ISIG)
json.dump({"code": code, "output": shown.decode(), "isRestored": restored, "untyped": job["typed"]}, sys.stdout)
`;

/** Runs the built tool to its end in a pseudo-terminal, without the user's configuration. */
export async function runInTerminal(
  args: readonly string[],
  { env = {}, cwd, columns = SIZE.columns, rows = SIZE.rows, pipedTo, typed = [] }: TerminalOptions = {},
): Promise<TerminalResult> {
  const running = promisify(execFile)("python3", ["-c", DRIVER], {
    ...(cwd === undefined ? {} : { cwd }),
    timeout: 50_000,
    maxBuffer: 16 * 1024 * 1024,
  });
  const command = [process.execPath, CATALOG, ...args];
  const job = {
    command: pipedTo === undefined ? command : ["/bin/sh", "-c", `"$0" "$@" | ${pipedTo}`, ...command],
    env: { ...bareEnvironment(), TERM: "xterm-256color", ...env },
    columns,
    rows,
    typed,
  };
  running.child.stdin?.end(JSON.stringify(job));
  const { stdout } = await running;
  const { untyped, ...result } = JSON.parse(stdout) as TerminalResult & { untyped: { after: string }[] };
  if (untyped.length > 0) {
    throw new Error(`${JSON.stringify(untyped[0]?.after)} was never shown:\n${result.output}`);
  }
  return result;
}
