import { createTransport } from "nodemailer";
import type { SendCode } from "../../service/http/service-options.ts";

/** Milliseconds to wait for a mail server. */
const MAIL_TIMEOUT = 20_000;

/** Sends codes over SMTP. @param url `smtps://user:password@mail.example.com`, or `smtp://…:587` with STARTTLS */
export function mailCodes({ url, from }: { url: string; from: string }): SendCode {
  const transport = createTransport({
    url,
    connectionTimeout: MAIL_TIMEOUT,
    greetingTimeout: MAIL_TIMEOUT,
    socketTimeout: MAIL_TIMEOUT,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async (email, code, portal) => {
    await transport.sendMail({
      from,
      to: { name: "", address: email },
      subject: `${code} is your sign-in code`,
      text: `${code} is your code for the developer portal at
${portal}

It works once, for ten minutes, in the browser that asked for it.
If you did not ask for it, ignore this mail. Nobody can sign in
without the code.
`,
      headers: { "Auto-Submitted": "auto-generated" },
    });
  };
}
