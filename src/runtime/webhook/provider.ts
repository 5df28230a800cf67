/** Where the certificate of the webhook server comes from: files, or the operator itself. */
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../log.ts";
import type { Client } from "../client/client.ts";
import {
  CertificateFiles,
  type CertificatePaths,
  type ReadingObserver,
  type ServerCertificate,
} from "../serving/certificate-files.ts";
import type { PlannedAccess } from "../client/access.ts";
import type { WebhookCertificate } from "./certificate.ts";
import type { CertificateProvider } from "./certificates/certificate-provider.ts";
import { SelfManaged } from "./certificates/self-managed.ts";
import { certificateAccess, type HandlerMarks } from "./certificates/targets.ts";

/** The parts that a provider may need. */
export interface ProviderParts {
  /** Neither cached nor fenced: every replica serves webhooks, also those that do not lead. */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** The operator's own. */
  readonly namespace: string;
  readonly observe: ReadingObserver;
  /** The markers of the configurations and CRDs in which the API server finds the certificate. */
  readonly marks: HandlerMarks;
}

export function providerFor(
  certificate: WebhookCertificate,
  parts: ProviderParts,
): CertificateProvider {
  if (!("selfManaged" in certificate)) return fromFiles(certificate, parts);
  const { client, clock, log, marks, observe } = parts;
  const { namePrefix, namespace = parts.namespace } = certificate.selfManaged;
  return new SelfManaged({ client, clock, log, namespace, namePrefix, marks, observe });
}

export function plannedFor(
  certificate: WebhookCertificate,
  marks: HandlerMarks,
  ownNamespace: string,
): PlannedAccess[] {
  if (!("selfManaged" in certificate)) return [];
  const { namePrefix, namespace = ownNamespace } = certificate.selfManaged;
  return certificateAccess(marks, { namePrefix, namespace });
}

/** Follows files; who renews them tells the API server. */
function fromFiles(
  paths: CertificatePaths,
  { clock, log, observe }: ProviderParts,
): CertificateProvider {
  const files = new CertificateFiles(paths, clock, log, observe);
  let served: ServerCertificate | undefined;
  return {
    async start(renewed, signal) {
      const first = await files.read();
      served = first;
      const followed = (certificate: ServerCertificate): void => {
        renewed(certificate);
        served = certificate;
      };
      void files.follow(first, followed, signal);
      return first;
    },
    checkReady() {
      const problem = served && files.periodProblemOf(served);
      if (problem !== undefined) throw new Error(problem);
    },
  };
}
