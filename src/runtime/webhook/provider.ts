/**
 * Where the certificate of the webhook server comes from: files, or the operator itself.
 *
 * @module
 */
import type { Clock } from "../../clock.ts";
import { TsopError } from "../../errors.ts";
import type { ConversionMark, WebhookMark } from "../../kube/webhook-marks.ts";
import type { Logger } from "../../log.ts";
import type { Client } from "../client/client.ts";
import {
  CertificateFiles,
  type CertificatePaths,
  type ReadingObserver,
} from "../manager/certificate-files.ts";
import type { CertificateProvider, WebhookCertificate } from "./certificate.ts";

/** What a provider may need. */
export interface ProviderParts {
  /** Neither cached nor fenced: every replica serves webhooks, also those that do not lead. */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** The operator's own. */
  readonly namespace: string;
  readonly observe: ReadingObserver;
  /** What is served: the configurations and CRDs that the API server must be told of the certificate in. */
  readonly webhooks: readonly WebhookMark[];
  readonly conversions: readonly ConversionMark[];
}

/** The provider of a certificate. @throws TsopError */
export function providerFor(
  certificate: WebhookCertificate,
  parts: ProviderParts,
): CertificateProvider {
  if ("selfManaged" in certificate) {
    throw new TsopError(
      "self-managed-not-yet",
      "The webhook server cannot issue its certificate itself yet.",
      "Give it the paths of a certificate and its key: { certFile, keyFile }.",
    );
  }
  return fromFiles(certificate, parts);
}

/** Follows files; who renews them tells the API server. */
function fromFiles(
  paths: CertificatePaths,
  { clock, log, observe }: ProviderParts,
): CertificateProvider {
  const files = new CertificateFiles(paths, clock, log, observe);
  return {
    async start(renewed, signal) {
      const first = await files.read();
      void files.follow(first, renewed, signal);
      return first;
    },
    checkReady: () => undefined,
  };
}
