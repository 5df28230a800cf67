/**
 * A server's certificate in files that somebody renews: cert-manager, or the kubelet behind a mounted Secret.
 *
 * @see https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/certwatcher
 * @module
 */
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { Clock } from "../../clock.ts";
import { messageOf, TsopError } from "../../errors.ts";
import { selfSigned } from "../../kube/x509/certificate.ts";
import type { Logger } from "../../log.ts";

/** Where a server's certificate is, in PEM. */
export interface CertificatePaths {
  readonly certFile: string;
  readonly keyFile: string;
  /** Only clients with a certificate of this authority are served; all when absent. */
  readonly clientCaFile?: string;
}

/** Where a server's certificate comes from: files, or one that is made at the start and proves nothing. */
export type CertificateSource = CertificatePaths | "self-signed";

/** What Node's TLS wants. */
export interface ServerCertificate {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca?: Buffer;
}

/** Told of each reading of the files; the metrics listen. */
export type ReadingObserver = (outcome: "read" | "error") => void;

// Files behind a mount change by a symlink, which not every file system tells of: looking is what always works.
const LOOK_EVERY_MS = 10_000;
const YEAR_MS = 365 * 24 * 3_600_000;

/** Reads a certificate, and again when it changes. */
export class CertificateFiles {
  readonly #paths: CertificatePaths;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #observe: ReadingObserver;

  constructor(paths: CertificatePaths, clock: Clock, log: Logger, observe: ReadingObserver) {
    this.#paths = paths;
    this.#clock = clock;
    this.#log = log;
    this.#observe = observe;
  }

  /**
   * The certificate as it is now.
   *
   * @throws TsopError `certificate-unreadable` when a file is missing, or the key is another certificate's
   */
  async read(): Promise<ServerCertificate> {
    const { certFile, keyFile, clientCaFile } = this.#paths;
    try {
      const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
      const ca = clientCaFile === undefined ? {} : { ca: await readFile(clientCaFile) };
      const certificate = { cert, key, ...ca };
      // In the middle of a change the files may not fit together.
      createSecureContext(certificate);
      this.#observe("read");
      return certificate;
    } catch (error) {
      this.#observe("error");
      throw new TsopError(
        "certificate-unreadable",
        `The certificate in ${certFile} and ${keyFile} cannot be used: ${messageOf(error)}.`,
        "Check that the Secret with it exists, is mounted there, and holds a certificate and its own key.",
        { cause: error },
      );
    }
  }

  /** Calls `renewed` with each new certificate until `signal` is aborted. One that cannot be used is a line in the log. */
  async follow(
    first: ServerCertificate,
    renewed: (certificate: ServerCertificate) => void,
    signal: AbortSignal,
  ): Promise<void> {
    let known = first;
    for (;;) {
      try {
        await this.#clock.sleep(LOOK_EVERY_MS, signal);
      } catch {
        return;
      }
      try {
        const now = await this.read();
        if (isSame(known, now)) continue;
        renewed(now);
        known = now;
        this.#log.info({ file: this.#paths.certFile }, "the certificate was renewed");
      } catch (error) {
        this.#log.warn({ err: error }, `the old certificate stays: ${messageOf(error)}`);
      }
    }
  }
}

function isSame(one: ServerCertificate, other: ServerCertificate): boolean {
  const same = (a?: Buffer, b?: Buffer): boolean => (a && b ? a.equals(b) : a === b);
  return same(one.cert, other.cert) && same(one.key, other.key) && same(one.ca, other.ca);
}

/** The certificate of a server: files that are followed, or one that stays. */
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

/** A certificate for as long as the process lives: as controller-runtime's, for the name `localhost`. */
function selfSignedCertificate(clock: Clock): ServerCertificate {
  const now = clock.now();
  // It begins an hour ago, so that a client with a slow clock takes it.
  const validity = { from: now - 3_600_000, to: now + 10 * YEAR_MS };
  const { certificate, key } = selfSigned(["localhost", "127.0.0.1"], validity);
  return { cert: Buffer.from(certificate), key: Buffer.from(key) };
}
