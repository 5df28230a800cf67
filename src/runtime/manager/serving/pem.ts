/** Certificates and keys in PEM, and their problems. */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { isIP } from "node:net";

/** The period in which a certificate is valid, in milliseconds since 1970. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The certificates in a text, in order; unreadable ones are left out. */
export function certificatesIn(text: string): X509Certificate[] {
  return (text.match(BLOCK) ?? []).flatMap((block) => certificateIn(block) ?? []);
}

/** The first certificate in a text; `undefined` when there is no readable one. */
export function certificateIn(text: string): X509Certificate | undefined {
  try {
    return new X509Certificate(text);
  } catch {
    return undefined;
  }
}

/** The private key in a text; `undefined` when there is no readable one. */
export function privateKeyIn(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    return undefined;
  }
}

/** The period in which a certificate is valid. */
export const periodOf = ({ validFrom, validTo }: X509Certificate): Period => ({
  fromMs: Date.parse(validFrom),
  toMs: Date.parse(validTo),
});

/**
 * The reason why a certificate is not valid now, as the end of a sentence; `undefined` when it is
 * valid.
 */
export function periodProblem(certificate: X509Certificate, nowMs: number): string | undefined {
  const { fromMs, toMs } = periodOf(certificate);
  if (nowMs >= toMs) return `expired on ${new Date(toMs).toISOString()}`;
  if (nowMs < fromMs) return `is not valid before ${new Date(fromMs).toISOString()}`;
  return undefined;
}

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
