import { request } from "undici";
import { createTeam } from "../../src/service/store/access/manage-teams.ts";
import { addMember } from "../../src/service/store/access/members.ts";
import { startTestService, type TestService, type TestServiceOptions } from "./service.ts";

/** A service whose portal passes its codes to the test. */
export interface TestPortal extends TestService {
  /** Codes in the order in which they were sent. */
  codes: { email: string; code: string }[];
  /** The code that was sent after `count` others, as soon as it is sent. */
  nextCode(count?: number): Promise<string>;
  /** A new browser, which sends `headers` with each request. */
  browser(headers?: Record<string, string>): TestBrowser;
  /** A browser that is signed in with a code. */
  signedIn(email?: string): Promise<TestBrowser>;
}

export interface Page {
  status: number;
  headers: Headers;
  text: string;
}

const FORM = "application/x-www-form-urlencoded";

type SentHeaders = Record<string, string | undefined>;

/** A portal with the teams `sales` (ada, bob) and `press` (eve). */
export async function startTestPortal(options: TestServiceOptions = {}): Promise<TestPortal> {
  const codes: TestPortal["codes"] = [];
  const sendCode = async (email: string, code: string) => void codes.push({ email, code });
  const service = await startTestService({ portal: { sendCode, codesArePrinted: false }, ...options });
  const { store, url } = service;
  const { origin } = new URL(options.publicUrl ?? url);
  for (const [team, ...people] of [
    ["sales", "ada", "bob"],
    ["press", "eve"],
  ] as const) {
    await createTeam(store, team, {}, new Date());
    for (const name of people) {
      await addMember(store, { team, email: `${name}@example.com` }, new Date());
    }
  }
  const browser = (headers: Record<string, string> = {}) => new TestBrowser(url, { origin, ...headers });
  return {
    ...service,
    codes,
    nextCode: async (count = 0) => {
      while (codes[count] === undefined) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      return codes[count].code;
    },
    browser,
    signedIn: async (email = "ada@example.com") => {
      const visitor = browser();
      await visitor.signIn(email, codes);
      return visitor;
    },
  };
}

/** A portal, and a browser of ada, who asked for a code and got it. */
export async function startWithCode(
  options: TestServiceOptions = {},
): Promise<{ portal: TestPortal; browser: TestBrowser; code: string }> {
  const portal = await startTestPortal(options);
  const browser = portal.browser();
  await browser.askForCode("ada@example.com");
  return { portal, browser, code: await portal.nextCode() };
}

/** Keeps one cookie and the token of the last form, and does not follow redirects. */
export class TestBrowser {
  readonly #url: string;
  readonly #origin: string;
  readonly #headers: Record<string, string>;
  cookie = "";
  token = "";

  constructor(url: string, { origin = "", ...headers }: Record<string, string>) {
    this.#url = url;
    this.#origin = origin;
    this.#headers = headers;
  }

  get(path: string): Promise<Page> {
    return this.#request(path, {});
  }

  /** Sends a form with the token of the last page, unless `fields` has another one. A header that is undefined is not sent. */
  post(path: string, fields: Record<string, string> = {}, headers: SentHeaders = {}): Promise<Page> {
    const body = new URLSearchParams({ token: this.token, ...fields });
    return this.#request(path, { body, headers: { "content-type": FORM, origin: this.#origin, ...headers } });
  }

  /** Asks for a code for `email`. */
  async askForCode(email: string): Promise<Page> {
    await this.get("/portal/sign-in");
    const answer = await this.post("/portal/sign-in", { email });
    if (answer.status === 303) {
      await this.get("/portal/code");
    }
    return answer;
  }

  async signIn(email: string, codes: TestPortal["codes"]): Promise<Page> {
    const before = codes.length;
    await this.askForCode(email);
    while (codes.length === before) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const answer = await this.post("/portal/code", { code: codes.at(-1)?.code ?? "" });
    await this.get("/portal");
    return answer;
  }

  async #request(path: string, init: { body?: URLSearchParams; headers?: SentHeaders }) {
    const cookie = this.cookie === "" ? {} : { cookie: this.cookie };
    const headers = { ...this.#headers, ...cookie, ...init.headers };
    // `fetch` would replace the Host header.
    const response = await request(`${this.#url}${path}`, {
      method: init.body === undefined ? "GET" : "POST",
      ...(init.body !== undefined && { body: String(init.body) }),
      headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
    });
    const received = new Headers(
      Object.entries(response.headers).flatMap(([name, values]) =>
        [values ?? []].flat().map((value): [string, string] => [name, value]),
      ),
    );
    this.cookie = received.get("set-cookie")?.split(";")[0] ?? this.cookie;
    const text = await response.body.text();
    this.token = /name="token" value="([^"]+)"/.exec(text)?.[1] ?? this.token;
    return { status: response.statusCode, headers: received, text };
  }
}
