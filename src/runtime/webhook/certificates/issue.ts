/**
 * Issues the certificates of webhook servers: an authority, and the certificates that it signs.
 *
 * @see https://www.rfc-editor.org/rfc/rfc5280
 */
import { createPrivateKey, randomBytes, X509Certificate } from "node:crypto";
import type { Clock } from "../../../clock.ts";
import { TsopError } from "../../../errors.ts";
import {
  authorityExtensions,
  type KeyPair,
  newKeyPair,
  serverExtensions,
  signCertificate,
} from "../../../kube/x509/certificate.ts";
import { periodOf } from "../../serving/pem.ts";

/** The certificate of a server, and the authority that signed it. */
export interface ServingCertificate extends KeyPair {
  readonly authority: KeyPair;
}

/** The content of a server's certificate. */
export interface ServingRequest {
  /** The DNS names and IP addresses that clients call. */
  readonly names: readonly [string, ...string[]];
  /** How long it is valid; `SERVING_VALIDITY_MS` when absent. It never outlives its authority. */
  readonly validityMs?: number;
  /** Signs it; a new authority is issued when absent. */
  readonly authority?: KeyPair;
}

const DAY_MS = 24 * 3_600_000;

/** 90 days, as in cert-manager: a leaked key is of use for a limited time. */
export const SERVING_VALIDITY_MS = 90 * DAY_MS;

/**
 * A year: the key of the authority is in a Secret, and a yearly rotation is frequent enough to be
 * known to work.
 */
export const AUTHORITY_VALIDITY_MS = 365 * DAY_MS;

// Clients with a slow clock accept a new certificate as well.
const BACKDATED_MS = 3_600_000;
const ORGANIZATIONS = ["tsop"];

/** Issues an authority that signs servers' certificates and nothing else. */
export function issueAuthority(clock: Clock, validityMs: number = AUTHORITY_VALIDITY_MS): KeyPair {
  const { publicKey, privateKey, key } = newKeyPair();
  const nowMs = clock.now();
  // Each authority has a name of its own: where two are trusted, no client takes one for the other.
  const commonName = `tsop webhooks ${randomBytes(4).toString("hex")}`;
  const content = {
    subject: { commonName, organizations: ORGANIZATIONS },
    publicKey,
    validity: { from: nowMs - BACKDATED_MS, to: nowMs + validityMs },
    extensions: authorityExtensions(),
  };
  return { certificate: signCertificate(content, { privateKey }), key };
}

/**
 * Issues the certificate of a server.
 *
 * @throws TsopError `authority-expired` when the authority has expired
 */
export function issueServing(request: ServingRequest, clock: Clock): ServingCertificate {
  const { names, validityMs = SERVING_VALIDITY_MS } = request;
  const authority = request.authority ?? issueAuthority(clock);
  const { publicKey, key } = newKeyPair();
  const issuer = new X509Certificate(authority.certificate);
  const { fromMs, toMs } = periodOf(issuer);
  const nowMs = clock.now();
  if (toMs <= nowMs) {
    throw new TsopError(
      "authority-expired",
      `The authority expired on ${issuer.validTo}: a certificate signed by it would not be valid.`,
      "Issue a new authority.",
    );
  }
  const content = {
    subject: { commonName: "tsop webhook server", organizations: ORGANIZATIONS },
    publicKey,
    validity: {
      from: Math.max(nowMs - BACKDATED_MS, fromMs),
      to: Math.min(nowMs + validityMs, toMs),
    },
    extensions: serverExtensions(names),
  };
  const privateKey = createPrivateKey(authority.key);
  const signer = { privateKey, authority: authority.certificate };
  return { authority, certificate: signCertificate(content, signer), key };
}
