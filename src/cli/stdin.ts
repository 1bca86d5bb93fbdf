import type { Context } from "../context.ts";

/** The bytes of standard input. When `signal` is aborted, the wait for them ends at once. @throws the reason of `signal` */
export async function* readStdin({ stdin }: Pick<Context, "stdin">, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  const stop = () => void stdin.destroy(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    yield* stdin;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
