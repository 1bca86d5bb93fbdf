import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { request as ask, type Dispatcher } from "undici";
import { onTestFinished } from "vitest";
import { PROBLEMS } from "../../src/contract/problems.ts";
import { problemBody } from "../helpers/envelopes.ts";

export const FAULTS = [
  "reset",
  "cut",
  "stall",
  "internal_error",
  "service_unavailable",
  "rate_limited",
  "invalid_cursor",
] as const;
type Fault = (typeof FAULTS)[number];

export interface FaultProxy {
  url: string;
  /** How often each fault was met. */
  met: Partial<Record<Fault, number>>;
  /** Pages that were answered, fault or not. */
  pages: () => number;
}

interface ProxyOptions {
  seed?: number;
  /** Share of the requests that meet a fault, 0 to 1. */
  share?: number;
  /** Called for each request, which is answered once it has returned. */
  onRequest?: (target: string) => void | Promise<void>;
}

/**
 * Stands between a client and a service. Which request meets which fault follows from the seed and the request alone,
 * whatever the order of arrival; one that is sent again goes through.
 */
export async function startFaultProxy(
  upstream: string,
  { seed = 0, share = 0, onRequest }: ProxyOptions,
): Promise<FaultProxy> {
  const seen: string[] = [];
  const met: FaultProxy["met"] = {};
  let pages = 0;
  const server = createServer(async (request, response) => {
    const target = request.url ?? "";
    await onRequest?.(target);
    // A cursor may be another in every run; which page of its walk it stands for is not.
    const walk = target.replace(/&cursor=[^&]*/, "");
    const page = seen.filter((earlier) => earlier.startsWith(walk)).length;
    const fault = seen.includes(target) ? undefined : errorIn(seed, share, walk, page);
    seen.push(target);
    const { authorization } = request.headers;
    const answer = await ask(`${upstream}${target}`, { headers: { authorization } });
    const body = Buffer.from(await answer.body.arrayBuffer());
    if (fault !== undefined) {
      met[fault] = (met[fault] ?? 0) + 1;
    }
    pages += target.includes("/catalog?") ? 1 : 0;
    respond(response, fault, answer, body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`, met, pages: () => pages };
}

function errorIn(seed: number, share: number, walk: string, page: number): Fault | undefined {
  const dice = createHash("sha256").update(`${seed} ${walk} ${page}`).digest();
  const fault = FAULTS[dice.readUInt32LE(4) % FAULTS.length];
  const isMet = dice.readUInt32LE(0) / 2 ** 32 < share;
  return isMet && (fault !== "invalid_cursor" || page > 0) ? fault : undefined;
}

function respond(
  response: ServerResponse,
  fault: Fault | undefined,
  answer: Dispatcher.ResponseData,
  body: Buffer,
): void {
  const headers = { "content-type": answer.headers["content-type"], "content-length": body.length };
  switch (fault) {
    case undefined:
      response.writeHead(answer.statusCode, headers).end(body);
      break;
    case "reset":
      response.socket?.resetAndDestroy();
      break;
    case "cut":
      response.writeHead(answer.statusCode, headers).write(body.subarray(0, body.length / 2), () => response.destroy());
      break;
    case "stall":
      response.writeHead(answer.statusCode, headers).write(body.subarray(0, body.length / 2));
      break;
    default: {
      const { status, retryable } = PROBLEMS[fault];
      response
        .writeHead(status, { "content-type": "application/problem+json", "retry-after": "0" })
        .end(problemBody({ code: fault, status, retryable }));
    }
  }
}
