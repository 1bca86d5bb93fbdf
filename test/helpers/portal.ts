import { createTeam } from "../../src/service/store/access/manage-teams.ts";
import { addMember } from "../../src/service/store/access/members.ts";
import { startTestService, type TestService, type TestServiceOptions } from "./service.ts";

/** A service whose portal passes its codes to the test. */
export interface TestPortal extends TestService {
  /** Codes in the order in which they were sent. */
  codes: { email: string; code: string }[];
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
    browser,
    signedIn: async (email = "ada@example.com") => {
      const visitor = browser();
      await visitor.signIn(email, codes);
      return visitor;
    },
  };
}

/** Keeps one cookie and the token of the last form, and does not follow redirects. */
export class TestBrowser {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  cookie = "";
  token = "";

  constructor(url: string, headers: Record<string, string>) {
    this.#url = url;
    this.#headers = headers;
  }

  get(path: string): Promise<Page> {
    return this.#request(path, {});
  }

  /** Sends a form with the token of the last page, unless `fields` has another one. */
  post(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Page> {
    const body = new URLSearchParams({ token: this.token, ...fields });
    return this.#request(path, { method: "POST", body, headers });
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

  async #request(path: string, init: { method?: string; body?: URLSearchParams; headers?: Record<string, string> }) {
    const cookie = this.cookie === "" ? {} : { cookie: this.cookie };
    const { origin = "", ...always } = this.#headers;
    const response = await fetch(`${this.#url}${path}`, {
      ...init,
      redirect: "manual",
      headers: { ...always, ...cookie, ...(init.method === "POST" ? { origin } : {}), ...init.headers },
    });
    this.cookie = response.headers.get("set-cookie")?.split(";")[0] ?? this.cookie;
    const text = await response.text();
    this.token = /name="token" value="([^"]+)"/.exec(text)?.[1] ?? this.token;
    return { status: response.status, headers: response.headers, text };
  }
}
