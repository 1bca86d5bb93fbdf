import type { WritableStore } from "../store/writable-store.ts";
import { createApp } from "./app.ts";
import type { ServiceOptions } from "./service-options.ts";

export interface StartOptions extends ServiceOptions {
  store: WritableStore;
  /** Address to listen on. Default: 127.0.0.1. */
  host?: string;
  /** Port to listen on, 0 for a free one. */
  port: number;
}

/** Starts the service at `url`. Closing it, or failing to listen, also closes the store. */
export async function startService(options: StartOptions) {
  const { store, host = "127.0.0.1", port, ...service } = options;
  const app = createApp(store, service);
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    await store.close();
    throw error;
  }
  let closed: Promise<void> | undefined;
  return {
    url: app.listeningOrigin,
    /** Stops listening, finishes the requests in progress, writes the counts and closes the store. */
    close: (): Promise<void> => {
      closed ??= app.close().then(() => store.close());
      return closed;
    },
  };
}
