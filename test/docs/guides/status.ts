import {
  controllerFor,
  CustomResource,
  Resource,
  statusOf,
  summarize,
  type Client,
  type Condition,
  type ConditionChange,
  type Int64,
  type Manager,
  type ReconcileContext,
  type Reconciler,
  type Request,
} from "../../../src/index.ts";
import { ConfigMap } from "../../../src/k8s.ts";

export class PageSpec {
  html!: string;
}

export class PageStatus {
  observedGeneration?: Int64;
  conditions?: Condition[];
}

@Resource({ group: "pages.example.com", version: "v1" })
export class Page extends CustomResource<PageSpec, PageStatus> {}

class PageReconciler implements Reconciler<Page> {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async reconcile({ key }: Request, { nowMs }: ReconcileContext): Promise<void> {
    const page = await this.#client.find(Page, key);
    if (!page) return;
    const refused = refusal(page);
    const config =
      refused.status === "True"
        ? undefined
        : await this.#client.apply(
            ConfigMap,
            { metadata: { name: key.name }, data: { "index.html": page.spec.html } },
            { owner: page },
          );
    const { status, message } = statusOf(config, nowMs);
    const stored: ConditionChange = {
      type: "Stored",
      status: status === "Current" ? "True" : "False",
      reason: status,
      message,
    };
    const { generation } = page.metadata;
    await this.#client.status.patch(page, ({ conditions } = {}) => ({
      observedGeneration: generation,
      conditions: summarize(
        conditions,
        { ready: [stored], stalled: [refused], observedGeneration: generation },
        nowMs,
      ),
    }));
  }
}

/** Only its author can mend an empty page. */
function refusal({ spec }: Page): ConditionChange {
  return spec.html === ""
    ? { type: "Refused", status: "True", reason: "Empty", message: "spec.html is empty." }
    : { type: "Refused", status: "False", reason: "Taken", message: "There is a page." };
}

export function setUpPage(manager: Manager): void {
  controllerFor(manager).for(Page).owns(ConfigMap).complete(new PageReconciler(manager.client));
}
