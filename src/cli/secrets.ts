import { createRedact } from "../client/redaction.ts";
import { knownKeys } from "../config/credentials.ts";
import { UsageError } from "../contract/errors.ts";
import { API_KEY_LENGTH } from "../contract/limits.ts";
import type { Context, ProcessContext } from "./context.ts";
import { asciiText, isAsciiTerminal } from "./terminal/ascii.ts";

/** Matches strings shaped like API keys. A match needs small and capital letters: slugs and SKUs of that length have only one of them. */
const KEY_SHAPE = new RegExp(
  `(?<![\\w-])-{0,2}(?=[\\w-]*[a-z])(?=[\\w-]*[A-Z])([\\w-]{${API_KEY_LENGTH}})(?![\\w-])`,
  "g",
);

/**
 * Completes the context of a command, so that nothing it prints contains strings of the command line that look like keys, or
 * secrets that the command passes to `protect`.
 */
export function hideSecrets(argv: readonly string[], context: ProcessContext): Context {
  const { stderr, print, env } = context;
  const secrets = new Set(argv.flatMap((argument) => [...argument.matchAll(KEY_SHAPE)].map(([, key = ""]) => key)));
  let redact = createRedact(...secrets);
  const protect = (secret: string) => {
    secrets.add(secret);
    redact = createRedact(...secrets);
    // The --api-key-command of `auth login` may contain the key.
    const isLogin = argv.some((word, at) => word === "auth" && argv[at + 1] === "login");
    if (!isLogin && argv.some((argument) => createRedact(secret)(argument) !== argument)) {
      throw new UsageError(
        "the command line contains the API key. Other users of this machine can see it there, and it would end up in requests, logs and files; nothing was sent.",
      );
    }
  };
  // Assigned to the same object, because copying it would open stdin.
  return Object.assign(context, {
    argv,
    protect,
    redact: <T>(value: T) => redact(value),
    print: (text: string) => print(redact(text)),
    printError: (text: string) =>
      void stderr.write(isAsciiTerminal(stderr, env) ? asciiText(redact(text)) : redact(text)),
  });
}

/**
 * Protects the keys that can be found without running a command. Key files are only read if something on the command line
 * looks like a key.
 *
 * @throws UsageError if the command line contains one of them
 */
export async function protectKnownKeys(argv: readonly string[], context: Context): Promise<void> {
  const { CATALOG_API_KEY: key } = context.env;
  const isSuspicious = argv.some((argument) => argument.search(KEY_SHAPE) !== -1);
  for (const secret of isSuspicious ? await knownKeys(context) : [key]) {
    if (secret?.trim()) {
      context.protect(secret.trim());
    }
  }
}
