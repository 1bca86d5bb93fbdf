import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A connection over which `bytes` were written. */
export async function send({ port }: { port: number }, bytes: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  onTestFinished(() => {
    socket.destroy();
  });
  await new Promise((resolve) => socket.write(bytes, resolve));
  return socket;
}

/** Sends bytes over a new connection. @returns everything that was received */
export function exchange(service: { url: string }, bytes: string): Promise<string> {
  const { port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(bytes, "latin1"));
    socket.setEncoding("utf8");
    socket.on("data", (chunk) => {
      received += chunk;
    });
    socket.on("close", () => resolve(received));
    socket.on("error", reject);
  });
}

/** Resolves when the service has closed the connection. */
export async function closed(socket: Socket): Promise<void> {
  socket.resume();
  if (!socket.closed) {
    await new Promise((resolve) => socket.once("close", resolve));
  }
}

/** The head of a form without its length. */
export const POST = "POST /portal/sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n";
