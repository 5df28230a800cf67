/** The clients that a server with TLS answers: those with a certificate of an authority, which is read from a file and followed. */
import { readFile } from "node:fs/promises";
import { createSecureContext, type TLSSocket } from "node:tls";
import type { Clock } from "../../clock.ts";
import { messageOf, TsopError } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { endsInBlock, HALF_WRITTEN } from "../../kube/x509/pem-text.ts";
import { FollowedFiles } from "../followed-files.ts";
import { followFiles, LOOKS } from "./follow-files.ts";
import { certificatesIn, type Period, periodOf } from "./pem.ts";

/** The clients that a server answers. */
export interface ClientCertificates {
  /** A file with the certificates of the authorities that sign those of clients, in PEM. It is read again when it changes. */
  readonly caFile: string;
  /** The common names of accepted certificates; all that the authorities signed when absent. */
  readonly names?: readonly string[];
}

/** The authorities in a file. */
export class ClientAuthorities {
  readonly #caFile: string;
  readonly #names: ReadonlySet<string> | undefined;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #verdicts = new WeakMap<TLSSocket, string | Period>();

  constructor({ caFile, names }: ClientCertificates, clock: Clock, log: Logger) {
    this.#caFile = caFile;
    this.#names = names && new Set(names);
    this.#clock = clock;
    this.#log = log;
  }

  /** @throws TsopError `certificate-unreadable` when the file is missing or holds something else */
  async read(): Promise<Buffer> {
    try {
      const ca = await readFile(this.#caFile);
      if (endsInBlock(ca.toString())) throw new Error(`the file ${HALF_WRITTEN}`);
      if (certificatesIn(ca.toString()).length === 0) {
        throw new Error("it does not contain a readable PEM certificate");
      }
      // OpenSSL refuses further certificates.
      createSecureContext({ ca });
      return ca;
    } catch (error) {
      throw new TsopError(
        "certificate-unreadable",
        `The authorities of client certificates in ${this.#caFile} cannot be used: ${messageOf(error)}.`,
        "Check that the Secret or ConfigMap with them exists, is mounted there, and holds certificates in PEM.",
        { cause: error },
      );
    }
  }

  /** Calls `changed` with each new content until `signal` is aborted; what cannot be used is logged, and the last good one stays. */
  async follow(first: Buffer, changed: (ca: Buffer) => void, signal: AbortSignal): Promise<void> {
    let known = first;
    let problem: Error | undefined;
    const files = new FollowedFiles({
      ...LOOKS,
      paths: () => [this.#caFile],
      read: () => this.read(),
      clock: this.#clock,
      first,
    });
    await followFiles(this.#clock, signal, async () => {
      const found = await files.get();
      if (files.problem && files.problem.message !== problem?.message) {
        const why = messageOf(files.problem);
        this.#log.warn({ file: this.#caFile }, `the old authorities stay in use: ${why}`);
      }
      problem = files.problem;
      if (found.equals(known)) return;
      known = found;
      changed(found);
      this.#log.info({ file: this.#caFile }, "the authorities of client certificates were renewed");
    });
  }

  /** Why the client of a connection is not answered now; `undefined` when it is. */
  problemOf(socket: TLSSocket): string | undefined {
    const verdict = this.#verdicts.get(socket) ?? this.#verdictOf(socket);
    this.#verdicts.set(socket, verdict);
    if (typeof verdict === "string") return verdict;
    // A resumed connection is not verified again, and any other one was verified when it was opened.
    if (this.#clock.now() <= verdict.toMs) return undefined;
    return `the certificate of the client expired on ${new Date(verdict.toMs).toISOString()}`;
  }

  /** Why it is never answered, or how long it is. */
  #verdictOf(socket: TLSSocket): string | Period {
    // Node.js calls a resumed connection authorized although no certificate was shown when it began.
    const certificate = socket.getPeerX509Certificate();
    if (!socket.authorized || !certificate) {
      return `the client has no certificate that an authority in ${this.#caFile} signed`;
    }
    if (!this.#names) return periodOf(certificate);
    const { subject } = socket.getPeerCertificate() as { subject?: { CN?: string | string[] } };
    const name = subject?.CN;
    if (typeof name === "string" && this.#names.has(name)) return periodOf(certificate);
    return `the certificate of the client is of ${JSON.stringify(name ?? "")}, not of ${[...this.#names].join(" or ")}`;
  }
}
