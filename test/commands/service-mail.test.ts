import { expect, test } from "vitest";
import { mailCodes } from "../../src/commands/service/mail.ts";
import { startMailServer } from "../helpers/mail-server.ts";

const sender = (port: number, password = "pass%2Fword") =>
  mailCodes({
    url: `smtp://catalog:${password}@127.0.0.1:${port}`,
    from: "Catalog <catalog@example.com>",
  });

test("a code goes to one address over SMTP, in the subject and the text", async () => {
  const { port, mails } = await startMailServer();

  await sender(port)("ada@example.com", "012345", "https://api.example.com/portal");

  expect(mails).toEqual([{ from: "catalog@example.com", to: ["ada@example.com"], text: expect.any(String) }]);
  expect(mails[0]?.text).toContain("Subject: 012345 is your sign-in code\r\n");
  expect(mails[0]?.text).toContain("Auto-Submitted: auto-generated\r\n");
  expect(mails[0]?.text).toContain("To: ada@example.com\r\n");
  expect(mails[0]?.text).toContain(
    "012345 is your code for the developer portal at\r\nhttps://api.example.com/portal\r\n",
  );
});

test("a server that refuses the password causes an error without the code or the password", async () => {
  const { port, mails } = await startMailServer();

  const error = await sender(port, "secret-word")("ada@example.com", "012345", "https://api.example.com/portal").catch(
    (reason: Error) => reason,
  );

  expect(error).toBeInstanceOf(Error);
  expect(String((error as Error).stack)).not.toMatch(/012345|secret-word/);
  expect(mails).toEqual([]);
});
