import { createRedact } from "../client/redaction.ts";
import { knownKeys } from "../config/credentials.ts";
import { UsageError } from "../contract/errors.ts";
import { API_KEY_LENGTH } from "../contract/limits.ts";
import type { Context, ProcessContext } from "./context.ts";

/** What may be a key; a slug or a SKU of this length has letters of one case only. */
const KEY_SHAPE = new RegExp(
  `(?<![\\w-])-{0,2}(?=[\\w-]*[a-z])(?=[\\w-]*[A-Z])([\\w-]{${API_KEY_LENGTH}})(?![\\w-])`,
  "g",
);

/**
 * The context of a command, whose texts for people never hold a secret: the keys that the command gets, and what looks
 * like one on the command line.
 */
export function hideSecrets(argv: readonly string[], context: ProcessContext): Context {
  const secrets = new Set(argv.flatMap((argument) => [...argument.matchAll(KEY_SHAPE)].map(([, key = ""]) => key)));
  let redact = createRedact(...secrets);
  const protect = (secret: string) => {
    secrets.add(secret);
    redact = createRedact(...secrets);
    // A command of `auth` may be a command line that prints the key.
    if (!argv.includes("auth") && argv.some((argument) => createRedact(secret)(argument) !== argument)) {
      throw new UsageError(
        "the command line holds the API key. Other users of this machine can see it there, and it would be part of requests, logs and files; nothing was sent.",
      );
    }
  };
  const writeRaw = context.stderr.write.bind(context.stderr);
  let write: unknown = (chunk: unknown, ...rest: []) => writeRaw(redact(chunk) as string, ...rest);
  const hidden: Pick<Context, "stderr" | "print" | "protect" | "redact"> = {
    stderr: new Proxy(context.stderr, {
      get: (stream, name) => {
        if (name === "write") {
          return write;
        }
        const member: unknown = Reflect.get(stream, name, stream);
        return typeof member === "function" ? member.bind(stream) : member;
      },
      // The spinner puts its own function there, which calls the one that it found.
      set: (stream, name, value) => {
        if (name === "write") {
          write = value;
          return true;
        }
        return Reflect.set(stream, name, value, stream);
      },
    }),
    print: (text) => context.print(redact(text)),
    protect,
    redact: (value) => redact(value),
  };
  // Not a spread, which would open stdin.
  return Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(context),
    ...Object.getOwnPropertyDescriptors(hidden),
  }) as Context;
}

/**
 * Makes the keys secrets that can be known without running anything. Files are read only if something on the command line
 * looks like a key.
 *
 * @throws UsageError if the command line holds one of them
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
