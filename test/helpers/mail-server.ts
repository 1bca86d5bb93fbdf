import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { onTestFinished } from "vitest";

interface Mail {
  from: string;
  to: string[];
  text: string;
}

/** A mail server on this machine. It accepts all mail from clients with its password. */
export async function startMailServer(): Promise<{ port: number; mails: Mail[] }> {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    onAuth: ({ username, password }, _, done) =>
      password === "pass/word" ? done(null, { user: username ?? "" }) : done(new Error("wrong password")),
    onData: (stream, { envelope }, done) => {
      let text = "";
      stream.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      stream.on("end", () => {
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), text });
        done();
      });
    },
  });
  const listener = server.listen(0, "127.0.0.1");
  await once(listener, "listening");
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { port: (listener.address() as AddressInfo).port, mails };
}
