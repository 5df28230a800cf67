/** The errors of connections, from the codes of Node.js and OpenSSL. */
import { messageOf } from "../../errors.ts";
import { tableOf } from "../../table.ts";
import type { Route } from "./route.ts";
import { ConnectionError, type ConnectionFailure } from "./transport.ts";

const FAILURES = tableOf<ConnectionFailure>({
  ECONNREFUSED: "refused",
  ECONNRESET: "reset",
  EPIPE: "reset",
  ECONNABORTED: "reset",
  ETIMEDOUT: "timeout",
  EHOSTUNREACH: "timeout",
  ENETUNREACH: "timeout",
  ENOTFOUND: "unknown-host",
  EAI_AGAIN: "unknown-host",
});

/** The codes of a server's certificate that leads to no trusted authority. */
const UNTRUSTED = new Set([
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "CERT_SIGNATURE_FAILURE",
  "CERT_HAS_EXPIRED",
]);

/** The error for the user of a connection that failed so. */
export function connectionErrorOf(
  cause: unknown,
  { server, config }: Route,
  reusedConnection: boolean,
): ConnectionError {
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  const failure = FAILURES.get(code) ?? (isTlsCode(code) ? "tls" : "other");
  const { caFile } = config;
  const isUntrusted = UNTRUSTED.has(code) && caFile !== undefined;
  return new ConnectionError(failure, server, messageOf(cause) || code, {
    cause,
    reusedConnection,
    ...(isUntrusted
      ? {
          fix: `Put the certificate authority of the server's present certificate into ${caFile}; it is read again without a restart.`,
        }
      : {}),
  });
}

function isTlsCode(code: string): boolean {
  return /^(UNSPECIFIED$|ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|CRL_|INVALID_|PATH_LENGTH_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_)|EPROTO/.test(
    code,
  );
}
