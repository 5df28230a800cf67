/** A client certificate in files that somebody else renews. */
import { readFile } from "node:fs/promises";
import type { Clock } from "../../../clock.ts";
import { messageOf, TsopError } from "../../../errors.ts";
import { readPair } from "./certificates.ts";
import type { CertificateFilePaths, CredentialRecipe, Credentials } from "./credentials.ts";
import { RenewedFiles } from "./renewed-files.ts";

export class CertificateFiles extends RenewedFiles {
  readonly #files: CertificateFilePaths;

  constructor(files: CertificateFilePaths, clock: Clock) {
    super(clock);
    this.#files = files;
  }

  get recipe(): CredentialRecipe {
    return { kind: "certificate-files", files: this.#files };
  }

  protected async read(): Promise<Credentials> {
    const { cert, key } = this.#files;
    const texts = await Promise.all([readFile(cert, "utf8"), readFile(key, "utf8")]);
    return { certificate: readPair(...texts) };
  }

  protected withoutFiles(cause: unknown): Credentials {
    throw new TsopError(
      "client-certificate-unreadable",
      `The client certificate ${this.#files.cert} with the key ${this.#files.key} cannot be used: ${messageOf(cause)}.`,
      "Check the files, and that this user may read them.",
      { cause },
    );
  }
}
