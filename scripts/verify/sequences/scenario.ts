/**
 * Scenarios in the form of the recordings (`conform.mjs` plays them), and the steps that many of them begin with.
 */

/** One step: a request, a watch, or what is read from a watch. */
export type Step = Readonly<Record<string, unknown>>;

/** A scenario that has not been recorded yet. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  readonly group: string;
  readonly namespace?: false;
  readonly webhooks?: Readonly<Record<string, unknown>>;
  readonly after?: readonly string[];
  readonly steps: readonly Step[];
}

/** Any JSON object. */
export type Json = Record<string, unknown>;

/** Where definitions are. */
export const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** The definition `widgets.${group}` with these versions. */
export function widgetDefinition(versions: readonly Json[], rest: Json = {}): Json {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.${group}" },
    spec: {
      group: "${group}",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget", singular: "widget", listKind: "WidgetList" },
      versions,
      ...rest,
    },
  };
}

/** Creates the definition and waits until its objects are served. */
export function establish(definition: Json, version = "v1"): Step[] {
  return [
    { request: `POST ${CRDS}`, body: definition, only: "status" },
    {
      request: `GET ${CRDS}/widgets.\${group}`,
      until: { "/status/conditions/[type=Established]/status": "True" },
      only: "status",
    },
    {
      request: `GET /apis/\${group}/${version}/namespaces/\${ns}/widgets`,
      until: { status: 200 },
      only: "status",
    },
  ];
}

/** The step that removes the definition after a scenario. */
export const removeDefinition = [`DELETE ${CRDS}/widgets.\${group}`];
