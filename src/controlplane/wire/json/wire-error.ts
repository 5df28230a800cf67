/**
 * The error of a body that is not of the expected kind: the message is the API server's, for callers
 * to put into their own words.
 */
export class WireError extends Error {
  override readonly name = "WireError";
}

/** The result of `read`; its WireError becomes the error that `refuse` makes of the message. */
export function orRefuse<T>(read: () => T, refuse: (message: string) => Error): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof WireError ? refuse(error.message) : error;
  }
}

/** The message about a type that a scheme of Go does not know. */
export const unregistered = (kind: string, apiVersion: string, scheme: string): string =>
  `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "${scheme}"`;

/** The scheme of the built-in kinds. */
export const LEGACY_SCHEME = "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30";
