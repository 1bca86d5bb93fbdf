import { randomBytes } from "node:crypto";

/** A new request id: `req_` and 24 random characters (144 bits). */
export function newRequestId(): string {
  return `req_${randomBytes(18).toString("base64url")}`;
}
