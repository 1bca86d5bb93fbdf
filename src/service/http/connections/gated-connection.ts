import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/** If a connection has this number of open responses, its next requests are not read. */
const OPEN_RESPONSES = 10;
/** Longest part of the stream that the parser gets at once, in bytes. */
const LONGEST_PART = 4096;
/** Milliseconds in which a client must read a part of its response. Otherwise its connection is closed. */
const STALL_TIME = 30_000;

const NEWLINE = 10;
const RETURN = 13;

type Done = (error?: Error | null) => void;

/**
 * A connection that gives the HTTP parser one pipelined request at a time, and none while `OPEN_RESPONSES` responses are
 * open. Without it, Node.js would parse all requests of one read, possibly thousands, before it checks for open
 * responses. The bytes are not changed in either direction.
 */
export class GatedConnection extends Duplex {
  readonly #socket: Socket;
  readonly #onCount: (change: number) => void;
  readonly #openResponses = new Set<ServerResponse>();
  #latest: ServerResponse | undefined;
  /** Bytes that were read and not yet given to the parser. */
  #waiting: Buffer = Buffer.alloc(0);
  /** Whether the parser has an incomplete request. */
  #inRequest = false;
  #hasEnded = false;
  #isWanted = false;
  #isWriting = false;
  #isDraining = false;
  #isFinished = false;
  #idleTime = 0;

  /** @param onCount receives 1 when a response begins and -1 when it ends */
  constructor(socket: Socket, onCount: (change: number) => void) {
    // With a high-water mark of one byte, no other buffer holds bytes for the parser.
    super({ allowHalfOpen: true, decodeStrings: false, readableHighWaterMark: 1 });
    this.#socket = socket;
    this.#onCount = onCount;
    socket.on("data", (bytes) => {
      if (this.#isFinished) {
        return;
      }
      this.#waiting = this.#waiting.length === 0 ? bytes : Buffer.concat([this.#waiting, bytes]);
      this.#handOn();
      if (this.#waiting.length > 0) {
        socket.pause();
      }
    });
    socket.on("end", () => {
      this.#hasEnded = true;
      this.#handOn();
    });
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => this.destroy());
    socket.on("timeout", () => {
      if (this.#isWriting) {
        this.destroy();
      } else {
        this.emit("timeout");
      }
    });
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  /** Whether a response is not completely written. */
  get hasOpenResponse(): boolean {
    return this.#openResponses.size > 0;
  }

  /** Whether all requests have their complete responses. */
  get isIdle(): boolean {
    return !this.hasOpenResponse && !this.#inRequest && this.#waiting.length === 0;
  }

  /** Counts a response as open until it is written or its connection closes. */
  addResponse(response: ServerResponse): void {
    this.#inRequest = false;
    this.#latest = response;
    this.#openResponses.add(response);
    this.#onCount(1);
    response.once("close", () => this.#settle(response));
  }

  /** Ends the connection after the responses to the requests in progress. */
  drain(): void {
    this.#isDraining = true;
    if (this.isIdle) {
      this.destroy();
    }
  }

  /** Like `drain`, but also stops reading, because the next bytes cannot be parsed. */
  finish(): void {
    this.#isFinished = true;
    this.#inRequest = false;
    this.#waiting = Buffer.alloc(0);
    this.drain();
  }

  /** Whether this is the last response on the connection. */
  endsWith(response: ServerResponse): boolean {
    return this.#isDraining && this.#latest === response;
  }

  /** Like `setTimeout` of a socket, while nothing is written. During a write, the timeout is `STALL_TIME`. */
  setTimeout(milliseconds: number, onTimeout?: () => void): this {
    this.#idleTime = milliseconds;
    if (onTimeout !== undefined) {
      this.once("timeout", onTimeout);
    }
    this.#watchTime();
    return this;
  }

  override _read(): void {
    this.#isWanted = true;
    this.#handOn();
  }

  override _writev(chunks: readonly { chunk: Buffer | string; encoding: BufferEncoding }[], done: Done): void {
    this.#isWriting = true;
    this.#watchTime();
    const written: Done = (error) => {
      this.#isWriting = false;
      this.#watchTime();
      done(error);
    };
    this.#socket.cork();
    for (const [index, { chunk, encoding }] of chunks.entries()) {
      this.#socket.write(chunk, encoding, index === chunks.length - 1 ? written : undefined);
    }
    this.#socket.uncork();
  }

  override _final(done: Done): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: Done): void {
    // When a connection closes, Node.js emits no event for its queued responses.
    for (const response of this.#openResponses) {
      this.#settle(response);
    }
    this.#socket.destroy();
    done(error);
  }

  #settle(response: ServerResponse): void {
    if (!this.#openResponses.delete(response)) {
      return;
    }
    this.#onCount(-1);
    if (response === this.#latest) {
      // The bytes after the head of the request were its body.
      this.#inRequest = false;
    }
    if (this.#isDraining && this.isIdle) {
      this.end();
    } else {
      this.#handOn();
    }
  }

  #watchTime(): void {
    this.#socket.setTimeout(this.#isWriting ? STALL_TIME : this.#idleTime);
  }

  #handOn(): void {
    const most = this.#isDraining ? 1 : OPEN_RESPONSES;
    if (!this.#isWanted || this.#isFinished || this.destroyed || this.#openResponses.size >= most) {
      return;
    }
    if (this.#waiting.length > 0) {
      const end = endOfPart(this.#waiting);
      const part = this.#waiting.subarray(0, end);
      this.#waiting = this.#waiting.subarray(end);
      this.#isWanted = false;
      // A part of a body does not begin another request.
      this.#inRequest = this.#latest?.req.complete !== false;
      this.push(part);
    } else if (this.#hasEnded) {
      this.#isWanted = false;
      this.push(null);
    } else if (this.#socket.isPaused()) {
      this.#socket.resume();
    }
  }
}

/** The end of the first part of `bytes`: after an empty line, which ends a request without a body. */
function endOfPart(bytes: Buffer): number {
  const most = Math.min(bytes.length, LONGEST_PART);
  for (let at = bytes.indexOf(NEWLINE); at !== -1 && at < most; at = bytes.indexOf(NEWLINE, at + 1)) {
    const next = bytes[at + 1] === RETURN ? at + 2 : at + 1;
    if (bytes[next] === NEWLINE) {
      return next + 1;
    }
  }
  return most;
}
