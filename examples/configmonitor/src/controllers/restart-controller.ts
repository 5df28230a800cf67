import {
  controllerFor,
  hashOf,
  keyOf,
  matchesLabels,
  mergePatch,
  parseLabelSelector,
  SelectorError,
  shortName,
  type Client,
  type EventRecorder,
  type LabelRequirement,
  type Manager,
  type Reconciler,
  type Request,
} from "tsop";
import { ConfigMap, Deployment } from "tsop/k8s";

/** At a ConfigMap: a label selector of the pods that are restarted when its data changes. */
export const RESTARTS = "configmonitor.example.com/restarts";

/** At a pod template: the data of the ConfigMap of this name with which its pods were started. */
export const hashAnnotation = (name: string): string =>
  `data-hash.configmonitor.example.com/${shortName([name])}`;

/** Restarts what uses a ConfigMap: a change of its pod template rolls a Deployment, at the pace that it asks for. */
export class RestartReconciler implements Reconciler<ConfigMap> {
  readonly #client: Client;
  readonly #events: EventRecorder;

  constructor(client: Client, events: EventRecorder) {
    this.#client = client;
    this.#events = events;
  }

  async reconcile({ key }: Request): Promise<void> {
    const config = await this.#client.find(ConfigMap, key);
    const selector = config && this.#selectorOf(config);
    if (!selector) return;
    const hash = hashOf([config.data, config.binaryData]);
    const annotations = { [hashAnnotation(key.name)]: hash };
    const patch = mergePatch({ spec: { template: { metadata: { annotations } } } });
    for (const deployment of await this.#client.list(Deployment, { namespace: key.namespace })) {
      const pods = deployment.spec?.template.metadata;
      if (!matchesLabels(selector, pods?.labels)) continue;
      if (pods?.annotations?.[hashAnnotation(key.name)] === hash) continue;
      await this.#client.patch(Deployment, keyOf(deployment), patch);
      const message = `Restarts for a change of ConfigMap ${key.name}.`;
      const details = {
        type: "Normal",
        reason: "ConfigChanged",
        action: "Restart",
        message,
      } as const;
      this.#events.event(deployment, details);
    }
  }

  /** Which pods the ConfigMap restarts; none when it does not say so, or not in the words of a selector. */
  #selectorOf(config: ConfigMap): readonly LabelRequirement[] | undefined {
    const text = config.metadata.annotations?.[RESTARTS];
    // An empty selector would mean all pods.
    if (!text) return undefined;
    try {
      return parseLabelSelector(text);
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      const message = `The annotation ${RESTARTS} is not a label selector: ${error.message}`;
      const details = { type: "Warning", reason: "BadSelector", action: "Read", message } as const;
      this.#events.event(config, details);
      return undefined;
    }
  }
}

/** Hands the controller to the manager. */
export function setUpRestarts(manager: Manager): void {
  const { client } = manager;
  controllerFor(manager)
    .for(ConfigMap)
    .named("restarts")
    // A Deployment that is new or changed may be one that a ConfigMap of its namespace means.
    .watches(Deployment, {
      map: async ({ metadata: { namespace } }) => {
        const configs = await client.list(ConfigMap, { namespace });
        return configs.filter(({ metadata }) => metadata.annotations?.[RESTARTS]).map(keyOf);
      },
    })
    .complete(new RestartReconciler(client, manager.recorder("configmonitor")));
}
