import type { FastifyInstance, FastifyReply } from "fastify";
import { CHANGELOG } from "../../../contract/changelog.ts";
import { openApiDocument } from "../../../contract/openapi.ts";
import { PROBLEM_CODES, PROBLEMS } from "../../../contract/problems.ts";
import type { Html } from "../../../contract/values/html-tag.ts";
import { serveAssets } from "../../portal/assets.ts";
import { sendPage } from "../../portal/layout.ts";
import { changelogPage, errorsPage, homePage } from "../../portal/pages/public-pages.ts";
import { referencePage } from "../../portal/pages/reference-page.ts";
import { publicPath } from "../service-options.ts";
import type { ServiceParts } from "../service-parts.ts";
import { problemType } from "../service-problem.ts";

/** Serves the public pages and the JSON documents behind them. */
export function servePages(app: FastifyInstance, { settings, base, errorBase }: ServiceParts): void {
  const description = () => openApiDocument(settings.portal && `${base()}/portal`, publicPath(settings));
  const errors = () => ({
    errors: PROBLEM_CODES.map((code) => ({ code, type: problemType(errorBase(), code), ...PROBLEMS[code] })),
  });
  serveAssets(app);
  /** Serves a page that is rendered once, and whose text all requests share. */
  const servePage = (path: string, render: () => Html) => {
    let page: Html | undefined;
    app.get(path, async (_, reply) => {
      page ??= render();
      return sendPage(reply, page);
    });
  };
  servePage("/", () => homePage(base(), settings));
  servePage("/reference", () => referencePage(description(), base()));
  servePage("/changelog", changelogPage);
  app.get("/errors", async (request, reply) => {
    reply.header("vary", "Accept");
    const isJson = request.type(["text/html", "application/json"]) === "application/json";
    return isJson ? sendJson(reply, errors()) : sendPage(reply, errorsPage());
  });
  app.get("/changelog.json", async (_, reply) => sendJson(reply, { releases: CHANGELOG }));
  app.get("/openapi.json", async (_, reply) => sendJson(reply, description()));
  app.get("/errors.json", async (_, reply) => sendJson(reply, errors()));
}

function sendJson(reply: FastifyReply, document: object): FastifyReply {
  return reply.type("application/json").send(Buffer.from(JSON.stringify(document)));
}
