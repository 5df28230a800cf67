/**
 * Who the runtime is to the API server: a bearer token or a client certificate, possibly renewed.
 *
 * @module
 */

/** What goes with a request. Certificates and keys are PEM. */
export interface Credentials {
  readonly token?: string;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly certificate?: { readonly cert: string; readonly key: string };
}

/** Where credentials come from. */
export interface CredentialSource {
  /** What to send now; may read a file or run a program. */
  get(signal?: AbortSignal): Promise<Credentials>;
  /** The server refused the last ones (401): the next `get` must not answer from memory. */
  invalidate(): void;
}

/** Credentials that never change. */
export function fixedCredentials(credentials: Credentials): CredentialSource {
  return { get: () => Promise.resolve(credentials), invalidate: () => undefined };
}
