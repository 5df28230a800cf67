/** Credentials in files that somebody else renews. */
import type { Clock } from "../../../clock.ts";
import type { CredentialRecipe, CredentialSource, Credentials } from "./credentials.ts";

// The interval of client-go; the kubelet renews a token long before it expires.
const FRESH_MS = 60_000;

/**
 * Reads the files again each minute and after a refusal. While a file is being replaced, the
 * earlier credentials stay in use.
 */
export abstract class RenewedFiles implements CredentialSource {
  readonly #clock: Clock;
  #known: { readonly credentials: Credentials; readonly readAtMs: number } | undefined;
  #stale = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  abstract get recipe(): CredentialRecipe;

  async get(): Promise<Credentials> {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#known;
    if (known && !this.#stale && nowMs - known.readAtMs < FRESH_MS) return known.credentials;
    try {
      this.#known = { credentials: await this.read(), readAtMs: nowMs };
      this.#stale = false;
    } catch (error) {
      if (!this.#known) return this.withoutFiles(error);
    }
    return this.#known.credentials;
  }

  invalidate(): void {
    this.#stale = true;
  }

  protected abstract read(): Promise<Credentials>;

  /** The credentials until the files were read once. @throws the error where there are none */
  protected abstract withoutFiles(error: unknown): Credentials;
}
