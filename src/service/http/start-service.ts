import { type EmbeddedStore, openStore } from "../store/embedded.ts";
import { createApp, urlOf } from "./app.ts";
import type { ServiceOptions } from "./service-options.ts";

export type StartOptions = ListenOptions & ({ store: EmbeddedStore } | { database: string });

interface ListenOptions extends ServiceOptions {
  /** Address to listen on; 127.0.0.1 when absent. */
  host?: string;
  /** Port to listen on, 0 for a free one; 8787 when absent. */
  port?: number;
}

/** A service that answers at `url` until it is closed. */
export interface RunningService {
  url: string;
  /** Stops accepting, answers the requests under way, writes the counts and closes the store. */
  close(): Promise<void>;
}

/** Starts the service on a store, or on the database at a location; it is closed with the service, or when it cannot listen. */
export async function startService(options: StartOptions): Promise<RunningService> {
  const { host = "127.0.0.1", port = 8787, ...service } = options;
  const store = "store" in options ? options.store : await openStore(options.database);
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
    url: urlOf(app),
    close: () => {
      closed ??= app.close().then(() => store.close());
      return closed;
    },
  };
}
