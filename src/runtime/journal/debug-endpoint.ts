/** The options of the endpoint that serves the journal of an operator. */
import { TsopError } from "../../errors.ts";
import type { CertificateSource } from "../serving/certificate-files.ts";
import type { ClientCertificates } from "../serving/client-certificates.ts";

/**
 * An endpoint on loopback: everybody who can connect may read. In a cluster these are the users who
 * may forward ports to the pod.
 */
export interface LocalDebugEndpoint {
  /** The port; 0 takes any free one. */
  readonly port: number;
  /** Answers only requests with `Authorization: Bearer <token>`. */
  readonly token?: string;
  readonly reviewed?: never;
  readonly tls?: never;
  readonly clients?: never;
}

/**
 * An endpoint on all addresses, with TLS, for users of the cluster: a request needs a token whose
 * user may `get` the path.
 */
export interface ReviewedDebugEndpoint {
  /** The port; 0 takes any free one. */
  readonly port: number;
  /** The address; all addresses when absent. */
  readonly host?: string;
  /** The operator needs the right to create TokenReviews and SubjectAccessReviews. */
  readonly reviewed: true;
  /** The certificate, as for the metrics. */
  readonly tls: CertificateSource;
  /** The clients that are answered; all when absent. */
  readonly clients?: ClientCertificates;
  readonly token?: never;
}

/**
 * The endpoint that serves the journal of reconciles. The journal is as confidential as the objects
 * in it; Secrets are left out.
 */
export type DebugEndpoint = LocalDebugEndpoint | ReviewedDebugEndpoint;

/** The variable by which `tsop dev` asks for the endpoint: `<port>:<token>`. */
export const DEBUG_VARIABLE = "TSOP_DEBUG_ENDPOINT";

/** The log message of a served debug endpoint; its field `url` has the address. */
export const DEBUG_SERVED = "the debug endpoint is served";

/** The endpoint that the environment asks for. @throws TsopError `bad-flag` */
export function debugOfEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): LocalDebugEndpoint | undefined {
  const text = env[DEBUG_VARIABLE];
  if (text === undefined) return undefined;
  const [, port, token] = /^(\d{1,5}):([\w-]{16,})$/.exec(text) ?? [];
  if (port !== undefined && token !== undefined && Number(port) <= 65_535) {
    return { port: Number(port), token };
  }
  throw new TsopError(
    "bad-flag",
    `${DEBUG_VARIABLE} is not a port and a token: PORT:TOKEN, with a token of 16 characters or more.`,
    "Unset it: `tsop dev` sets it for the operator that it runs.",
  );
}
