import { EXIT } from "../../contract/errors.ts";
import { FORMATS, ROW_FORMATS } from "../../export/formats/registry.ts";

/** A help page about more than one command; also a section of the man pages. */
export interface Topic {
  title: string;
  intro: string;
  entries: readonly (readonly [term: string, text: string])[];
}

const EXIT_CODES = {
  ok: "done, complete",
  failure: "unexpected failure, or a local file could not be read or written",
  usage: "wrong flags, or the service refused the request: invalid_request, unknown_*, invalid_date_range",
  credentials: "no key, an unknown or revoked one, or one without the scope",
  notFound: "the service answered not_found, or nothing has the given name: a sku, a brand or the file of a question",
  unavailable:
    "temporarily unavailable after all retries (rate_limited, 5xx, network), another run is writing the output, or `catalog status` finds the service not operational: try again later",
  changed: "the set changed while it was read, or counts do not match: the output cannot be trusted",
  empty: "nothing matched, and --fail-on-empty is set",
  condition: "the condition of --fail-if holds; the output is complete",
  interrupted: "interrupted (Ctrl-C)",
  terminated: "terminated (SIGTERM)",
} as const satisfies Record<keyof typeof EXIT, string>;

const ENVIRONMENT = {
  CATALOG_BASE_URL: "address of the service, such as https://api.example.com/api; as --base-url",
  CATALOG_API_KEY: "the API key",
  CATALOG_API_KEY_FILE: "file with the API key",
  CATALOG_PROFILE: "profile of the configuration file; as --profile",
  CATALOG_CONFIG: "path of the configuration file (default: config.toml in the platform's configuration folder)",
  CATALOG_DATABASE: "database of the commands below `catalog service`; as --database",
  CATALOG_STATUS_URL: "address of the status feed; as --status-url",
  CATALOG_PUBLIC_URL: "stable address of the service for links; as --public-url of `catalog service start`",
  CATALOG_SMTP_URL: "server that sends the mails of the portal; as --smtp-url of `catalog service start`",
  CATALOG_MAIL_FROM: "sender of these mails; as --mail-from of `catalog service start`",
  PAGER: "program that shows tables longer than the screen (default: less -FRX); see --no-pager",
  FORCE_HYPERLINK: "1: links in tables even if the terminal is not known to support them; 0: none",
  NO_COLOR: "any value: no colour; as --no-color",
  FORCE_COLOR: "1: colour even if the output is not a terminal; 0 or false: no colour",
  HTTPS_PROXY: "proxy for https addresses",
  HTTP_PROXY: "proxy for http addresses",
  NO_PROXY: "hosts to reach without a proxy",
  NODE_EXTRA_CA_CERTS: "file of additional certificate authorities to trust, in PEM",
} as const;

const FORMAT_HELP = {
  ...Object.fromEntries(ROW_FORMATS.map((format) => [format, FORMATS[format].help])),
  table: "for people: fits the terminal, shows control characters as escapes",
  markdown: "a table for documents",
};

export const TOPICS: Readonly<Record<string, Topic>> = {
  "exit-codes": {
    title: "EXIT STATUS",
    intro: "Scripts can rely on these codes:",
    entries: Object.entries(EXIT).map(([name, code]) => [String(code), EXIT_CODES[name as keyof typeof EXIT]]),
  },
  environment: {
    title: "ENVIRONMENT",
    intro:
      "Flags take precedence over the environment, and the environment over the profile of the configuration file.",
    entries: Object.entries(ENVIRONMENT),
  },
  formats: {
    title: "FORMATS",
    intro:
      "The format is that of --format, else of the ending of --output, else table on a terminal if the command has it, else ndjson. `catalog COMMAND --help` lists the formats of a command. The endings .gz and .zst, or --compress, compress the output; zstd needs Node.js 22.15 or newer.",
    entries: Object.entries(FORMAT_HELP),
  },
};
