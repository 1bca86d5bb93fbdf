import { constants } from "node:zlib";
import compress, { type FastifyCompressOptions } from "@fastify/compress";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isVersion, VERSION_HEADER } from "../../../contract/data-version.ts";
import type { Meta } from "../../../contract/envelope.ts";
import { LIMITS } from "../../../contract/limits.ts";
import { OPERATIONS, type OperationName } from "../../../contract/operations.ts";
import { withinDeadline } from "../../store/query-deadline.ts";
import { authenticate, requireScope } from "../admission/auth.ts";
import { rateLimited, rateLimitHeaders } from "../admission/rate-limit.ts";
import { isLoopback } from "../admission/source-address.ts";
import { invalidCursor, openCursor, sealCursor, selectionDigest } from "../query/cursors.ts";
import { checkSlugs, readFilters, readLimit, readQuery } from "../query/read-query.ts";
import type { ServiceParts } from "../service-parts.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Team of the accepted key. */
    team?: string;
  }
}

/** Low levels shrink a page of 500 rows to a fifth; higher ones take twice as long to save another tenth. */
const COMPRESSION = {
  encodings: ["br", "gzip"],
  threshold: 1_400,
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
  zlibOptions: { level: 1 },
} satisfies FastifyCompressOptions;

/** Serves the three operations of contract section 4, in a scope of their own. */
export async function serveOperations(app: FastifyInstance, parts: ServiceParts): Promise<void> {
  const { settings, measurements } = parts;
  await app.register(compress, COMPRESSION);
  app.addHook("onRequest", async ({ ip, headers }) => {
    if (isLoopback(ip)) {
      // The plugin's way to leave a response as it is: the loopback interface is faster than compression.
      headers["x-no-compression"] = "";
    }
  });
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    app.route({
      // The route for HEAD that fastify adds to one for GET is never compressed, so that its length would be another.
      method: ["GET", "HEAD"],
      url: OPERATIONS[name].path,
      handler: async (request, reply) => {
        const envelope = await withinDeadline(settings.queryTimeout, (deadline) =>
          respond(name, parts, request, reply, deadline),
        );
        return reply.header("cache-control", "no-store").type("application/json").send(envelope);
      },
      onResponse: measurements.countResponses(name),
    });
  }
}

const NO_FILTERS = { retailer: null, category: null, department: null, rcd: null, start_date: null, end_date: null };

/** The pagination of operations without cursors. */
const UNCURSORED = { next_cursor: null, has_more: false } as const;

/** Returns the envelope of contract section 2.6 as JSON text in UTF-8, and sets its headers on `reply`. */
async function respond(
  name: OperationName,
  parts: ServiceParts,
  request: FastifyRequest,
  reply: FastifyReply,
  deadline: AbortSignal,
): Promise<Buffer> {
  const { store, settings, rateLimits, measurements } = parts;
  const operation = OPERATIONS[name];
  const { key, quota } = await authenticate(request, parts, rateLimits[operation.group], deadline);
  request.team = key.team;
  measurements.useKey(key.id);
  if (!quota.admitted) {
    throw rateLimited("The team has no requests left in this window.", quota);
  }
  reply.headers(rateLimitHeaders(quota));
  requireScope(key, operation.scope);

  const parameters = readQuery(request.url, operation.parameters);
  const filters = readFilters(parameters);
  const limit = readLimit(parameters);
  const cursor = parameters.get("cursor");
  const secret = name === "catalog" ? await store.cursorSecret(deadline) : Buffer.alloc(0);
  const position = cursor === undefined ? undefined : openCursor(cursor, secret, settings.now(), settings.cursorTtl);

  // A walk stays in its version: in another one, the same offset would silently skip or repeat rows.
  const asked = String(request.headers[VERSION_HEADER]);
  const wanted = position?.version ?? (isVersion(asked) ? Number(asked) : undefined);
  const newest = await store.snapshot(deadline);
  const isNewest = wanted === undefined || wanted === newest.version;
  const earlier = isNewest ? undefined : await store.snapshotAt(wanted, deadline);
  if (!isNewest && earlier === undefined && position !== undefined) {
    throw invalidCursor("The data was replaced after the cursor was issued.");
  }
  const snapshot = earlier ?? newest;
  reply.header(VERSION_HEADER, snapshot.version);

  // Within a walk, changed filters may name new slugs, and unchanged ones slugs that are gone (contract section 4.3 rule 3).
  const known = newest.combinations(key.retailers);
  checkSlugs(filters, earlier === undefined ? known : known.concat(earlier.combinations(key.retailers)));
  const selection = await snapshot.select(filters, key.retailers);
  const meta: Meta = {
    request_id: request.id,
    resolved: { ...NO_FILTERS, ...filters },
    coverage: selection.summary,
  };

  switch (name) {
    case "sample": {
      // The first rows alone would show only the smallest skus.
      return envelope(await selection.sample(LIMITS.sampleRows), { pagination: UNCURSORED, meta });
    }
    case "coverage":
      return envelope(await selection.coverageTexts(), { pagination: UNCURSORED, meta });
    case "catalog": {
      const total = selection.summary.matching_rows;
      const digest = selectionDigest(selection.key);
      // With changed filters, the last row belongs to another selection: the walk continues by its offset alone (rule 3).
      const after = position?.selection === digest ? position.after : undefined;
      const start = position?.offset ?? 0;
      const { count, bytes, last } = await store.page(selection, { offset: start, after }, limit, deadline);
      const issuedAt = settings.now();
      const next = { offset: start + count, version: snapshot.version, after: last, selection: digest, issuedAt };
      const hasMore = next.offset < total;
      const pagination = {
        limit,
        total_matching: total,
        next_cursor: hasMore ? sealCursor(next, secret) : null,
        has_more: hasMore,
      };
      return envelope(bytes, { pagination, meta });
    }
  }
}

const DATA = Buffer.from('{"data":[');

/** @param data the elements of `data` as JSON texts with commas between them, which are sent as they are stored */
function envelope(data: Buffer, rest: { pagination: object; meta: Meta }): Buffer {
  return Buffer.concat([DATA, data, Buffer.from(`],${JSON.stringify(rest).slice(1)}`)]);
}
