/** The requests of ACME: JSON Web Signatures (RFC 8555, 6.2). */
import { createHash, createPublicKey, verify, type JsonWebKey } from "node:crypto";

/** What the payloads of all requests may have. */
export interface Payload {
  readonly identifiers?: readonly { readonly type: string; readonly value: string }[];
  /** A request of a certificate: base64url of DER. */
  readonly csr?: string;
}

/** A request as it comes. */
export interface SignedRequest {
  readonly protected: string;
  readonly payload: string;
  readonly signature: string;
}

/** What the signature is also about. */
export interface Header {
  readonly alg: string;
  readonly nonce: string;
  readonly url: string;
  /** The account. */
  readonly kid?: string;
  /** The key, of a request that makes an account. */
  readonly jwk?: JsonWebKey;
}

const parseHeader: (text: string) => Header = JSON.parse;
const parsePayload: (text: string) => Payload = JSON.parse;
export const parseRequest: (text: string) => SignedRequest = JSON.parse;

export function headerOf(request: SignedRequest): Header {
  return parseHeader(Buffer.from(request.protected, "base64url").toString());
}

export function payloadOf({ payload }: SignedRequest): Payload {
  if (payload === "") return {};
  return parsePayload(Buffer.from(payload, "base64url").toString());
}

/** Whether the key has signed the request; keys are of P-256. */
export function isSignedBy(request: SignedRequest, jwk: JsonWebKey): boolean {
  const key = createPublicKey({ key: jwk, format: "jwk" });
  const content = Buffer.from(`${request.protected}.${request.payload}`);
  const signature = Buffer.from(request.signature, "base64url");
  return verify("sha256", content, { key, dsaEncoding: "ieee-p1363" }, signature);
}

/** The hash of a key (RFC 7638), which answers to challenges end in. */
export function thumbprintOf({ crv, kty, x, y }: JsonWebKey): string {
  return createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
}
