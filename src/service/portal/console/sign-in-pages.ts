import type { Html } from "../../../contract/values/html-tag.ts";
import { html, portalPage } from "../layout.ts";

const SECTION = { section: "/portal", narrow: true };

export function signInPage({ token, email = "", error }: { token: Html; email?: string; error?: string }): Html {
  return portalPage(
    { ...SECTION, title: "Sign in" },
    html`<h1>Sign in</h1>
<p class="lead">Sign in to create and revoke API keys.</p>
<form method="post" action="/portal/sign-in" novalidate>
${token}
<label for="email">E-mail address</label>
${input({ name: "email", type: "email", autocomplete: "email", value: email, error })}
<p class="hint" id="email-hint">You get a code of six digits by mail. The operator of the service adds people to teams.</p>
<div class="actions"><button>Send the code</button></div>
</form>`,
  );
}

/** Asks for the code. The page does not show whether the address belongs to a member. */
export function codePage(parts: { token: Html; email: string; codesArePrinted: boolean; error?: string }): Html {
  const { token, email, codesArePrinted, error } = parts;
  const where = codesArePrinted
    ? html`No mail server is set up. If <strong>${email}</strong> belongs to a team, the service printed the code on its standard error.`
    : html`If <strong>${email}</strong> belongs to a team, a code is on its way there.`;
  return portalPage(
    { ...SECTION, title: "Enter the code" },
    html`<h1>Enter the code</h1>
<p id="code-hint">${where} It is valid for ten minutes, in this browser.</p>
<form method="post" action="/portal/code" novalidate>
${token}
<label for="code">Code of six digits</label>
${input({ name: "code", type: "text", autocomplete: "one-time-code", value: "", error })}
<div class="actions"><button>Sign in</button> <a href="/portal/sign-in">Send another code</a></div>
</form>`,
  );
}

/** Shown while nobody can sign in because the service cannot send mail. */
export function closedPage(): Html {
  return portalPage(
    { ...SECTION, title: "API keys" },
    html`<h1>API keys</h1>
<p>Nobody can sign in here yet: sign-in codes are sent by mail, and no mail server is set.
Start the service with <code>--smtp-url</code> and <code>--mail-from</code> to set one.</p>
<p>To create a key without the portal, run this on the machine of the service:
<code>catalog service keys create NAME</code>.</p>`,
  );
}

/** Shown to browsers. Other clients get the problem `not_found`. */
export function notFoundPage(): Html {
  return portalPage(
    { title: "Not found", narrow: true },
    html`<h1>There is nothing at this address</h1>
<p>The address may be mistyped, or the page was moved.</p>
<div class="actions"><a class="button plain" href="/">Go to the start page</a></div>`,
  );
}

/** Shows an error that belongs to no field. */
export function messagePage({ status, message }: { status: number; message: string }, requestId: string): Html {
  const title = status < 500 ? "That did not work" : status === 500 ? "Something failed" : "Not available";
  return portalPage(
    { ...SECTION, title },
    html`<h1>${title}</h1>
<p>${message}</p>
<p class="quiet">Request <code>${requestId}</code></p>
<div class="actions"><a class="button plain" href="/portal">Back to the keys</a></div>`,
  );
}

/** A field with its error. Screen readers announce both, and the hint in the element `NAME-hint`. */
export function input(parts: {
  name: string;
  type: "email" | "text";
  autocomplete: string;
  value: string;
  error: string | undefined;
}): Html {
  const { name, type, autocomplete, value, error } = parts;
  const digits = name === "code" ? html` class="code" inputmode="numeric" maxlength="12"` : "";
  const about = error === undefined ? `${name}-hint` : `${name}-error ${name}-hint`;
  return html`<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}" required spellcheck="false" autocapitalize="none"${digits} aria-describedby="${about}"${
    error === undefined ? "" : html` aria-invalid="true"`
  }>
${error === undefined ? "" : html`<p class="error" id="${name}-error">${error}</p>`}`;
}
