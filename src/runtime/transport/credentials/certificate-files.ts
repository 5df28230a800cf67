/** A client certificate in files that another program renews. */
import { readFile } from "node:fs/promises";
import type { Clock } from "../../../clock.ts";
import { messageOf, TsopError } from "../../../errors.ts";
import { FollowedFiles } from "../../followed-files.ts";
import { readPair } from "./certificates.ts";
import type {
  CertificateFilePaths,
  CredentialRecipe,
  Credentials,
  CredentialSource,
} from "./credentials.ts";

export class CertificateFiles implements CredentialSource {
  readonly #paths: CertificateFilePaths;
  readonly #files: FollowedFiles<Credentials>;

  constructor(paths: CertificateFilePaths, clock: Clock) {
    const { cert, key } = paths;
    this.#paths = paths;
    this.#files = new FollowedFiles({
      paths: () => [cert, key],
      read: async () => {
        const texts = await Promise.all([readFile(cert, "utf8"), readFile(key, "utf8")]);
        return { certificate: readPair(...texts) };
      },
      clock,
    });
  }

  get recipe(): CredentialRecipe {
    return { kind: "certificate-files", files: this.#paths };
  }

  get problem(): string | undefined {
    const { problem } = this.#files;
    const { cert, key } = this.#paths;
    return problem && `the client certificate ${cert} with the key ${key}: ${messageOf(problem)}`;
  }

  async get(): Promise<Credentials> {
    try {
      return await this.#files.get();
    } catch (cause) {
      const { cert, key } = this.#paths;
      throw new TsopError(
        "client-certificate-unreadable",
        `The client certificate ${cert} with the key ${key} cannot be used: ${messageOf(cause)}.`,
        "Check the files, and that this user may read them.",
        { cause },
      );
    }
  }

  invalidate(): void {
    this.#files.invalidate();
  }
}
