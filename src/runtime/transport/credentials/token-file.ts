/** A bearer token in a file that somebody else renews, as the kubelet does for service accounts. */
import { readFile } from "node:fs/promises";
import type { Clock } from "../../../clock.ts";
import { TsopError } from "../../../errors.ts";
import { isHeaderValue } from "../../header.ts";
import type { CredentialRecipe, Credentials } from "./credentials.ts";
import { RenewedFiles } from "./renewed-files.ts";
import { present } from "../../../present.ts";

/** The token in a file, or a stand-in until the file exists. */
export class TokenFile extends RenewedFiles {
  readonly #path: string;
  readonly #standIn: string | undefined;

  constructor(path: string, clock: Clock, standIn?: string) {
    super(clock);
    this.#path = path;
    this.#standIn = standIn;
  }

  get recipe(): CredentialRecipe {
    const token = this.#standIn;
    return { kind: "token-file", path: this.#path, ...present({ token }) };
  }

  protected async read(): Promise<Credentials> {
    const token = (await readFile(this.#path, "utf8")).trim();
    if (token === "") throw new Error("the file is empty");
    if (!isHeaderValue(token)) throw new Error("the file holds more than a token");
    return { token };
  }

  protected withoutFiles(cause: unknown): Credentials {
    if (this.#standIn !== undefined) return { token: this.#standIn };
    throw new TsopError(
      "token-unreadable",
      `The token file ${this.#path} cannot be read.`,
      "Check that the path is correct and that this user has permission to read it.",
      { cause },
    );
  }
}
