import {
  controllerFor,
  CustomResource,
  dependent,
  external,
  Resource,
  type CleanupContext,
  type Dependents,
  type Manager,
  type Outcome,
  type ReconcileContext,
  type Reconciler,
  type Request,
} from "../../../src/index.ts";
import { ConfigMap, Job } from "../../../src/k8s.ts";

export class ReportSpec {
  image!: string;
  title: string = "Report";
}

export class ReportStatus {
  waitingFor?: string[];
}

@Resource({ group: "reports.example.com", version: "v1" })
export class Report extends CustomResource<ReportSpec, ReportStatus> {}

/** The DNS outside of the cluster. */
export interface Names {
  ensure(name: string): Promise<{ resolved: boolean }>;
  remove(name: string): Promise<void>;
}

class ReportReconciler implements Reconciler<Report> {
  readonly #manager: Manager;
  readonly #dependents: Dependents<Report>;

  constructor(manager: Manager, dependents: Dependents<Report>) {
    this.#manager = manager;
    this.#dependents = dependents;
  }

  async reconcile({ key }: Request, { signal }: ReconcileContext): Promise<void> {
    const { client } = this.#manager;
    const report = await client.find(Report, key);
    if (!report) return;
    const { waitingFor } = await this.#dependents.reconcile(report, signal);
    await client.status.patch(report, { waitingFor: [...waitingFor] });
  }

  cleanup(report: Report, context: CleanupContext): Promise<Outcome> {
    return this.#dependents.cleanup(report, context);
  }
}

export function setUpReport(manager: Manager, names: Names): void {
  const dns = external({
    name: "the DNS entry",
    ensure: ({ metadata }: Report) => names.ensure(`${metadata.name}.example.com`),
    ready: ({ resolved }) => resolved,
    remove: async ({ metadata }) => {
      await names.remove(`${metadata.name}.example.com`);
      return true;
    },
  });
  const builder = controllerFor(manager).for(Report);
  const dependents = builder.dependents({
    kinds: [ConfigMap, Job],
    externals: [dns],
    deletion: "reverse",
    desired: ({ metadata: { name }, spec }) => {
      const config = dependent(ConfigMap, { metadata: { name }, data: { title: spec.title } });
      const entry = dependent(dns, { after: [] }); // beside the ConfigMap
      const job = dependent(
        Job,
        {
          metadata: { name },
          spec: {
            suspend: true,
            template: {
              spec: { restartPolicy: "Never", containers: [{ name: "report", image: spec.image }] },
            },
          },
        },
        // Its template cannot change: another image needs another Job.
        { after: [config, entry], ready: () => true, onImmutable: "recreate" },
      );
      return [config, entry, job];
    },
  });
  builder.complete(new ReportReconciler(manager, dependents));
}
