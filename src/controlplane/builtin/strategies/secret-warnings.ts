/**
 * What the writer of a certificate and its key is told although the Secret is let through: that they are no pair.
 *
 * @module
 */
import { type KeyObject, X509Certificate, createPrivateKey } from "node:crypto";
import type { SentObject } from "../../../kube/object.ts";
import type { Secret } from "./shapes.ts";

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g;

/** Warnings on Secrets of the type `kubernetes.io/tls`. */
export function secretWarnings(object: SentObject): string[] {
  const { type, data = {} } = object as Secret;
  if (type !== "kubernetes.io/tls") return [];
  const decode = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString("utf8");
  const problem = pairProblem(decode("tls.crt"), decode("tls.key"));
  return problem === undefined ? [] : [problem];
}

/** What is wrong with a certificate and its key, in the words of Go's crypto/tls. */
function pairProblem(certificate: string, key: string): string | undefined {
  const blocks = [...certificate.matchAll(BLOCK)];
  const leaf = blocks.find(([, type]) => type === "CERTIFICATE")?.[0];
  if (leaf === undefined) {
    if (blocks.length === 0) return "tls: failed to find any PEM data in certificate input";
    const types = blocks.map(([, type]) => type).join(" ");
    return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types}]`;
  }
  const keys = [...key.matchAll(BLOCK)];
  const wanted = keys.find(([, type = ""]) => type.endsWith("PRIVATE KEY"))?.[0];
  if (wanted === undefined) {
    if (keys.length === 0) return "tls: failed to find any PEM data in key input";
    const types = keys.map(([, type]) => type).join(" ");
    return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${types}]`;
  }
  let parsed: X509Certificate;
  let secret: KeyObject;
  try {
    parsed = new X509Certificate(leaf);
  } catch {
    return "x509: malformed certificate";
  }
  try {
    secret = createPrivateKey(wanted);
  } catch {
    return "tls: failed to parse private key";
  }
  return parsed.checkPrivateKey(secret) ? undefined : "tls: private key does not match public key";
}
