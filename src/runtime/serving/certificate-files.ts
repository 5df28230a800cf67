/**
 * A server's certificate in files that somebody else renews: cert-manager, or the kubelet for a
 * mounted Secret.
 *
 * @see https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/certwatcher
 */
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { Clock } from "../../clock.ts";
import { messageOf, TsopError } from "../../errors.ts";
import { selfSigned } from "../../kube/x509/certificate.ts";
import { endsInBlock, HALF_WRITTEN } from "../../kube/x509/pem-text.ts";
import type { Logger } from "../../log.ts";
import { FollowedFiles } from "../followed-files.ts";
import { followFiles, LOOKS } from "./follow-files.ts";
import {
  certificateIn,
  isNearlyOver,
  type Period,
  periodOf,
  periodProblem,
  privateKeyIn,
} from "./pem.ts";

/** The files of a server's certificate, in PEM. */
export interface CertificatePaths {
  readonly certFile: string;
  readonly keyFile: string;
}

/** The source of a server's certificate: files, or a new one that cannot be verified. */
export type CertificateSource = CertificatePaths | "self-signed";

/** A certificate as the options of Node's TLS. */
export interface ServerCertificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * Called after each read of the files, with the time when the certificate expires, in milliseconds
 * since 1970; without one for a failed read. The metrics count them.
 */
export type ReadingObserver = (expiresAtMs?: number) => void;

const YEAR_MS = 365 * 24 * 3_600_000;

export class CertificateFiles {
  readonly #paths: CertificatePaths;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #observe: ReadingObserver;
  #told: string | undefined;
  // The end of the certificate that the last warning was about.
  #warned: number | undefined;

  constructor(paths: CertificatePaths, clock: Clock, log: Logger, observe: ReadingObserver) {
    this.#paths = paths;
    this.#clock = clock;
    this.#log = log;
    this.#observe = observe;
  }

  /**
   * The present certificate, whether it is valid now or not.
   *
   * @throws TsopError `certificate-unreadable` when a file is missing or holds something else, or
   *   the key does not match
   */
  async read(): Promise<ServerCertificate> {
    const { certFile, keyFile } = this.#paths;
    try {
      const certificate = await readUsable(this.#paths);
      this.#observe(servedPeriodOf(certificate).toMs);
      return certificate;
    } catch (error) {
      this.#observe();
      throw new TsopError(
        "certificate-unreadable",
        `The certificate in ${certFile} and ${keyFile} cannot be used: ${messageOf(error)}.`,
        "Check that the Secret with it exists, is mounted there, and holds a certificate and its own key.",
        { cause: error },
      );
    }
  }

  /** The reason why clients refuse a certificate now; `undefined` when it is valid. */
  periodProblemOf({ cert }: ServerCertificate): string | undefined {
    const problem = periodProblem(new X509Certificate(cert), this.#clock.now());
    if (problem === undefined) return undefined;
    return `The certificate in ${this.#paths.certFile} ${problem}: put a valid one there, with its key.`;
  }

  /**
   * Calls `renewed` with each new certificate until `signal` is aborted. A certificate that cannot
   * be used, or is not valid now, never replaces a good one. Problems are logged.
   */
  async follow(
    first: ServerCertificate,
    renewed: (certificate: ServerCertificate) => void,
    signal: AbortSignal,
  ): Promise<void> {
    let known = first;
    const { certFile, keyFile } = this.#paths;
    const files = new FollowedFiles({
      ...LOOKS,
      paths: () => [certFile, keyFile],
      read: () => this.read(),
      clock: this.#clock,
      first,
    });
    this.#tell(this.periodProblemOf(known));
    await followFiles(this.#clock, signal, async () => {
      known = await this.#look(files, known, renewed);
      this.#warnOfExpiry(known);
    });
  }

  /** Warns once of a certificate that expires soon and was not renewed. */
  #warnOfExpiry(known: ServerCertificate): void {
    const period = servedPeriodOf(known);
    const nowMs = this.#clock.now();
    if (this.#warned === period.toMs || nowMs >= period.toMs || !isNearlyOver(period, nowMs))
      return;
    this.#warned = period.toMs;
    const file = this.#paths.certFile;
    const validUntil = isoOf(period.toMs);
    this.#log.warn(
      { file, validUntil },
      `the certificate in ${file} expires on ${validUntil} and was not renewed: check what renews it, or put a valid one there, with its key`,
    );
  }

  /** The certificate to serve from now on. */
  async #look(
    files: FollowedFiles<ServerCertificate>,
    known: ServerCertificate,
    renewed: (certificate: ServerCertificate) => void,
  ): Promise<ServerCertificate> {
    const found = await files.get();
    if (files.problem) {
      this.#tell(`the old certificate stays in use: ${messageOf(files.problem)}`);
      return known;
    }
    const problem = this.periodProblemOf(found);
    const isNew = !isSameCertificate(known, found);
    const isBetter = problem === undefined || this.periodProblemOf(known) !== undefined;
    if (isNew && !isBetter) this.#tell(`the old certificate stays in use: ${problem}`);
    else this.#tell(problem);
    if (!isNew || !isBetter) return known;
    renewed(found);
    const validUntil = isoOf(servedPeriodOf(found).toMs);
    this.#log.info({ file: this.#paths.certFile, validUntil }, "the certificate was renewed");
    return found;
  }

  /** Logs a problem when it arises, and when it is over. */
  #tell(problem: string | undefined): void {
    if (problem === this.#told) return;
    this.#told = problem;
    const file = this.#paths.certFile;
    if (problem === undefined) this.#log.info({ file }, "the certificate can be used again");
    else this.#log.warn({ file }, problem);
  }
}

const servedPeriodOf = ({ cert }: ServerCertificate): Period =>
  periodOf(certificateIn(cert.toString()) ?? new X509Certificate(cert));

const isoOf = (ms: number): string => new Date(ms).toISOString();

/** @throws Error what is wrong with which file */
async function readUsable(paths: CertificatePaths): Promise<ServerCertificate> {
  const { certFile, keyFile } = paths;
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
  const x509 = certificateIn(fileTextOf(certFile, cert));
  if (!x509) throw new Error(`${certFile} does not contain a readable PEM certificate`);
  const privateKey = privateKeyIn(fileTextOf(keyFile, key));
  if (!privateKey) {
    const isEncrypted = key.includes("ENCRYPTED");
    const held = isEncrypted ? "a private key with a password" : "no private key in PEM";
    throw new Error(`${keyFile} holds ${held}, which cannot be read`);
  }
  // While the files are being replaced, they may not match.
  if (!x509.checkPrivateKey(privateKey)) {
    throw new Error(`the key in ${keyFile} does not match the first certificate in ${certFile}`);
  }
  for (const [file, bytes] of [[certFile, cert] as const, [keyFile, key] as const]) {
    if (endsInBlock(bytes.toString())) throw new Error(`${file} ${HALF_WRITTEN}`);
  }
  const certificate = { cert, key };
  // OpenSSL refuses further certificates, such as those whose key is too small.
  createSecureContext(certificate);
  return certificate;
}

/** @throws Error when the file is empty */
function fileTextOf(file: string, bytes: Buffer): string {
  if (bytes.length === 0) throw new Error(`${file} is empty`);
  return bytes.toString();
}

function isSameCertificate(one: ServerCertificate, other: ServerCertificate): boolean {
  return one.cert.equals(other.cert) && one.key.equals(other.key);
}

/** The certificate of a server: files that are followed, or a fixed one. */
export function certificateFrom(
  source: CertificateSource,
  clock: Clock,
  log: Logger,
  observe: ReadingObserver,
): CertificateFiles | ServerCertificate {
  return source === "self-signed"
    ? selfSignedCertificate(clock)
    : new CertificateFiles(source, clock, log, observe);
}

/**
 * A self-signed certificate that lasts as long as the process, for the name `localhost`, as in
 * controller-runtime.
 */
function selfSignedCertificate(clock: Clock): ServerCertificate {
  const now = clock.now();
  // It is valid from an hour ago on, so that a client with a slow clock accepts it.
  const validity = { from: now - 3_600_000, to: now + 10 * YEAR_MS };
  const { certificate, key } = selfSigned(["localhost", "127.0.0.1"], validity);
  return { cert: Buffer.from(certificate), key: Buffer.from(key) };
}
