/**
 * What the Secret of a Certificate is worth.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { secretText } from "tsop";
import type { Secret } from "tsop/k8s";

/** From when until when a certificate is valid. */
export interface Validity {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** The validity of what a Secret has, if that is a certificate for exactly these hosts, and its key. */
export function validityOf(
  secret: Pick<Secret, "data">,
  hosts: readonly string[],
): Validity | undefined {
  const [key, chain] = [secretText(secret, "tls.key"), secretText(secret, "tls.crt")];
  if (!key || !chain) return undefined;
  try {
    const certificate = new X509Certificate(chain);
    const { subjectAltName, validFrom, validTo } = certificate;
    const names = subjectAltName?.split(", ").map((name) => name.replace("DNS:", ""));
    if (!certificate.checkPrivateKey(createPrivateKey(key)) || !sameHosts(names, hosts))
      return undefined;
    return { notBeforeMs: Date.parse(validFrom), notAfterMs: Date.parse(validTo) };
  } catch {
    return undefined; // Somebody wrote something else into it: it is made anew.
  }
}

/** Whether two lists have the same hosts. */
export function sameHosts(some: readonly string[] = [], others: readonly string[]): boolean {
  const [one, other] = [new Set(some), new Set(others)];
  return one.size === other.size && [...one].every((host) => other.has(host));
}
