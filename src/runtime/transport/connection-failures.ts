/** The errors of connections, from the codes of Node.js and OpenSSL. */
import { reasonOf } from "../../errors.ts";
import { present } from "../../present.ts";
import { tableOf } from "../../table.ts";
import { AnswerError } from "./answer-parser.ts";
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
]);

/** The failure of a connection, and its circumstances. */
interface Circumstances {
  /** Whether the connection had served an earlier request. */
  readonly reused?: boolean;
  /** Whether the answer had begun. */
  readonly answered?: boolean;
}

/** The error for the user of a connection that failed so. */
export function connectionErrorOf(
  cause: unknown,
  { server, config }: Pick<Route, "server" | "config">,
  { reused = false, answered = false }: Circumstances = {},
): ConnectionError {
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  const failure = failureOf(cause, code);
  const fix = fixOf(code, config.caFile);
  return new ConnectionError(failure, server, reasonOf(cause), {
    cause,
    reusedConnection: reused,
    ...(answered && failure !== "answer" ? { subject: "connection" } : {}),
    ...present({ fix }),
  });
}

function fixOf(code: string, caFile: string | undefined): string | undefined {
  if (code === "CERT_HAS_EXPIRED") {
    return "Renew the API server's certificate, or the certificate authority that signed it.";
  }
  return UNTRUSTED.has(code) && caFile !== undefined
    ? `Put the certificate authority of the server's present certificate into ${caFile}; it is read again without a restart.`
    : undefined;
}

function failureOf(cause: unknown, code: string): ConnectionFailure {
  if (cause instanceof AnswerError) return "answer";
  return FAILURES.get(code) ?? (isTlsCode(code) ? "tls" : "other");
}

function isTlsCode(code: string): boolean {
  return /^(UNSPECIFIED$|ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|CRL_|INVALID_|PATH_LENGTH_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_)|EPROTO/.test(
    code,
  );
}
