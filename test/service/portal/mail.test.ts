import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { expect, onTestFinished, test } from "vitest";
import { mailCodes } from "../../../src/service/portal/mail.ts";

interface Mail {
  from: string;
  to: string[];
  text: string;
}

/** A mail server on this machine that takes every mail of who knows its password. */
async function startMailServer(): Promise<{ port: number; mails: Mail[] }> {
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

const sender = (port: number, password = "pass%2Fword") =>
  mailCodes({
    url: `smtp://catalog:${password}@127.0.0.1:${port}`,
    from: "Catalog <catalog@example.com>",
    portal: () => "https://api.example.com/portal",
  });

test("a code goes to one address over SMTP, in the subject and the text", async () => {
  const { port, mails } = await startMailServer();

  await sender(port)("ada@example.com", "012345");

  expect(mails).toEqual([{ from: "catalog@example.com", to: ["ada@example.com"], text: expect.any(String) }]);
  expect(mails[0]?.text).toContain("Subject: 012345 is your sign-in code\r\n");
  expect(mails[0]?.text).toContain(
    "012345 is your code for the developer portal at\r\nhttps://api.example.com/portal\r\n",
  );
});

test("a server that refuses the password fails the mail, and the failure holds neither code nor password", async () => {
  const { port, mails } = await startMailServer();

  const error = await sender(port, "secret-word")("ada@example.com", "012345").catch((reason: Error) => reason);

  expect(error).toBeInstanceOf(Error);
  expect(String((error as Error).stack)).not.toMatch(/012345|secret-word/);
  expect(mails).toEqual([]);
});
