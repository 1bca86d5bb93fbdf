/**
 * `text` as a link of the terminal (OSC 8). The address comes from crawled pages: one that is not plain ASCII http(s)
 * could hold a sequence of its own, and is left away.
 */
export function linked(text: string, address: string | undefined): string {
  const isSafe = address !== undefined && text !== "" && /^https?:\/\/[\x21-\x7e]+$/.test(address);
  return isSafe ? `\x1b]8;;${address}\x1b\\${text}\x1b]8;;\x1b\\` : text;
}
