/** Whether an open connection would still be made today, after its configuration changed. */
import { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
// Longer than any chain of an API server.
const MAX_CHAIN = 10;

/**
 * Whether the chain that the server of a socket sent leads to one of the authorities. The answer
 * only decides how long the connection stays; a new one is verified by OpenSSL.
 *
 * @param ca - certificates in PEM
 */
export function isTrustedBy(socket: Socket, ca: string): boolean {
  if (!(socket instanceof TLSSocket)) return false;
  const leaf = socket.getPeerX509Certificate();
  return leaf !== undefined && leadsTo(leaf, (ca.match(BLOCK) ?? []).map(certificateOf));
}

const certificateOf = (pem: string): X509Certificate => new X509Certificate(pem);

function leadsTo(leaf: X509Certificate, anchors: readonly X509Certificate[]): boolean {
  let link: X509Certificate | undefined = leaf;
  for (let length = 0; link && length < MAX_CHAIN; length++) {
    const fingerprint256: string = link.fingerprint256;
    if (anchors.some((anchor) => anchor.fingerprint256 === fingerprint256)) return true;
    if (anchors.some((anchor) => hasIssued(anchor, link as X509Certificate))) return true;
    const issuer: X509Certificate | undefined = link.issuerCertificate;
    if (issuer?.fingerprint256 === fingerprint256) return false;
    link = issuer && hasIssued(issuer, link) ? issuer : undefined;
  }
  return false;
}

function hasIssued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}
