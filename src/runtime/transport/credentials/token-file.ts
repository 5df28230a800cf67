/** A bearer token in a file that somebody else renews, as the kubelet does for service accounts. */
import { readFile } from "node:fs/promises";
import type { Clock } from "../../../clock.ts";
import { TsopError } from "../../../errors.ts";
import { isHeaderValue } from "../header.ts";
import type { CredentialRecipe, CredentialSource, Credentials } from "./credentials.ts";
import { present } from "../../../present.ts";

// The interval of client-go; the kubelet renews the token long before it expires.
const FRESH_MS = 60_000;

/**
 * The token in `path`, read again each minute and after a refusal. A failed read does no harm while
 * an earlier token is known, or one that replaces it until the file exists.
 */
export class TokenFile implements CredentialSource {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #standIn: string | undefined;
  #known: { readonly credentials: Credentials; readonly readAtMs: number } | undefined;
  #stale = false;

  constructor(path: string, clock: Clock, standIn?: string) {
    this.#path = path;
    this.#clock = clock;
    this.#standIn = standIn;
  }

  async get(): Promise<Credentials> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#known && !this.#stale && nowMs - this.#known.readAtMs < FRESH_MS) {
      return this.#known.credentials;
    }
    try {
      const token = (await readFile(this.#path, "utf8")).trim();
      if (token === "") throw new Error("the file is empty");
      if (!isHeaderValue(token)) throw new Error("the file holds more than a token");
      this.#known = { credentials: { token }, readAtMs: nowMs };
      this.#stale = false;
    } catch (error) {
      if (!this.#known) {
        if (this.#standIn !== undefined) return { token: this.#standIn };
        throw new TsopError(
          "token-unreadable",
          `The token file ${this.#path} cannot be read.`,
          "Check that the path is correct and that this user has permission to read it.",
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
    const token = this.#standIn;
    return { kind: "token-file", path: this.#path, ...present({ token }) };
  }
}
