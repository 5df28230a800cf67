/** The credentials for an API server: a bearer token or a client certificate, possibly renewed. */

/** The credentials of a request. Certificates and keys are PEM. */
export interface Credentials {
  readonly token?: string;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly certificate?: { readonly cert: string; readonly key: string };
}

/** The program that gives credentials, and its input. */
export interface ExecConfig {
  readonly apiVersion: string;
  /** A path, or a name to find in `PATH`. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Variables in addition to those of this process. */
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  /** How to install the program; shown when it does not exist. */
  readonly installHint?: string;
  readonly interactiveMode?: "Never" | "IfAvailable" | "Always";
  /** The cluster, for programs that ask for it (`provideClusterInfo`). */
  readonly cluster?: Readonly<Record<string, unknown>>;
}

/** The source of credentials as plain data, from which another thread makes its own source. */
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

/** The files of a client certificate and its key. */
export interface CertificateFilePaths {
  readonly cert: string;
  readonly key: string;
}

/** A source of credentials. */
export interface CredentialSource {
  /**
   * The present credentials; may read a file or run a program.
   *
   * @param signal - aborted when the caller stops waiting
   */
  get(signal?: AbortSignal): Promise<Credentials>;
  /**
   * Notes that the server refused the last ones (401): the next `get` must not answer from memory.
   */
  invalidate(): void;
  /**
   * The source as plain data; absent for a source that cannot be sent to another thread: its users
   * then run in the main thread.
   */
  readonly recipe?: CredentialRecipe;
  /**
   * The reason why a renewal cannot be used, so that earlier credentials stay in use: the part of a
   * sentence. Absent for a source without files, and while all is well.
   */
  readonly problem?: string | undefined;
}

export function fixedCredentials(credentials: Credentials): CredentialSource {
  return {
    get: () => Promise.resolve(credentials),
    invalidate: () => undefined,
    recipe: { kind: "fixed", credentials },
  };
}

/** The combined credentials of several sources: a token from a file and a certificate. */
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
    get problem() {
      return sources.find(({ problem }) => problem !== undefined)?.problem;
    },
    ...(parts.length === sources.length ? { recipe: { kind: "combined", parts } } : {}),
  };
}
