/** What can be said of a bearer token without asking the API server. */
import { isJsonObject } from "../../kube/json.ts";

/** More than clocks differ, and than the minute that API servers allow. */
const LEEWAY_MS = 5 * 60_000;

/**
 * Whether no API server accepts a token: it has the form of a JSON Web Token, and is unsigned, expired, not valid yet, or broken. Other tokens may be anything.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7519
 */
export function cannotBeValid(token: string, nowMs: number): boolean {
  const parts = token.split(".");
  const [head = "", payload = "", signature = ""] = parts;
  const header = parts.length === 3 ? objectIn(head) : undefined;
  if (typeof header?.["alg"] !== "string") return false;
  const claims = objectIn(payload);
  if (!claims || signature === "" || header["alg"].toLowerCase() === "none") return true;
  const { exp, nbf } = claims;
  return (
    (typeof exp === "number" && exp * 1000 < nowMs - LEEWAY_MS) ||
    (typeof nbf === "number" && nbf * 1000 > nowMs + LEEWAY_MS)
  );
}

function objectIn(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
