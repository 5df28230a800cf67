/**
 * The requests that Kubernetes' own signers sign.
 *
 * @see
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers
 */
import type { AlternativeName, CertificateRequest } from "../../auth/certificate-request.ts";

export const KUBELET_CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client-kubelet";
const NODES = "system:nodes";
const NODE_PREFIX = "system:node:";
const SHOWN: Readonly<Record<AlternativeName, string>> = {
  dns: "DNS",
  email: "Email",
  ip: "IP",
  uri: "URI",
};

type Check = (request: CertificateRequest, usages: readonly string[]) => string | undefined;

/** The checks of signers, by name: why one does not sign a request, or `undefined` when it does. */
export const SIGNER_CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["kubernetes.io/kube-apiserver-client", (_request, usages) => clientProblem(usages)],
  [
    KUBELET_CLIENT_SIGNER,
    (request, usages) =>
      organizationProblem(request) ??
      namesProblem(request, ["dns", "email", "ip", "uri"]) ??
      nodeNameProblem(request) ??
      kubeletUsagesProblem(usages, "client auth"),
  ],
  [
    "kubernetes.io/kubelet-serving",
    (request, usages) =>
      organizationProblem(request) ??
      (request.counts.dns + request.counts.ip === 0
        ? "DNS or IP subjectAltName is required"
        : undefined) ??
      namesProblem(request, ["email", "uri"]) ??
      kubeletUsagesProblem(usages, "server auth") ??
      nodeNameProblem(request),
  ],
]);

function organizationProblem({ subject }: CertificateRequest): string | undefined {
  const { organizations } = subject;
  const isNodes = organizations.length === 1 && organizations[0] === NODES;
  return isNodes ? undefined : `subject organization is not ${NODES}`;
}

function nodeNameProblem({ subject }: CertificateRequest): string | undefined {
  if (subject.commonName.startsWith(NODE_PREFIX)) return undefined;
  return `subject common name does not begin with ${NODE_PREFIX}`;
}

function namesProblem(
  { counts }: CertificateRequest,
  refused: readonly AlternativeName[],
): string | undefined {
  const found = refused.find((sort) => counts[sort] > 0);
  return found && `${SHOWN[found]} subjectAltNames are not allowed`;
}

/** Why the usages are wrong; `key encipherment` may be absent, as only RSA needs it. */
function kubeletUsagesProblem(usages: readonly string[], purpose: string): string | undefined {
  const wanted = [purpose, "digital signature"].sort();
  const all = [...wanted, "key encipherment"].sort();
  const given = [...new Set(usages)].sort().join();
  if (given === wanted.join() || given === all.join()) return undefined;
  return `usages did not match [${all.join(" ")}]`;
}

function clientProblem(usages: readonly string[]): string | undefined {
  const allowed = ["digital signature", "key encipherment", "client auth"];
  const other = usages.find((usage) => !allowed.includes(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  if (usages.includes("client auth")) return undefined;
  return "missing required usage for client certificate: client auth";
}
