/** The shape of a PodCertificateRequest, and the key that it asks a certificate for. */
import { type KeyObject, createPublicKey } from "node:crypto";
import type { SentObject } from "../../../../../kube/object.ts";
import { readRequestBytes } from "../../../../auth/certificate-request.ts";
import type { ShownCondition } from "../../../shared/conditions.ts";

/** A PodCertificateRequest. */
export interface PodCertificateRequest extends SentObject {
  spec?: {
    signerName?: string;
    podName?: string;
    podUID?: string;
    serviceAccountName?: string;
    serviceAccountUID?: string;
    nodeName?: string;
    nodeUID?: string;
    maxExpirationSeconds?: number;
    /** PKCS#10, DER in base64. */
    stubPKCS10Request?: string;
    unverifiedUserAnnotations?: Record<string, string>;
  };
  status?: {
    conditions?: ShownCondition[];
    certificateChain?: string;
    notBefore?: string;
    beginRefreshAt?: string;
    notAfter?: string;
  };
}

/** The key in a request, and whether its owner signed the request; `undefined` when it is malformed. */
export function keyOf(base64: string): { key: KeyObject; isSigned: boolean } | undefined {
  try {
    const { publicKey, isSigned } = readRequestBytes(Buffer.from(base64, "base64"));
    return { key: createPublicKey({ key: publicKey, format: "der", type: "spki" }), isSigned };
  } catch {
    // Which part is malformed is not told: the server says only that the request is not valid.
    return undefined;
  }
}
