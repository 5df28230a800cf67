/**
 * Who the runtime is to the API server: a bearer token or a client certificate, possibly renewed.
 */

/** The credentials of a request. Certificates and keys are PEM. */
export interface Credentials {
  readonly token?: string;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly certificate?: { readonly cert: string; readonly key: string };
}

/** The program and what it is told. */
export interface ExecConfig {
  readonly apiVersion: string;
  /** A path, or a name that is looked for in `PATH`. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Beside the variables of this process. */
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  /** How to get the program; shown when it is not there. */
  readonly installHint?: string;
  readonly interactiveMode?: "Never" | "IfAvailable" | "Always";
  /** The cluster, for programs that ask for it (`provideClusterInfo`). */
  readonly cluster?: Readonly<Record<string, unknown>>;
}

/** Where credentials come from, as plain data: what another thread makes a source of its own of. */
export type CredentialRecipe =
  | { readonly kind: "fixed"; readonly credentials: Credentials }
  | { readonly kind: "token-file"; readonly path: string; readonly token?: string }
  | { readonly kind: "certificate-files"; readonly files: CertificateFilePaths }
  | { readonly kind: "combined"; readonly parts: readonly CredentialRecipe[] }
  | {
      readonly kind: "exec";
      readonly config: ExecConfig;
      readonly environment: Readonly<Record<string, string | undefined>>;
    };

/** Where a client certificate and its key are. */
export interface CertificateFilePaths {
  readonly cert: string;
  readonly key: string;
}

/** Where credentials come from. */
export interface CredentialSource {
  /**
   * The present credentials; may read a file or run a program.
   *
   * @param signal - who asks does not wait any more when it is aborted
   */
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

/** The credentials of several sources, together: a token from a file beside a certificate. */
export function combinedCredentials(sources: readonly CredentialSource[]): CredentialSource {
  const [only] = sources;
  if (only && sources.length === 1) return only;
  const parts = sources.flatMap(({ recipe }) => recipe ?? []);
  return {
    get: async (signal) => {
      const all = await Promise.all(sources.map((source) => source.get(signal)));
      return Object.assign({}, ...all) as Credentials;
    },
    invalidate: () => {
      for (const source of sources) source.invalidate();
    },
    ...(parts.length === sources.length ? { recipe: { kind: "combined", parts } } : {}),
  };
}
