import { type Html, html } from "../html.ts";
import { page } from "../layout.ts";

const SECTION = { section: "/portal", narrow: true };

/** Asks for the e-mail address. */
export function signInPage({ token, email = "", error }: { token: Html; email?: string; error?: string }): Html {
  return page(
    { ...SECTION, title: "Sign in" },
    html`<h1>Sign in</h1>
<p class="lead">API keys are made here, by the people who need them.</p>
<form method="post" action="/portal/sign-in" novalidate>
${token}
<label for="email">E-mail address</label>
${input({ name: "email", type: "email", autocomplete: "email", value: email, error })}
<p class="hint" id="email-hint">A code of six digits is sent there. The owner of the service adds people to a team.</p>
<div class="actions"><button>Send the code</button></div>
</form>`,
  );
}

/** Asks for the code. The page is the same whether anybody has the address or not. */
export function codePage({
  token,
  email,
  printed,
  error,
}: {
  token: Html;
  email: string;
  /** Whether the service prints the codes. */
  printed: boolean;
  error?: string;
}): Html {
  const where = printed
    ? html`No mail is set up: if <strong>${email}</strong> belongs to a team, the code stands where the service was started, on its standard error.`
    : html`If <strong>${email}</strong> belongs to a team, a code is on its way there.`;
  return page(
    { ...SECTION, title: "Enter the code" },
    html`<h1>Enter the code</h1>
<p>${where} It is good for ten minutes, in this browser.</p>
<form method="post" action="/portal/code" novalidate>
${token}
<label for="code">Code of six digits</label>
${input({ name: "code", type: "text", autocomplete: "one-time-code", value: "", error })}
<div class="actions"><button>Sign in</button> <a href="/portal/sign-in">Send another code</a></div>
</form>`,
  );
}

/** Says why the portal is not there. */
export function closedPage(reason: string): Html {
  return page(
    { ...SECTION, title: "API keys" },
    html`<h1>API keys</h1>
<p>${reason}</p>
<p>Keys are made on the machine of the service: <code>catalog service keys create NAME</code>.</p>`,
  );
}

/** Says what went wrong where there is no field to say it beside. */
export function messagePage({
  title,
  message,
  requestId,
}: {
  title: string;
  message: string;
  requestId?: string;
}): Html {
  return page(
    { ...SECTION, title },
    html`<h1>${title}</h1>
<p>${message}</p>
${requestId === undefined ? "" : html`<p class="quiet">Request <code>${requestId}</code></p>`}
<div class="actions"><a class="button plain" href="/portal">Back to the keys</a></div>`,
  );
}

/** A field with its error beside it, which is read out with it. */
export function input(parts: {
  name: string;
  type: "email" | "text";
  autocomplete: string;
  value: string;
  error: string | undefined;
}): Html {
  const { name, type, autocomplete, value, error } = parts;
  const digits = name === "code" ? html` class="code" inputmode="numeric" maxlength="12"` : "";
  const hint = name === "code" ? "" : `${name}-hint`;
  const described = [error === undefined ? "" : `${name}-error`, hint].filter((id) => id !== "").join(" ");
  const about = described === "" ? "" : html` aria-describedby="${described}"`;
  return html`<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}" required spellcheck="false" autocapitalize="none"${digits}${about}${
    error === undefined ? "" : html` aria-invalid="true"`
  }>
${error === undefined ? "" : html`<p class="error" id="${name}-error">${error}</p>`}`;
}
