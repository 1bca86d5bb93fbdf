const STANDARD = ["/dev/stdin", "/dev/stdout", "/dev/stderr"];

/** The number of the open file that a path like `/dev/stdin` or `/dev/fd/3` names; undefined for any other path. */
export function descriptorOf(path: string): number | undefined {
  const number = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(path)?.[1];
  if (number !== undefined) {
    return Number(number);
  }
  return STANDARD.includes(path) ? STANDARD.indexOf(path) : undefined;
}
