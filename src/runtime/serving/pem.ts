/** Certificates and keys in PEM, and their problems. */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { certificatesInPem } from "../../kube/x509/pem.ts";

/** The period in which a certificate is valid, in milliseconds since 1970. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The certificates in a text, in order; unreadable ones are left out. */
export const certificatesIn = (text: string): readonly X509Certificate[] => bundleIn(text) ?? [];

/** The first certificate in a text; `undefined` when there is no readable one. */
export const certificateIn = remembering(16, (text) => new X509Certificate(text));

const bundleIn = remembering(16, certificatesInPem);

/** The private key in a text; `undefined` when there is no readable one. */
export const privateKeyIn = remembering(2, (text): KeyObject => createPrivateKey(text));

/**
 * Parses texts and keeps the results of the last `count`: an operator looks at the same certificates and keys again and
 * again. Few keys are kept, so that a replaced key soon leaves the memory.
 */
function remembering<T>(
  count: number,
  parse: (text: string) => T,
): (text: string) => T | undefined {
  const known = new Map<string, T>();
  return (text) => {
    let found = known.get(text);
    try {
      found ??= parse(text);
    } catch {
      return undefined;
    }
    // The last one that was asked for is the last in the map.
    known.delete(text);
    known.set(text, found);
    for (const oldest of known.keys()) {
      if (known.size <= count) break;
      known.delete(oldest);
    }
    return found;
  };
}

/** The period in which a certificate is valid. */
export const periodOf = ({ validFrom, validTo }: X509Certificate): Period => ({
  fromMs: Date.parse(validFrom),
  toMs: Date.parse(validTo),
});

/** Why a certificate is not valid now, as the end of a sentence; `undefined`: it is. */
export function periodProblem(certificate: X509Certificate, nowMs: number): string | undefined {
  const { fromMs, toMs } = periodOf(certificate);
  if (nowMs >= toMs) return `expired on ${new Date(toMs).toISOString()}`;
  if (nowMs < fromMs) return `is not valid before ${new Date(fromMs).toISOString()}`;
  return undefined;
}

/** cert-manager, kubeadm and the kubelet renew before the last tenth of a period. */
const LAST_SHARE = 0.1;

/** Whether the period is so nearly over that whatever renews the certificate must have failed. */
export const isNearlyOver = ({ fromMs, toMs }: Period, nowMs: number): boolean =>
  toMs - nowMs < (toMs - fromMs) * LAST_SHARE;

/** Whether less than a third of its period is left. */
export function isDue(certificate: X509Certificate, nowMs: number): boolean {
  const { fromMs, toMs } = periodOf(certificate);
  return toMs - nowMs < (toMs - fromMs) / 3;
}

/** The names that a certificate does not cover. */
export function namesMissingIn(certificate: X509Certificate, names: readonly string[]): string[] {
  return names.filter((name) =>
    isIP(name) === 0
      ? certificate.checkHost(name, { subject: "never" }) === undefined
      : certificate.checkIP(name) === undefined,
  );
}
