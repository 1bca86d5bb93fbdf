import { generate } from "selfsigned";

interface Pair {
  key: string;
  cert: string;
}

export type Certificates = Awaited<ReturnType<typeof make>>;

let made: Promise<Certificates> | undefined;

/** Certificates of `localhost` and others, made once. `authorities` is a file's text for `NODE_EXTRA_CA_CERTS`. */
export function certificates(): Promise<Certificates> {
  made ??= make();
  return made;
}

async function make() {
  const [trusted, untrusted, otherHost, expired] = await Promise.all([
    pairOf("localhost"),
    pairOf("localhost"),
    pairOf("other.example"),
    pairOf("localhost", { notBeforeDate: new Date("2020-01-01"), notAfterDate: new Date("2020-02-01") }),
  ]);
  const authorities = [trusted, otherHost, expired].map(({ cert }) => cert).join("\n");
  return { trusted, untrusted, otherHost, expired, authorities };
}

async function pairOf(host: string, dates: { notBeforeDate?: Date; notAfterDate?: Date } = {}): Promise<Pair> {
  const extensions = [{ name: "subjectAltName" as const, altNames: [{ type: 2 as const, value: host }] }];
  const { private: key, cert } = await generate([{ name: "commonName", value: host }], { extensions, ...dates });
  return { key, cert };
}
