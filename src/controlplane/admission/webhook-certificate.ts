/**
 * Whether a webhook's certificate is trusted, decided and worded as Go's crypto/x509 does it.
 *
 * Go checks the dates first, then the name, then the chain; and it trusts any certificate in the
 * pool, even the server's own. Signatures and chains are left to OpenSSL.
 *
 * @see https://pkg.go.dev/crypto/x509#Certificate.Verify
 */
import type { X509Certificate } from "node:crypto";
import { Agent, type AgentOptions } from "node:https";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { type ConnectionOptions, type TLSSocket, connect } from "node:tls";
import { systemClock } from "../../clock.ts";
import { quote } from "../../kube/field-errors.ts";
import { timeOf } from "../../kube/values/times.ts";
import { subjectOf } from "../../kube/x509/certificate.ts";
import { certificatesInPem } from "../../kube/x509/pem.ts";
import { WebhookCallError } from "./webhook-failures.ts";

/** The most names that a message lists; with more, it only counts them. */
const SHOWN_NAMES = 100;
const EXPIRED = "x509: certificate has expired or is not yet valid: current time";
const NO_SIGNER =
  "x509: invalid signature: parent certificate cannot sign this kind of certificate";
const WRONG_USAGE = "x509: certificate specifies an incompatible key usage";
/** Server authentication, and any usage. */
const SERVER_USAGES = ["1.3.6.1.5.5.7.3.1", "2.5.29.37.0"];
const FAILED_SIGNATURES: Readonly<Record<string, string>> = {
  rsa: "crypto/rsa: verification error",
  ed25519: "x509: Ed25519 verification failure",
};

/** The inputs of the check of a server's certificate. */
export interface Judgement {
  /** The called name or address. */
  readonly host: string;
  /** The trusted certificates; empty for those of the system. */
  readonly pool: readonly X509Certificate[];
  readonly nowMs: number;
}

/** The certificates of a CA bundle: PEM in base64. @throws WebhookCallError when it is not */
export function certificatesOf(caBundle: string): X509Certificate[] {
  const certificates = certificatesInPem(Buffer.from(caBundle, "base64").toString("utf8"));
  if (certificates.length > 0) return certificates;
  throw new WebhookCallError(
    "unable to load root certificates: unable to parse bytes as PEM block",
  );
}

/** Keeps connections to servers that Go would trust; no request is sent before that is checked. */
export class GoTrustAgent extends Agent {
  readonly #host: string;
  readonly #pool: readonly X509Certificate[];

  /** @param pool - the trusted certificates; empty for the system's authorities */
  constructor(host: string, pool: readonly X509Certificate[], options: AgentOptions) {
    super(options);
    this.#host = host;
    this.#pool = pool;
  }

  override createConnection(
    options: ConnectionOptions,
    created: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const ca = this.#pool.map((certificate) => certificate.toString());
    const socket = connect({
      ...options,
      ...(ca.length > 0 ? { ca, allowPartialTrustChain: true } : {}),
      // The certificate is checked below, before anything is sent.
      rejectUnauthorized: false,
    });
    const fail = (error: Error): void => created(error, socket);
    socket.once("error", fail);
    socket.once("secureConnect", () => {
      // Certificates have the dates of the real world, whatever clock the control plane has.
      const nowMs = systemClock.now();
      const distrust = distrustOf(socket, { host: this.#host, pool: this.#pool, nowMs });
      if (distrust !== undefined) {
        socket.destroy(new Error(`tls: failed to verify certificate: ${distrust}`));
        return;
      }
      socket.off("error", fail);
      created(null, socket);
    });
    return undefined;
  }
}

/** Why the server at the other end is not trusted; `undefined` when it is. */
export function distrustOf(socket: TLSSocket, judgement: Judgement): string | undefined {
  const leaf = socket.getPeerX509Certificate();
  if (!leaf) return "tls: no certificates configured";
  const { host, pool, nowMs } = judgement;
  const problem = dateProblem(leaf, nowMs) ?? nameProblem(leaf, host);
  if (problem !== undefined) return problem;
  if (socket.authorized) return undefined;
  // Whatever Node's types say, this is an OpenSSL code; an authority that is not one has the same
  // code.
  const isMisused = String(socket.authorizationError) === "INVALID_PURPOSE" && !isForServers(leaf);
  if (isMisused) return WRONG_USAGE;
  if (!pool.some((trusted) => trusted.raw.equals(leaf.raw))) {
    return chainProblem(leaf, intermediatesOf(leaf), judgement);
  }
  return isForServers(leaf) ? undefined : WRONG_USAGE;
}

/** Whether the certificate is for servers; one without usages is for everything. */
function isForServers(leaf: X509Certificate): boolean {
  // Node's types do not say that it may be absent.
  const { keyUsage: usages } = leaf as { keyUsage?: string[] };
  return usages?.some((usage) => SERVER_USAGES.includes(usage)) ?? true;
}

function dateProblem({ validFrom, validTo }: X509Certificate, nowMs: number): string | undefined {
  const [fromMs, toMs] = [Date.parse(validFrom), Date.parse(validTo)];
  if (nowMs < fromMs) return `${EXPIRED} ${timeOf(nowMs)} is before ${timeOf(fromMs)}`;
  if (nowMs > toMs) return `${EXPIRED} ${timeOf(nowMs)} is after ${timeOf(toMs)}`;
  return undefined;
}

function nameProblem(leaf: X509Certificate, host: string): string | undefined {
  const isAddress = isIP(host) !== 0;
  const names = namesOf(leaf, isAddress ? "IP Address" : "DNS");
  const isValid = isAddress
    ? names.includes(shownAddress(host))
    : leaf.checkHost(host, { subject: "never", partialWildcards: false }) !== undefined;
  if (isValid) return undefined;
  if (leaf.subjectAltName === undefined && leaf.checkHost(host, { subject: "always" })) {
    return "x509: certificate relies on legacy Common Name field, use SANs instead";
  }
  if (isAddress && names.length === 0) {
    return `x509: cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
  }
  if (names.length >= SHOWN_NAMES) {
    const what = isAddress ? "IP SANs" : "names";
    return `x509: certificate is valid for ${names.length} ${what}, but none matched ${host}`;
  }
  return names.length === 0
    ? `x509: certificate is not valid for any names, but wanted to match ${host}`
    : `x509: certificate is valid for ${names.join(", ")}, not ${host}`;
}

/** The alternative names of one type. */
function namesOf({ subjectAltName = "" }: X509Certificate, sort: "DNS" | "IP Address"): string[] {
  const prefix = `${sort}:`;
  return subjectAltName
    .split(", ")
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .map((name) => (sort === "DNS" ? name : shownAddress(name)));
}

/** An address in its short form. */
function shownAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** The certificates that the server sent with its own. */
function intermediatesOf(leaf: X509Certificate): X509Certificate[] {
  const found: X509Certificate[] = [];
  for (let next = leaf.issuerCertificate; next; next = next.issuerCertificate) found.push(next);
  return found;
}

/**
 * Why no authority of the pool vouches for a certificate, with the error of the one that came
 * closest.
 */
function chainProblem(
  certificate: X509Certificate,
  intermediates: readonly X509Certificate[],
  { pool, nowMs }: Judgement,
): string {
  let child = certificate;
  for (let depth = 0; depth <= intermediates.length; depth++) {
    const candidate = pool.find(({ subject }) => subject === child.issuer);
    if (candidate) {
      const hint = signatureProblem(child, candidate);
      if (hint !== undefined) return unknownAuthority(hint, candidate);
      const expired = dateProblem(candidate, nowMs);
      if (expired !== undefined) return expired;
    }
    const above = intermediates.find(
      (one) => one.subject === child.issuer && !one.raw.equals(child.raw),
    );
    if (!above) break;
    child = above;
  }
  return unknownAuthority();
}

function signatureProblem(child: X509Certificate, parent: X509Certificate): string | undefined {
  if (!parent.ca) return NO_SIGNER;
  if (child.verify(parent.publicKey)) return undefined;
  const { asymmetricKeyType = "" } = parent.publicKey;
  return FAILED_SIGNATURES[asymmetricKeyType] ?? "x509: ECDSA verification failure";
}

function unknownAuthority(hint?: string, candidate?: X509Certificate): string {
  const problem = "x509: certificate signed by unknown authority";
  if (hint === undefined || !candidate) return problem;
  const tried = `while trying to verify candidate authority certificate ${quote(nameOf(candidate))}`;
  return `${problem} (possibly because of ${quote(hint)} ${tried})`;
}

/**
 * The name of an authority in Go's messages: its common name, else its first organisation, else its
 * number.
 */
function nameOf(certificate: X509Certificate): string {
  const { commonName, organizations } = subjectOf(certificate);
  const name = commonName === "" ? organizations[0] : commonName;
  return name ?? `serial:${BigInt(`0x${certificate.serialNumber}`)}`;
}
