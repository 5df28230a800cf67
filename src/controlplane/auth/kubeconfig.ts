/** The kubeconfig, with which any client of Kubernetes reaches the control plane. */
import type { KeyObject } from "node:crypto";
import type { KeyPair } from "../../kube/x509/certificate.ts";

/** The user of a kubeconfig. */
export interface Identity {
  readonly user: string;
  readonly groups?: readonly string[];
  /** The client's private key, RSA or EC. Defaults to a new EC key. */
  readonly key?: KeyObject;
}

/** The administrator. */
export const ADMIN: Identity = { user: "admin", groups: ["system:masters"] };

const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");

/** A kubeconfig in YAML with one cluster, one user with a client certificate, and one context. */
export function kubeconfigText(
  server: string,
  caCertificate: string,
  user: string,
  credentials: KeyPair,
): string {
  const name = JSON.stringify(user);
  return `apiVersion: v1
kind: Config
clusters:
  - name: tsop
    cluster:
      server: ${server}
      certificate-authority-data: ${base64(caCertificate)}
users:
  - name: ${name}
    user:
      client-certificate-data: ${base64(credentials.certificate)}
      client-key-data: ${base64(credentials.key)}
contexts:
  - name: tsop
    context:
      cluster: tsop
      user: ${name}
current-context: tsop
`;
}
