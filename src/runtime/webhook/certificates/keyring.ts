/**
 * The content of a self-managed certificate's Secret, its problems, and its next content. An
 * authority is replaced in two steps: the next one is trusted beside it; once all clients know it,
 * it signs, and its first certificate is served. The previous authority stays trusted until the
 * last certificate that it signed has expired.
 */
import { X509Certificate } from "node:crypto";
import type { Clock } from "../../../clock.ts";
import type { KeyPair } from "../../../kube/x509/certificate.ts";
import { issueAuthority, issueServing } from "./issue.ts";
import {
  certificateIn,
  certificatesIn,
  isDue,
  namesMissingIn,
  periodOf,
  periodProblem,
  privateKeyIn,
} from "../../serving/pem.ts";

/** The certificates and keys of a Secret, all PEM. */
export interface Keyring {
  readonly serving: KeyPair;
  /** The authority that signs. */
  readonly authority: KeyPair;
  /** The next authority, which is trusted already and will sign. */
  readonly next?: KeyPair;
  /** The authorities that no longer sign, and stay trusted until `trustedUntilMs`. */
  readonly previous: readonly string[];
  readonly trustedUntilMs?: number;
}

/** The keyring that was found in the Secret. */
export interface StoredKeyring {
  /** The decoded texts of `tls.crt` and the other keys. */
  readonly texts: Readonly<Record<string, string>>;
  readonly trustedUntilMs?: number;
  /** The rotation that the user requests. */
  readonly rotate?: Rotation;
}

/** A rotation that a user can request: a new certificate, or a new authority as well. */
export type Rotation = "serving" | "authority";

/** The periods of new certificates. */
export interface Validity {
  readonly servingMs: number;
  readonly authorityMs: number;
}

/** The conditions for a plan. */
export interface KeyringContext {
  readonly names: readonly [string, ...string[]];
  readonly validity: Validity;
  readonly clock: Clock;
  /**
   * The certificate that this process serves, while it is valid: it must stay trusted until another
   * one is served.
   */
  readonly served?: { readonly certificate: X509Certificate; readonly authority: X509Certificate };
  /** Whether all clients have known an authority for long enough. */
  readonly isTrusted: (authority: X509Certificate) => boolean;
}

/** The next content of the Secret. It must be written when there is any problem or change. */
export interface PlannedKeyring {
  readonly keyring: Keyring;
  /** The problems, each with its remedy. */
  readonly problems: readonly string[];
  /** The changes that are due. */
  readonly changes: readonly string[];
}

interface Said {
  readonly problems: string[];
  readonly changes: string[];
}

interface Signers {
  readonly authority: Signer;
  readonly next?: Signer;
  /** The authority that `authority` replaces. */
  readonly before?: Signer;
}

const SHORTLY_MS = 3_600_000;

/** A certificate and its matching key. */
interface Signer extends KeyPair {
  readonly x509: X509Certificate;
}

/** Whether a certificate expires so soon that a replacement cannot wait. */
export function endsShortly(certificate: X509Certificate, nowMs: number): boolean {
  const { fromMs, toMs } = periodOf(certificate);
  return toMs - nowMs < Math.min(SHORTLY_MS, (toMs - fromMs) / 100);
}

/** All authorities that clients have to trust, in PEM: the one that signs is the first. */
const bundleOf = ({ authority, next, previous }: Keyring): string =>
  [authority.certificate, ...(next ? [next.certificate] : []), ...previous].join("");

/** The stored texts of a keyring, by the Secret's keys. */
export function textsOf(keyring: Keyring): Record<string, string> {
  const { serving, authority, next } = keyring;
  return {
    "tls.crt": serving.certificate,
    "tls.key": serving.key,
    "ca.crt": bundleOf(keyring),
    "ca.key": authority.key,
    ...(next ? { "next-ca.crt": next.certificate, "next-ca.key": next.key } : {}),
  };
}

/** Plans the next content of the Secret: the stored one where it has no problems. */
export function planKeyring(stored: StoredKeyring, context: KeyringContext): PlannedKeyring {
  const said: Said = { problems: [], changes: [] };
  const signers = planSigners(stored, context, said);
  const serving = planServing(stored, signers.authority, context, said);
  const previous = planPrevious(stored, signers, context, said);
  const { authority, next } = signers;
  const keyring = { serving, authority, ...(next ? { next } : {}), ...previous };
  const isQuiet = said.problems.length === 0 && said.changes.length === 0;
  if (isQuiet && stored.texts["ca.crt"] !== bundleOf(keyring)) {
    said.problems.push("ca.crt does not contain the trusted CAs: it is rewritten");
  }
  return { keyring, ...said };
}

/** Plans the present and the next authority. */
function planSigners(
  stored: StoredKeyring,
  context: KeyringContext,
  { problems, changes }: Said,
): Signers {
  const { clock, isTrusted } = context;
  const nowMs = clock.now();
  const next = readNext(stored, nowMs);
  if (typeof next === "string")
    problems.push(`${next}: it is discarded, and a new one is issued in time`);
  const ready = typeof next === "string" ? undefined : next;
  const authority = readAuthority(stored, nowMs);
  if (typeof authority === "string") {
    const isFirst = Object.keys(stored.texts).length === 0;
    if (isFirst) changes.push("there is no CA yet: a new one is issued");
    else problems.push(`${authority}: a new authority is issued`);
    return { authority: ready ?? newAuthority(context) };
  }
  if (ready && (isTrusted(ready.x509) || endsShortly(authority.x509, nowMs))) {
    changes.push(
      "the next authority signs from now on; the previous one stays trusted for a while",
    );
    return { authority: ready, before: authority };
  }
  if (ready) return { authority, next: ready };
  const isAsked = stored.rotate === "authority";
  if (!isAsked && !isDue(authority.x509, nowMs)) return { authority };
  const ends = new Date(periodOf(authority.x509).toMs).toISOString();
  const reason = isAsked ? "a new CA was requested" : `the CA expires on ${ends}`;
  changes.push(`${reason}: the next one is announced, and signs once it is trusted`);
  return { authority, next: newAuthority(context) };
}

function newAuthority({ clock, validity }: KeyringContext): Signer {
  const issued = issueAuthority(clock, validity.authorityMs);
  return { ...issued, x509: new X509Certificate(issued.certificate) };
}

/** The server's certificate: the stored one, until it is due for renewal. */
function planServing(
  stored: StoredKeyring,
  authority: Signer,
  context: KeyringContext,
  { problems, changes }: Said,
): KeyPair {
  const { "tls.crt": certificate = "", "tls.key": key = "" } = stored.texts;
  const problem = servingProblem(stored, authority, context);
  const reason = problem === undefined ? renewalReason(stored, authority, context) : undefined;
  if (problem === undefined && reason === undefined) return { certificate, key };
  const { names, validity, clock } = context;
  // Another authority, or a missing Secret, was reported already.
  const isTold = problems.length > 0 || changes.length > 0;
  if (reason !== undefined) changes.push(`${reason}: a new one is issued`);
  else if (!isTold) problems.push(`${problem ?? ""}: a new certificate is issued`);
  return issueServing({ names, validityMs: validity.servingMs, authority }, clock);
}

/** The authorities that stay trusted although they no longer sign. */
function planPrevious(
  stored: StoredKeyring,
  { authority, next, before }: Signers,
  { clock, served }: KeyringContext,
  { changes }: Said,
): Pick<Keyring, "previous" | "trustedUntilMs"> {
  const nowMs = clock.now();
  const signing = [authority, ...(next ? [next] : [])].map(({ x509 }) => x509);
  const others = certificatesIn(stored.texts["ca.crt"] ?? "").filter(
    (one) => one.ca && !includes(signing, one),
  );
  const isServed = (one: X509Certificate): boolean =>
    served?.authority.raw.equals(one.raw) === true;
  const isKept = (one: X509Certificate): boolean =>
    periodProblem(one, nowMs) === undefined &&
    (isServed(one) ||
      includes(before ? [before.x509] : [], one) ||
      nowMs < (stored.trustedUntilMs ?? Infinity));
  const previous = others.filter(isKept);
  for (const { subject } of others.filter((one) => !isKept(one))) {
    changes.push(`the authority ${subject.replaceAll("\n", ", ")} is not trusted any more`);
  }
  let { trustedUntilMs } = stored;
  // The last certificate that it signed is the stored one.
  const last = certificateIn(stored.texts["tls.crt"] ?? "");
  if (before && last) trustedUntilMs = Math.max(trustedUntilMs ?? 0, periodOf(last).toMs);
  if (served && !includes([...signing, ...previous], served.authority)) {
    previous.push(served.authority);
    changes.push("the authority of the served certificate stays trusted");
    trustedUntilMs = Math.max(trustedUntilMs ?? 0, periodOf(served.certificate).toMs);
  }
  return {
    previous: previous.map((one) => one.toString()),
    ...(previous.length > 0 && trustedUntilMs !== undefined ? { trustedUntilMs } : {}),
  };
}

const includes = (list: readonly X509Certificate[], one: X509Certificate): boolean =>
  list.some(({ raw }) => raw.equals(one.raw));

/** The stored authority with its key, or its problem. */
function readAuthority({ texts }: StoredKeyring, nowMs: number): Signer | string {
  const { "ca.crt": bundle, "ca.key": key } = texts;
  if (bundle === undefined && key === undefined) return "there is no authority";
  return signerOf(certificatesIn(bundle ?? ""), key ?? "", { name: "ca", nowMs });
}

/** The next authority, or its problem; `undefined` without one. */
function readNext({ texts }: StoredKeyring, nowMs: number): Signer | string | undefined {
  const { "next-ca.crt": text, "next-ca.key": key = "" } = texts;
  if (text === undefined) return undefined;
  return signerOf(certificatesIn(text), key, { name: "next-ca", nowMs });
}

/** The authority of a key, or the reason why there is none. */
function signerOf(
  certificates: readonly X509Certificate[],
  keyText: string,
  { name, nowMs }: { readonly name: string; readonly nowMs: number },
): Signer | string {
  if (certificates.length === 0) return `${name}.crt does not contain a readable certificate`;
  const key = privateKeyIn(keyText);
  if (!key) return `${name}.key does not contain a readable private key`;
  if (key.asymmetricKeyType !== "ec") return `${name}.key is not an elliptic curve key`;
  const x509 = certificates.find((one) => one.checkPrivateKey(key));
  if (!x509) return `${name}.key does not match a certificate in ${name}.crt`;
  if (!x509.ca) return `the certificate in ${name}.crt is not that of an authority`;
  const problem = periodProblem(x509, nowMs);
  if (problem !== undefined) return `the authority in ${name}.crt ${problem}`;
  return { x509, certificate: x509.toString(), key: keyText };
}

/** The reason why the stored certificate of the server cannot be used; `undefined` when it can. */
function servingProblem(
  { texts }: StoredKeyring,
  authority: Signer,
  { clock, names }: KeyringContext,
): string | undefined {
  const { "tls.crt": text, "tls.key": keyText = "" } = texts;
  if (text === undefined) return "there is no certificate";
  const x509 = certificateIn(text);
  if (!x509) return "tls.crt does not contain a readable certificate";
  const key = privateKeyIn(keyText);
  if (!key) return "tls.key does not contain a readable private key";
  if (!x509.checkPrivateKey(key)) return "tls.key does not match the certificate in tls.crt";
  const problem = periodProblem(x509, clock.now());
  if (problem !== undefined) return `the certificate in tls.crt ${problem}`;
  const missing = namesMissingIn(x509, names);
  if (missing.length > 0) return `the certificate in tls.crt is not for ${missing.join(", ")}`;
  const isSigned = x509.checkIssued(authority.x509) && x509.verify(authority.x509.publicKey);
  return isSigned
    ? undefined
    : "the certificate in tls.crt was not signed by the authority in ca.key";
}

/** The reason why a usable certificate of the server is replaced; `undefined` when it is kept. */
function renewalReason(
  { texts, rotate }: StoredKeyring,
  authority: Signer,
  { clock }: KeyringContext,
): string | undefined {
  if (rotate === "serving") return "a new certificate was requested";
  const x509 = certificateIn(texts["tls.crt"] ?? "");
  if (!x509 || !isDue(x509, clock.now())) return undefined;
  const { toMs } = periodOf(x509);
  // A new certificate would not last longer.
  if (toMs >= periodOf(authority.x509).toMs) return undefined;
  return `the certificate expires on ${new Date(toMs).toISOString()}`;
}
