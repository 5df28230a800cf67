/**
 * OpenID discovery and the public keys, with which others verify tokens of service accounts.
 *
 * @see
 * https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/#service-account-issuer-discovery
 */
import { failure } from "../../../kube/status.ts";
import { ISSUER } from "../../auth/tokens.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { jsonAnswer } from "./render.ts";
import { type Answer, type ApiRequest, headerOf } from "./request.ts";

const KEY_SET = "application/jwk-set+json";
const PUBLIC = { "cache-control": "public, max-age=3600" };

/** The answer to a path of token discovery; `undefined` for any other path. */
export function tokenDiscovery({ tokens }: Cluster, request: ApiRequest): Answer | undefined {
  if (request.path === "/.well-known/openid-configuration") {
    const document = {
      issuer: ISSUER,
      jwks_uri: `https://${headerOf(request, "host")}/openid/v1/jwks`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
    };
    return jsonAnswer(200, document, PUBLIC);
  }
  if (request.path !== "/openid/v1/jwks") return undefined;
  const accept = headerOf(request, "accept");
  if (accept !== "" && !accept.includes(KEY_SET) && !accept.includes("*/*")) {
    throw failure(
      406,
      "NotAcceptable",
      `406: Not Acceptable\n\nAvailable representations: ${KEY_SET}`,
      {},
    );
  }
  return jsonAnswer(200, tokens.keySet(), { ...PUBLIC, "content-type": KEY_SET });
}
