import { brotliCompressSync, gzipSync } from "node:zlib";
import { PROBLEMS, type ProblemCode } from "../../src/contract/problems.ts";
import type { Product } from "../../src/contract/product.ts";
import { problemBody } from "../helpers/envelopes.ts";
import { head } from "../helpers/fault-server.ts";
import type { Exchange } from "./fault-proxy.ts";

/** Plays a fault in the place of a response. */
export type Act = (exchange: Exchange) => void | Promise<void>;

/** The members of a page that faults change. */
export interface PageDocument {
  data: Product[];
  pagination: { has_more: boolean; next_cursor: string | null; total_matching: number };
  meta: {
    resolved: Record<string, string | null>;
    coverage: { matching_rows: number; corpus_rows: number };
  };
}

const DAY = 86_400_000;

/** A date of HTTP, some days from now. */
export function httpDate(now: number, days: number): string {
  return new Date(now + days * DAY).toUTCString();
}

/** Sets the clock of the machine. */
export function jump(days: number): Act {
  return ({ clock, pass }) => {
    clock.jump(days * DAY);
    pass();
  };
}

export function send(
  { response }: Exchange,
  status: number,
  headers: Record<string, string>,
  body: string | Buffer,
): void {
  response.writeHead(status, headers).end(body);
}

export function problem(code: ProblemCode, headers: Record<string, string> = {}): Act {
  const { status, retryable } = PROBLEMS[code];
  const type = { "content-type": "application/problem+json" };
  return (exchange) => send(exchange, status, { ...type, ...headers }, problemBody({ code, status, retryable }));
}

export const JSON_TYPE = { "content-type": "application/json" };

/** A complete response with a changed body. */
export function body(change: (exchange: Exchange) => string | Buffer, headers: Record<string, string> = {}): Act {
  return (exchange) => send(exchange, 200, { ...JSON_TYPE, ...headers }, change(exchange));
}

/** A page of the service, changed. */
export function page(change: (document: PageDocument, exchange: Exchange) => unknown): Act {
  return body((exchange) => JSON.stringify(change(structuredClone(pageOf(exchange)), exchange)));
}

export function pageOf({ answer }: Exchange): PageDocument {
  return JSON.parse(answer.body.toString("utf8")) as PageDocument;
}

export const isPage = ({ target, answer }: Exchange) => target.includes("/v1/catalog?") && answer.status === 200;
export const isLaterPage = (exchange: Exchange) => isPage(exchange) && exchange.target.includes("cursor=");

/** Writes bytes to the connection instead of a response by the rules of HTTP. */
export function raw(text: (exchange: Exchange) => string | Buffer, end: "close" | "stall" | "reset"): Act {
  return (exchange) => {
    const { socket } = exchange.response;
    socket?.write(text(exchange), () => {
      if (end !== "stall") {
        // Node.js cannot reset a connection over TLS.
        end === "reset" && !("encrypted" in socket) ? socket.resetAndDestroy() : socket.destroy();
      }
    });
  };
}

export const half = ({ answer }: Exchange) => answer.body.subarray(0, answer.body.length / 2);
export const withHead = (headers: Record<string, string | number>, bytes: Buffer) =>
  Buffer.concat([Buffer.from(head(200, { ...JSON_TYPE, ...headers })), bytes]);
export const halfOfLength = (exchange: Exchange) =>
  withHead({ "content-length": exchange.answer.body.length }, half(exchange));

/** Sends pieces of a body until the client closes the connection. */
export function endless(status: number, type: string, begin: string, piece: string): Act {
  return ({ response }) => {
    response.writeHead(status, { "content-type": type }).write(begin);
    const more = () => {
      while (!response.destroyed && response.write(piece.repeat(16 * 1024))) {
        // Until the buffer of the socket is full.
      }
    };
    response.on("drain", more);
    more();
  };
}

/** Sends the body in pieces with pauses. */
export function slowly(pieces: number, pause: number): Act {
  return ({ response, answer }) => {
    response.writeHead(200, JSON_TYPE);
    const length = Math.max(1, Math.ceil(answer.body.length / pieces));
    let at = 0;
    const timer = setInterval(() => {
      response.write(answer.body.subarray(at, at + length));
      at += length;
      if (at >= answer.body.length || response.destroyed) {
        clearInterval(timer);
        response.end();
      }
    }, pause);
  };
}

/** More bytes than any response may have, in few. */
let bombs: { gzip: Buffer; br: Buffer } | undefined;
export function bomb(encoding: "gzip" | "br", status: number): Act {
  return (exchange) => {
    const spaces = bombs === undefined ? Buffer.alloc(64 * 1024 * 1024, " ") : Buffer.alloc(0);
    bombs ??= { gzip: gzipSync(spaces), br: brotliCompressSync(spaces, { params: { 1: 1 } }) };
    send(exchange, status, { ...JSON_TYPE, "content-encoding": encoding }, bombs[encoding]);
  };
}
