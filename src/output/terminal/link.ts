/**
 * `text` as a terminal link (OSC 8). The address comes from crawled pages. One that is not plain ASCII http(s) could
 * contain a control sequence, so it is dropped.
 */
export function linked(text: string, address: string | undefined): string {
  const isSafe = address !== undefined && text !== "" && /^https?:\/\/[\x21-\x7e]+$/.test(address);
  return isSafe ? `\x1b]8;;${address}\x1b\\${text}\x1b]8;;\x1b\\` : text;
}
