/** Requests to an extension API server behind a Service, as the front proxy that it trusts. */
import type { IncomingMessage } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import type { KeyPair } from "../../kube/x509/certificate.ts";
import type { ApiService } from "../builtin/kinds/apiregistration/api-service.ts";
import { GoTrustAgent, certificatesOf } from "../admission/webhook-certificate.ts";
import { networkProblem } from "../admission/webhook-failures.ts";

/** A request, with the header names and values to send. */
export interface Sent {
  readonly method: string;
  /** With the query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
}

type Spec = ApiService["spec"];

/** The host name in the certificate of a Service's server. */
const serverName = ({ service }: Spec): string =>
  `${service?.name ?? ""}.${service?.namespace ?? ""}.svc`;

/**
 * Sends a request to the server of an APIService.
 *
 * @param address - `host:port` on this machine
 * @throws Error in Go's words
 */
export async function sendTo(
  spec: Spec,
  address: string,
  frontProxy: KeyPair,
  { method, target, headers, body, signal }: Sent,
): Promise<IncomingMessage> {
  const colon = address.lastIndexOf(":");
  const host = serverName(spec);
  const { certificate: cert, key } = frontProxy;
  const credentials = { cert, key, servername: host };
  const agent = spec.insecureSkipTLSVerify
    ? new Agent({ ...credentials, rejectUnauthorized: false })
    : new GoTrustAgent(host, spec.caBundle ? certificatesOf(spec.caBundle) : [], credentials);
  return new Promise((resolve, reject) => {
    const sent = httpsRequest({
      method,
      path: target,
      host: address.slice(0, colon).replace(/^\[|\]$/g, ""),
      port: Number(address.slice(colon + 1)),
      headers: { ...headers, host } as Record<string, string | string[]>,
      agent,
      ...(signal ? { signal } : {}),
    });
    sent.on("response", resolve);
    sent.on("error", (error) => reject(new Error(networkProblem(error), { cause: error })));
    sent.end(body);
  });
}

/** The whole body of an answer. */
export async function bodyOf(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
