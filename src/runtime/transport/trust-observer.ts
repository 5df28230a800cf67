/** The reports about renewed servers, certificates and tokens. */

/** A part of the trust between this process and an API server. */
export interface TrustItem {
  readonly what: "server" | "certificate-authority" | "client-certificate" | "token";
  /** The file that it is read from; absent if it is part of the kubeconfig. */
  readonly file?: string | undefined;
  /** The address, for a server. */
  readonly address?: string;
  /** The period in which it is valid, in milliseconds since 1970; absent if it has none. */
  readonly validFromMs?: number;
  readonly validUntilMs?: number;
}

export interface TrustObserver {
  /** Called with each item that is used for the first time, and each that took the place of one. */
  used(item: TrustItem, isRenewal: boolean): void;
  /** Called when renewed files cannot be used, with the reason, and without one when they can. */
  unusable(reason: string | undefined): void;
}

/** The message about renewed files that cannot be used. */
export const unusableFiles = (reason: string): string =>
  `The files of the API server's access changed and cannot be used: ${reason}. The earlier content stays in use; correct the files, which are read again without a restart.`;
