/** A bearer token in a file that another program renews, as the kubelet does for service accounts. */
import { readFile } from "node:fs/promises";
import type { Clock } from "../../../clock.ts";
import { messageOf, TsopError } from "../../../errors.ts";
import { present } from "../../../present.ts";
import { FollowedFiles } from "../../followed-files.ts";
import { isHeaderValue } from "../../header.ts";
import type { CredentialRecipe, Credentials, CredentialSource } from "./credentials.ts";

/** The token in a file, or a stand-in until the file exists. */
export class TokenFile implements CredentialSource {
  readonly #path: string;
  readonly #standIn: string | undefined;
  readonly #file: FollowedFiles<Credentials>;

  constructor(path: string, clock: Clock, standIn?: string) {
    this.#path = path;
    this.#standIn = standIn;
    this.#file = new FollowedFiles({ paths: () => [path], read: () => readToken(path), clock });
  }

  get recipe(): CredentialRecipe {
    const token = this.#standIn;
    return { kind: "token-file", path: this.#path, ...present({ token }) };
  }

  get problem(): string | undefined {
    const { problem } = this.#file;
    return problem && `the token file ${this.#path}: ${messageOf(problem)}`;
  }

  async get(): Promise<Credentials> {
    try {
      return await this.#file.get();
    } catch (cause) {
      if (this.#standIn !== undefined) return { token: this.#standIn };
      throw new TsopError(
        "token-unreadable",
        `The token file ${this.#path} cannot be read: ${messageOf(cause)}.`,
        "Check that the path is correct and that this user has permission to read it.",
        { cause },
      );
    }
  }

  invalidate(): void {
    this.#file.invalidate();
  }
}

async function readToken(path: string): Promise<Credentials> {
  const token = (await readFile(path, "utf8")).trim();
  if (token === "") throw new Error("the file is empty");
  if (!isHeaderValue(token)) throw new Error("the file holds more than a token");
  return { token };
}
