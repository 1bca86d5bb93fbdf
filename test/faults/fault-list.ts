import { gzipSync } from "node:zlib";
import { EXIT } from "../../src/contract/errors.ts";
import type { ProblemCode } from "../../src/contract/problems.ts";
import {
  type Act,
  body,
  bomb,
  endless,
  half,
  halfOfLength,
  httpDate,
  isLaterPage,
  isPage,
  JSON_TYPE,
  jump,
  type PageDocument,
  page,
  pageOf,
  problem,
  raw,
  send,
  slowly,
  withHead,
} from "./fault-acts.ts";
import type { Exchange } from "./fault-proxy.ts";

/** How a run has to end: its exit code, and a message that names the fault. */
export interface Ending {
  code: number;
  says: RegExp;
}

export interface Fault {
  act: Act;
  /** The responses that it can replace; default: all with status 200. */
  fits?: (exchange: Exchange) => boolean;
  /** How a run ends that meets it once; absent: as if nothing had happened. */
  once?: Ending;
  /** How a run ends that meets it from some request on; absent: it is played once. */
  always?: Ending;
  /** The run has to wait for a timeout of a request. */
  stalls?: boolean;
  /** Rows that were passed on may be outdated by it: those on stdout cannot be taken back. */
  moves?: boolean;
  /** A walk begins again. Rows on stdout show whether it passes on any twice. */
  restarts?: boolean;
  /** Its first request, if that is known. */
  from?: number;
  /** The requests of a sync cannot meet it: they have neither cursors nor combinations. */
  exportsOnly?: boolean;
  /** What the run has to have: time that passes at once, host names that a test can lose, or TLS. */
  needs?: "virtual time" | "names" | "TLS";
  /** Flags of an export that it needs. */
  flags?: readonly string[];
}

const changed = (says: RegExp): Ending => ({ code: EXIT.changed, says });
const unavailable = (says: RegExp): Ending => ({ code: EXIT.unavailable, says });
const broken = (says: RegExp): Ending => ({ code: EXIT.failure, says });

/** A 429. @param retryAfter value of the header at a time, in milliseconds; undefined for no header */
function limited(retryAfter: ((now: number) => string) | undefined): Fault {
  const act = (exchange: Exchange) =>
    problem("rate_limited", retryAfter && { "retry-after": retryAfter(exchange.clock.now()) })(exchange);
  return { act, always: unavailable(/answered 429 \(rate_limited\)/) };
}

const failing = (code: ProblemCode): Fault => ({
  act: problem(code),
  always: unavailable(new RegExp(`\\(${code}\\)`)),
});

const WITHIN = unavailable(/No complete response from \S+ within the/);
const CLOSED = unavailable(/the connection was (reset|closed)/);

function redirect(status: number, said: RegExp, where: (exchange: Exchange) => string): Fault {
  const act = (exchange: Exchange) => send(exchange, status, { location: where(exchange) }, "");
  return { act, once: broken(said) };
}

const ELSEWHERE = /redirects to https?:.*where the key must not go/;
const WITHIN_ORIGIN = /redirects to another of its paths/;

const shape = (says: RegExp, change: (document: PageDocument) => unknown): Fault => ({
  act: page(change),
  always: broken(says),
});

const TOO_LONG = broken(/sent a body of more than [\d.]+ MiB/);
const MOVED = { fits: isPage, always: changed(/the set (changed while it was read|cannot be read)/) };

export const FAULTS = {
  "429 with seconds": limited(() => "1"),
  "429 with a date": limited((now) => new Date(now + 1000).toUTCString()),
  "429 with an invalid Retry-After": limited(() => "soon"),
  "429 without Retry-After": limited(undefined),
  "429 with a date of the past": limited((now) => httpDate(now, -1)),
  "429 with a day of seconds": { ...limited(() => "86400"), once: unavailable(/asks to wait 864\d\d s/) },
  "429 with a date of tomorrow": {
    ...limited((now) => httpDate(now, 1)),
    once: unavailable(/asks to wait 86[34]\d\d s/),
  },
  "a spent window": {
    act: (exchange) => {
      const spent = { "ratelimit-limit": "120", "ratelimit-remaining": "0", "ratelimit-reset": "30" };
      send(exchange, exchange.answer.status, { ...JSON_TYPE, ...spent }, exchange.answer.body);
    },
    needs: "virtual time",
  },

  "500 with a problem": failing("internal_error"),
  "503 with a problem": failing("service_unavailable"),
  "504 with a problem": failing("upstream_timeout"),
  "500 without a body": { act: (exchange) => send(exchange, 500, {}, ""), always: unavailable(/answered 500/) },
  "502 of a gateway": {
    act: (exchange) => send(exchange, 502, { "content-type": "text/html" }, "<html><title>Bad gateway</title>"),
    always: unavailable(/answered 502.*Bad gateway/s),
  },
  "a web page with status 200": {
    act: (exchange) => send(exchange, 200, { "content-type": "text/html" }, "<!doctype html><title>Log in</title>"),
    once: broken(/It answered with a web page \(“Log in”\)/),
  },

  "a truncated body": { act: raw(halfOfLength, "close"), always: CLOSED },
  "a truncated body of unknown length": {
    act: raw((exchange) => withHead({ connection: "close" }, half(exchange)), "close"),
    always: unavailable(/it is not (JSON|UTF-8)|the connection was/),
  },
  "a truncated gzip body": {
    act: body(({ answer }) => gzipSync(answer.body).subarray(0, 60), { "content-encoding": "gzip" }),
    always: unavailable(/the compressed response was cut/),
  },
  "a damaged gzip body": {
    act: body(() => "this is no gzip", { "content-encoding": "gzip" }),
    always: unavailable(/the compressed response is damaged/),
  },
  "a reset connection": { act: raw(() => "", "reset"), always: CLOSED },
  "a connection that is reset in the body": { act: raw(halfOfLength, "reset"), always: CLOSED },
  "a response that is no HTTP": {
    act: raw(() => "\0\x01 no status line\r\n\r\n", "close"),
    always: unavailable(/the response is not HTTP/),
  },
  "endless headers": {
    act: raw(() => `HTTP/1.1 200 OK\r\n${"x-more: y\r\n".repeat(20_000)}`, "stall"),
    always: unavailable(/the headers of the response are too long/),
  },
  "a stall before the headers": { act: () => undefined, stalls: true, always: WITHIN },
  "a stall in the headers": { act: raw(() => "HTTP/1.1 200 OK\r\nx-slow: ", "stall"), stalls: true, always: WITHIN },
  "a stall in the body": { act: raw(halfOfLength, "stall"), stalls: true, always: WITHIN },
  "a slow body": { act: slowly(10, 5) },
  "a dripping body": { act: slowly(100_000, 20), stalls: true, always: WITHIN },
  "an endless body": { act: endless(200, "application/json", '{"data":[', "        "), once: TOO_LONG },
  "an endless error": {
    act: endless(503, "text/plain", "", "down and "),
    always: unavailable(/answered 503/),
  },
  "a bomb in gzip": { act: bomb("gzip", 200), once: TOO_LONG },
  "a bomb in brotli": { act: bomb("br", 200), once: TOO_LONG },
  "a bomb in an error": { act: bomb("gzip", 503), always: unavailable(/answered 503/) },
  "an encoding that nobody offered": {
    act: body(({ answer }) => answer.body, { "content-encoding": "rot13" }),
    once: broken(/unknown Content-Encoding "rot13"/),
  },

  "an empty body": { act: body(() => ""), always: unavailable(/it is not JSON/) },
  "a body that is no UTF-8": {
    act: body(() => Buffer.from([0x22, 0xff, 0x22])),
    always: unavailable(/it is not UTF-8/),
  },
  "JSON that is null": { act: body(() => "null"), always: broken(/breaks its contract/) },
  "JSON that is a list": { act: body(() => "[]"), always: broken(/breaks its contract/) },
  "JSON that is a number": { act: body(() => "7"), always: broken(/breaks its contract/) },
  "no data": shape(/breaks its contract: .*data/, ({ data: _, ...others }) => others),
  "no pagination": shape(/breaks its contract: .*pagination/, ({ pagination: _, ...others }) => others),
  "no meta": shape(/breaks its contract: .*meta/, ({ meta: _, ...others }) => others),
  "has_more that is a text": shape(/`pagination\.has_more` is not true or false/, (document) => {
    return { ...document, pagination: { ...document.pagination, has_more: "no" } };
  }),
  "a row that is a text": {
    ...shape(/breaks its contract/, (document) => ({ ...document, data: ["row", ...document.data.slice(1)] })),
    fits: isPage,
  },
  "a row without title": {
    ...shape(/breaks its contract: .*title/, (document) => {
      const [{ title: _, ...first } = { title: "" }, ...rows] = document.data;
      return { ...document, data: [first, ...rows] };
    }),
    fits: isPage,
  },
  "more rows than asked for": {
    ...shape(/rows where at most \d+ were asked for/, (document) => {
      return { ...document, data: Array.from({ length: 600 }, () => document.data[0]) };
    }),
    once: broken(/rows where at most \d+ were asked for/),
    fits: isPage,
  },
  "more pages without a cursor": {
    ...shape(/`pagination\.has_more` is true but there is no `pagination\.next_cursor`/, (document) => {
      return { ...document, pagination: { ...document.pagination, has_more: true, next_cursor: null } };
    }),
    fits: isPage,
  },
  "other filters": {
    act: page((document) => {
      return { ...document, meta: { ...document.meta, resolved: { ...document.meta.resolved, retailer: "else" } } };
    }),
    once: broken(/retailer/),
  },
  "a row outside of the filters": {
    act: page((document, { target }) => {
      const [first, ...rows] = document.data;
      const crawl_date = target.includes("start_date=") ? "1999-01-01" : "2999-01-01";
      return { ...document, data: [{ ...first, category: "elsewhere", crawl_date }, ...rows] };
    }),
    // A set without filters may be one slice, which has none.
    flags: ["--start-date", "2000-01-01"],
    fits: (exchange) => isPage(exchange) && /[?&](rcd|start_date|end_date)=/.test(exchange.target),
    once: broken(/which is outside the filters that were sent/),
  },

  "a total that is too high": {
    ...MOVED,
    restarts: true,
    act: page((document) => {
      const { total_matching } = document.pagination;
      return { ...document, pagination: { ...document.pagination, total_matching: total_matching + 1 } };
    }),
  },
  "a last page too early": {
    ...MOVED,
    restarts: true,
    exportsOnly: true,
    fits: (exchange) => isPage(exchange) && pageOf(exchange).pagination.has_more,
    act: page((document) => {
      return { ...document, pagination: { ...document.pagination, has_more: false, next_cursor: null } };
    }),
  },
  "a row that comes twice": {
    ...MOVED,
    // The first page of a slice is requested again at its end: there it looks as if rows that were read have changed.
    moves: true,
    fits: (exchange) => isPage(exchange) && pageOf(exchange).data.length > 1,
    act: page((document) => ({ ...document, data: [...document.data.slice(1), document.data[1]] })),
  },
  "a coverage that counts one row more": {
    ...MOVED,
    moves: true,
    from: 0,
    fits: ({ target, answer }) => /\/v1\/coverage(\?|$)/.test(target) && answer.body.includes("rcd"),
    act: page((document) => {
      const [first, ...others] = document.data as unknown as { matching_rows: number; corpus_rows: number }[];
      const { coverage } = document.meta;
      const more = <T extends { matching_rows: number; corpus_rows: number }>(counts: T): T => ({
        ...counts,
        matching_rows: counts.matching_rows + 1,
        corpus_rows: counts.corpus_rows + 1,
      });
      return {
        ...document,
        data: [first && more(first), ...others],
        meta: { ...document.meta, coverage: more(coverage) },
      };
    }),
  },
  "an expired cursor": {
    restarts: true,
    act: problem("invalid_cursor"),
    exportsOnly: true,
    fits: isLaterPage,
    always: changed(/the service no longer accepts its cursor/),
  },
  "a repeated cursor": {
    act: page((document, { target }) => {
      const next_cursor = new URL(target, "http://localhost").searchParams.get("cursor");
      return { ...document, pagination: { ...document.pagination, has_more: true, next_cursor } };
    }),
    exportsOnly: true,
    fits: isLaterPage,
    once: broken(/`next_cursor` repeats the cursor of an earlier page/),
  },
  "rows that were added": { moves: true, fits: isPage, act: (exchange) => exchange.change("added") },
  "rows that were removed": { moves: true, fits: isPage, act: (exchange) => exchange.change("removed") },
  "rows that were replaced": { moves: true, fits: isPage, act: (exchange) => exchange.change("replaced") },

  "a revoked key": {
    act: problem("invalid_credentials"),
    once: { code: EXIT.credentials, says: /invalid_credentials/ },
  },
  "a right that was taken": {
    act: problem("insufficient_scope"),
    once: { code: EXIT.credentials, says: /insufficient_scope/ },
  },
  "a redirect to another origin (301)": redirect(301, ELSEWHERE, ({ trap, target }) => `${trap}${target}`),
  "a redirect to another origin (307)": redirect(307, ELSEWHERE, ({ trap, target }) => `${trap}${target}`),
  "a redirect within the origin (302)": redirect(302, WITHIN_ORIGIN, ({ target }) => `/moved${target}`),
  "a redirect within the origin (308)": redirect(308, WITHIN_ORIGIN, ({ target }) => `/moved${target}`),

  "a clock that is set back by a day": {
    act: jump(-1),
    needs: "virtual time",
  },
  "a clock that is set ahead by a year": {
    act: jump(365),
    needs: "virtual time",
  },
  "an hour's sleep": {
    act: ({ clock, cutAll }) => {
      clock.jump(3_600_000);
      clock.skip(3_600_000);
      cutAll();
    },
    needs: "virtual time",
  },
  "a lost name server": {
    act: ({ loseName }) => loseName("EAI_AGAIN"),
    needs: "names",
    always: unavailable(/the host name could not be looked up/),
  },
  "a lost name": {
    act: ({ loseName }) => loseName("ENOTFOUND"),
    needs: "names",
    // Before the first response, the name may be a typing error.
    fits: isPage,
    always: unavailable(/the host name is unknown/),
  },
  "a reset in the TLS handshake": { act: ({ secure }) => secure("reset"), needs: "TLS", always: CLOSED },
  "plain HTTP in the place of TLS": {
    act: ({ secure }) => secure("plain"),
    needs: "TLS",
    once: unavailable(/does not use TLS/),
  },
  "a certificate of nobody": {
    act: ({ secure }) => secure("untrusted"),
    needs: "TLS",
    once: broken(/not signed by an authority/),
  },
  "a certificate of another host": {
    act: ({ secure }) => secure("otherHost"),
    needs: "TLS",
    once: broken(/its certificate is for another host/),
  },
  "a certificate that has expired": {
    act: ({ secure }) => secure("expired"),
    needs: "TLS",
    once: broken(/its certificate has expired/),
  },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;
