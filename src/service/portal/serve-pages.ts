import type { FastifyInstance } from "fastify";
import { CHANGELOG } from "../../contract/changelog.ts";
import { serveAssets } from "./assets.ts";
import { sendPage } from "./layout.ts";
import { changelogPage } from "./pages/changelog-page.ts";
import { homePage } from "./pages/home-page.ts";
import { referencePage } from "./pages/reference-page.ts";

interface PublicPages {
  /** Address of the service, without a final slash. */
  base: () => string;
  /** The OpenAPI document. */
  description: () => object;
  /** Prefixes of the paths of JSON documents. */
  prefixes: readonly string[];
}

/** Serves the public pages and the JSON documents behind them. */
export function servePages(app: FastifyInstance, { base, description, prefixes }: PublicPages): void {
  serveAssets(app);
  app.get("/", async (_, reply) => sendPage(reply, homePage(base())));
  app.get("/reference", async (_, reply) => sendPage(reply, referencePage(description(), base())));
  app.get("/changelog", async (_, reply) => sendPage(reply, changelogPage()));
  for (const prefix of prefixes) {
    app.get(`${prefix}/changelog.json`, async (_, reply) =>
      reply.type("application/json").send(Buffer.from(JSON.stringify({ releases: CHANGELOG }))),
    );
    app.get(`${prefix}/openapi.json`, async (_, reply) =>
      reply.type("application/json").send(Buffer.from(JSON.stringify(description()))),
    );
  }
}
