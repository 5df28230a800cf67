import {
  controllerFor,
  CustomResource,
  Resource,
  statusOf,
  type Client,
  type Condition,
  type Manager,
  type ReconcileContext,
  type Reconciler,
  type Request,
} from "../../../src/index.ts";

/** Of cert-manager's kind, the fields that this operator uses. */
export class CertificateSpec {
  secretName!: string;
  dnsNames?: string[];
  issuerRef!: { name: string };
}

export class CertificateStatus {
  conditions?: Condition[];
}

@Resource({ group: "cert-manager.io", version: "v1", plural: "certificates", external: true })
export class Certificate extends CustomResource<CertificateSpec, CertificateStatus> {}

export class DomainSpec {
  host!: string;
}

export class DomainStatus {
  secured?: boolean;
}

@Resource({ group: "domains.example.com", version: "v1" })
export class Domain extends CustomResource<DomainSpec, DomainStatus> {}

class DomainReconciler implements Reconciler<Domain> {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async reconcile({ key }: Request, { nowMs }: ReconcileContext): Promise<void> {
    const domain = await this.#client.find(Domain, key);
    if (!domain) return;
    const certificate = await this.#client.apply(
      Certificate,
      {
        metadata: { name: key.name },
        spec: {
          secretName: `${key.name}-tls`,
          dnsNames: [domain.spec.host],
          issuerRef: { name: "letsencrypt" },
        },
      },
      { owner: domain },
    );
    const ready = certificate.status?.conditions?.some(({ type }) => type === "Ready") ?? false;
    const secured = ready && statusOf(certificate, nowMs).status === "Current";
    await this.#client.status.patch(domain, { secured });
  }
}

export function setUpDomain(manager: Manager): void {
  controllerFor(manager)
    .for(Domain)
    .owns(Certificate)
    .complete(new DomainReconciler(manager.client));
}
