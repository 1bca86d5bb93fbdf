import dns from "node:dns";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { request as ask } from "undici";
import { onTestFinished, vi } from "vitest";
import { type Certificates, certificates } from "./certificates.ts";
import type { Fault } from "./fault-list.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** A request that the service has answered, in the hands of a fault. */
export interface Exchange {
  /** Path and query. */
  target: string;
  answer: Answer;
  response: ServerResponse;
  clock: VirtualTime;
  /** Origin of a server that no request may reach. */
  trap: string;
  /** Sends the answer of the service. */
  pass(): void;
  /** Resets all connections. */
  cutAll(): void;
  /** Changes the rows of the service and answers from these. */
  change(kind: Change): Promise<void>;
  /** Cuts all connections and lets the next look-up of the host name fail, or all. */
  loseName(code: string): void;
  /** Cuts all connections and lets the next one fail in its TLS handshake, or all. */
  secure(flaw: TlsFlaw): void;
}

export type Change = "added" | "removed" | "replaced";
type TlsFlaw = "reset" | "plain" | Exclude<keyof Certificates, "trusted" | "authorities">;

interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** A fault of one run. */
export interface PlannedFault extends Fault {
  name: string;
  /** The first request, from 0, that may have it. */
  from: number;
  /** Every request from then on has it. */
  isLasting: boolean;
  /** It waits until the other faults have happened, because it ends the run. */
  isLast: boolean;
}

export interface FaultProxy {
  url: string;
  /** How often each fault happened, by its name. */
  met: ReadonlyMap<string, number>;
  /** Requests that reached the trap, or another path of the proxy than those of the API. */
  strays: readonly string[];
  /** From now on nothing happens. */
  stop(): void;
  isStopped: () => boolean;
}

interface ProxyOptions {
  faults: readonly PlannedFault[];
  clock: VirtualTime;
  isSecure: boolean;
  /** Changes the rows of the service. */
  change: (kind: Change) => Promise<void>;
}

/** That of Node.js: a run that is played again finds the one of its first proxy in place. */
const lookup = dns.lookup;

/** A proxy between a client and a service. It plays each of the faults at the first request that can have it. */
export async function startFaultProxy(upstream: string, options: ProxyOptions): Promise<FaultProxy> {
  const { faults, clock, isSecure } = options;
  const met = new Map<string, number>();
  const strays: string[] = [];
  const sockets = new Set<Socket>();
  let requests = 0;
  let isStopped = false;
  let lost: (PlannedFault & { code: string }) | undefined;
  let flawed: (PlannedFault & { flaw: TlsFlaw }) | undefined;
  /** Rows were changed, and the client may not know it yet: then it gives up its requests. */
  let isOutdated = false;

  const note = ({ name }: PlannedFault) => met.set(name, (met.get(name) ?? 0) + 1);
  const hasHappened = ({ name }: PlannedFault) => met.has(name);
  const isDue = (fault: PlannedFault, number: number, exchange: Exchange) =>
    !isStopped &&
    number >= fault.from &&
    (fault.isLasting || !hasHappened(fault)) &&
    (!fault.isLast || (!isOutdated && faults.every((other) => other === fault || hasHappened(other)))) &&
    (fault.fits?.(exchange) ?? exchange.answer.status === 200);
  const cutAll = () => {
    for (const socket of sockets) {
      socket.resetAndDestroy();
    }
  };

  const trap = createServer((request, response) => {
    strays.push(`${request.url} at the trap`);
    response.end();
  });
  const forward = async (target: string, headers: IncomingHttpHeaders): Promise<Answer> => {
    const { authorization = "" } = headers;
    const answer = await ask(`${upstream}${target}`, { headers: { authorization } });
    const names = ["content-type", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];
    const kept = names.flatMap((name) => (name in answer.headers ? [[name, String(answer.headers[name])]] : []));
    return {
      status: answer.statusCode,
      headers: Object.fromEntries(kept),
      body: Buffer.from(await answer.body.arrayBuffer()),
    };
  };
  const app = createServer(async (request, response) => {
    const target = request.url ?? "";
    if (!target.startsWith("/v1/")) {
      strays.push(target);
    }
    const number = requests;
    requests += 1;
    const isCoverage = target.startsWith("/v1/coverage");
    isOutdated &&= !isCoverage;
    let answer = await forward(target, request.headers);
    const exchange: Exchange = {
      target,
      get answer() {
        return answer;
      },
      response,
      clock,
      trap: originOf(trap, "http"),
      pass: () => void response.writeHead(answer.status, answer.headers).end(answer.body),
      cutAll,
      change: async (kind) => {
        await options.change(kind);
        isOutdated = !isCoverage;
        answer = await forward(target, request.headers);
        exchange.pass();
      },
      loseName: (code) => {
        lost = fault && { ...fault, code };
        cutAll();
      },
      secure: (flaw) => {
        flawed = fault && { ...fault, flaw };
        cutAll();
      },
    };
    if (request.socket.destroyed) {
      // Another fault has cut the connection meanwhile: nobody would see this one.
      return;
    }
    const fault = faults.find((candidate) => isDue(candidate, number, exchange));
    if (fault === undefined) {
      exchange.pass();
      return;
    }
    // These two happen at the next connection.
    if (fault.needs !== "names" && fault.needs !== "TLS") {
      note(fault);
    }
    await fault.act(exchange);
  });

  const spy = vi.spyOn(dns, "lookup").mockImplementation(((...args: Parameters<typeof lookup>) => {
    const callback = args.at(-1) as unknown as (error: Error) => void;
    if (args[0] !== "localhost" || lost === undefined || isStopped) {
      return lookup(...args);
    }
    const { code } = lost;
    note(lost);
    lost = lost.isLasting ? lost : undefined;
    process.nextTick(callback, Object.assign(new Error(`getaddrinfo ${code} localhost`), { code }));
    return undefined;
  }) as typeof lookup);

  const pems = isSecure ? await certificates() : undefined;
  const secureServer = (pair: { key: string; cert: string }) =>
    createSecureServer(pair, (request, response) => app.emit("request", request, response));
  const secured = pems && {
    trusted: secureServer(pems.trusted),
    untrusted: secureServer(pems.untrusted),
    otherHost: secureServer(pems.otherHost),
    expired: secureServer(pems.expired),
  };
  const receive = (socket: Socket) => {
    if (secured === undefined) {
      app.emit("connection", socket);
      return;
    }
    const now = isStopped ? undefined : flawed;
    flawed = now?.isLasting ? now : undefined;
    if (now !== undefined) {
      note(now);
    }
    if (now?.flaw === "reset") {
      socket.resetAndDestroy();
    } else if (now?.flaw === "plain") {
      socket.end("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n");
    } else {
      secured[now?.flaw ?? "trusted"].emit("connection", socket);
    }
  };
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    receive(socket);
  });
  for (const listening of [server, trap]) {
    listening.listen(0, "localhost");
    await once(listening, "listening");
  }
  onTestFinished(async () => {
    spy.mockRestore();
    trap.close();
    server.close();
    for (const socket of sockets) {
      socket.destroy();
    }
  });
  return {
    url: originOf(server, isSecure ? "https" : "http"),
    met,
    strays,
    stop: () => {
      isStopped = true;
      cutAll();
    },
    isStopped: () => isStopped,
  };
}

function originOf(server: Pick<Server, "address">, scheme: string): string {
  return `${scheme}://localhost:${(server.address() as AddressInfo).port}`;
}
