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

/** The program and what it is told. */
export interface ExecConfig {
  readonly apiVersion: string;
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly installHint?: string;
  readonly interactiveMode?: "Never" | "IfAvailable" | "Always";
  /** The cluster, for programs that ask for it (`provideClusterInfo`). */
  readonly cluster?: Readonly<Record<string, unknown>>;
}

/** Where credentials come from, as plain data: what another thread makes a source of its own of. */
export type CredentialRecipe =
  | { readonly kind: "fixed"; readonly credentials: Credentials }
  | { readonly kind: "token-file"; readonly path: string }
  | {
      readonly kind: "exec";
      readonly config: ExecConfig;
      readonly environment: Readonly<Record<string, string | undefined>>;
    };

/** Where credentials come from. */
export interface CredentialSource {
  /** What to send now; may read a file or run a program. */
  get(signal?: AbortSignal): Promise<Credentials>;
  /** The server refused the last ones (401): the next `get` must not answer from memory. */
  invalidate(): void;
  /** Absent for a source that cannot be told as data; what needs one runs in the main thread then. */
  readonly recipe?: CredentialRecipe;
}

/** Credentials that never change. */
export function fixedCredentials(credentials: Credentials): CredentialSource {
  return {
    get: () => Promise.resolve(credentials),
    invalidate: () => undefined,
    recipe: { kind: "fixed", credentials },
  };
}
