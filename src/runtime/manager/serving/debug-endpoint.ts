/** Where the journal of an operator is served, and to whom. */
import { TsopError } from "../../../errors.ts";
import type { CertificateSource } from "./certificate-files.ts";

/** On loopback: who may reach that may read. In a cluster that is who may forward ports to the pod. */
export interface LocalDebugEndpoint {
  /** 0: any free one. */
  readonly port: number;
  /** Only for who sends `Authorization: Bearer <token>`. */
  readonly token?: string;
  readonly reviewed?: never;
  readonly tls?: never;
}

/** Everywhere, with TLS: who comes with a token that the cluster knows and whose user may `get` the path may read. */
export interface ReviewedDebugEndpoint {
  /** 0: any free one. */
  readonly port: number;
  /** All addresses when absent. */
  readonly host?: string;
  /** The operator needs the right to create TokenReviews and SubjectAccessReviews. */
  readonly reviewed: true;
  /** As for the metrics. */
  readonly tls: CertificateSource;
  readonly token?: never;
}

/** Where an operator tells what its reconciles did. What it tells is as confidential as the objects; Secrets are left out. */
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
