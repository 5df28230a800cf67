/** A client certificate in files that somebody else renews. */
import { readFile } from "node:fs/promises";
import type { Clock } from "../../../clock.ts";
import { messageOf, TsopError } from "../../../errors.ts";
import { readPair } from "./certificates.ts";
import type {
  CertificateFilePaths,
  CredentialRecipe,
  CredentialSource,
  Credentials,
} from "./credentials.ts";

const FRESH_MS = 60_000;

/**
 * The certificate and key in two files, read again each minute and after a refusal. While one of
 * the files is being replaced, the earlier pair stays in use.
 */
export class CertificateFiles implements CredentialSource {
  readonly #files: CertificateFilePaths;
  readonly #clock: Clock;
  #known: { readonly credentials: Credentials; readonly readAtMs: number } | undefined;
  #stale = false;

  constructor(files: CertificateFilePaths, clock: Clock) {
    this.#files = files;
    this.#clock = clock;
  }

  async get(): Promise<Credentials> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#known && !this.#stale && nowMs - this.#known.readAtMs < FRESH_MS) {
      return this.#known.credentials;
    }
    try {
      const { cert, key } = this.#files;
      const texts = await Promise.all([readFile(cert, "utf8"), readFile(key, "utf8")]);
      this.#known = { credentials: { certificate: readPair(...texts) }, readAtMs: nowMs };
      this.#stale = false;
    } catch (error) {
      if (!this.#known) {
        throw new TsopError(
          "client-certificate-unreadable",
          `The client certificate ${this.#files.cert} with the key ${this.#files.key} cannot be used: ${messageOf(error)}.`,
          "Check the files, and that this user may read them.",
          { cause: error },
        );
      }
    }
    return this.#known.credentials;
  }

  invalidate(): void {
    this.#stale = true;
  }

  get recipe(): CredentialRecipe {
    return { kind: "certificate-files", files: this.#files };
  }
}
