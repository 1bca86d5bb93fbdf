import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { request as ask, type Dispatcher } from "undici";
import { onTestFinished } from "vitest";
import { PROBLEMS } from "../../src/contract/problems.ts";
import { problemBody } from "../helpers/envelopes.ts";

const OTHER_FAULTS = ["reset", "cut", "stall", "internal_error", "service_unavailable", "rate_limited"] as const;
export const FAULTS = [...OTHER_FAULTS, "invalid_cursor"] as const;
type Fault = (typeof FAULTS)[number];

export interface FaultProxy {
  url: string;
  /** How often each fault happened. */
  met: Partial<Record<Fault, number>>;
}

interface ProxyOptions {
  seed: number;
  /** Share of the requests that get a fault, 0 to 1. */
  share: number;
}

/**
 * A proxy between a client and a service that injects faults. The seed and the request decide which fault a request
 * gets; the order of arrival does not matter. A request that is sent again gets no fault.
 */
export async function startFaultProxy(upstream: string, { seed, share }: ProxyOptions): Promise<FaultProxy> {
  const seen: string[] = [];
  const met: FaultProxy["met"] = {};
  const server = createServer(async (request, response) => {
    const target = request.url ?? "";
    // Cursors may differ between runs, but not the number of their page in the walk.
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
    respond(response, fault, answer, body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`, met };
}

function errorIn(seed: number, share: number, walk: string, page: number): Fault | undefined {
  const dice = createHash("sha256").update(`${seed} ${walk} ${page}`).digest();
  // Few pages have a cursor, so half of their faults are `invalid_cursor`.
  const kinds: readonly Fault[] = page > 0 && dice.readUInt8(8) % 2 === 0 ? ["invalid_cursor"] : OTHER_FAULTS;
  return dice.readUInt32LE(0) / 2 ** 32 < share ? kinds[dice.readUInt32LE(4) % kinds.length] : undefined;
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
