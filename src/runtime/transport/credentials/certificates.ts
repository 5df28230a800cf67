/** Certificates and keys in PEM; Go's rules decide which can be used. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { endsInBlock, HALF_WRITTEN } from "../../../kube/x509/pem-text.ts";

/** A certificate with its chain, and its key, in PEM. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate or key that cannot be used; the message shows none of the content. */
export class CertificateError extends Error {
  override readonly name = "CertificateError";
}

interface PemBlock {
  readonly label: string;
  readonly text: string;
}

/**
 * The certificates of a text that can be read. Other blocks are skipped, as in Go.
 *
 * @throws CertificateError when there is none
 */
export function readAuthorities(pem: string): string {
  const good = certificatesOf(pem).filter((text) => parsed(text) !== undefined);
  if (good.length === 0) throw new CertificateError("does not contain a PEM certificate");
  return good.join("");
}

/**
 * A certificate and its key. Either text may hold further blocks.
 *
 * @throws CertificateError when one of them cannot be read, or they do not match
 */
export function readPair(certPem: string, keyPem: string): CertificatePair {
  const chain = certificatesOf(certPem);
  if (chain.length === 0) throw new CertificateError("the client certificate is not PEM");
  const [leaf, ...others] = chain.map(parsed);
  if (leaf === undefined || others.includes(undefined)) {
    throw new CertificateError("the client certificate cannot be read");
  }
  const key = blocksOf(keyPem).find(({ label }) => /(^| )PRIVATE KEY$/.test(label))?.text;
  if (key === undefined) throw new CertificateError("the client key is not PEM");
  let belongs: boolean;
  try {
    belongs = leaf.checkPrivateKey(createPrivateKey(key));
  } catch {
    throw new CertificateError("the client key cannot be read (it must not have a passphrase)");
  }
  if (!belongs) throw new CertificateError("the client key does not match the client certificate");
  return { cert: chain.join(""), key };
}

/**
 * As `readAuthorities`, for a file that another program may be writing right now.
 *
 * @throws CertificateError also for a text that ends inside a block
 */
export function readWholeAuthorities(pem: string): string {
  if (endsInBlock(pem)) throw new CertificateError(HALF_WRITTEN);
  return readAuthorities(pem);
}

function certificatesOf(pem: string): string[] {
  return blocksOf(pem)
    .filter(({ label, text }) => label === "CERTIFICATE" && !text.includes(":"))
    .map(({ text }) => text);
}

function parsed(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

const BEGIN = "-----BEGIN ";
const END = "-----END ";
const DASHES = "-----";

/** The blocks of a text, each with its end; in linear time for any text. */
function blocksOf(pem: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  let at = pem.indexOf(BEGIN);
  while (at >= 0) {
    const labelEnd = pem.indexOf(DASHES, at + BEGIN.length);
    if (labelEnd < 0) break;
    const label = pem.slice(at + BEGIN.length, labelEnd);
    const end = pem.indexOf(END, labelEnd);
    if (end < 0) break;
    const next = pem.indexOf(BEGIN, labelEnd);
    if ((next < 0 || next > end) && pem.startsWith(`${label}${DASHES}`, end + END.length)) {
      const stop = end + END.length + label.length + DASHES.length;
      blocks.push({ label, text: `${pem.slice(at, stop)}\n` });
      at = pem.indexOf(BEGIN, stop);
    } else at = next;
  }
  return blocks;
}
