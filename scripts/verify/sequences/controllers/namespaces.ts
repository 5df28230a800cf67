/**
 * Ends of namespaces: what is in them, what holds it, what may still be done, and what the namespace says meanwhile.
 */
import type { Random } from "../../../../test/support/random.ts";
import type { Json, Scenario, Step } from "../scenario.ts";
import { establish, removeDefinition, widgetDefinition } from "../scenario.ts";

const NAMESPACE = "/api/v1/namespaces/${id}-x";
const FINALIZERS = ["example.com/a", "example.com/b", "example.com/c"];
/** The real controller waits longer each time. */
const WITHIN = 60_000;

interface Content {
  readonly path: string;
  readonly body: Json;
}

const CONTENT: readonly Content[] = [
  { path: `${NAMESPACE}/configmaps`, body: { data: { a: "1" } } },
  { path: `${NAMESPACE}/secrets`, body: {} },
  { path: `${NAMESPACE}/serviceaccounts`, body: {} },
  { path: `${NAMESPACE}/services`, body: { spec: { ports: [{ port: 80 }] } } },
  { path: `${NAMESPACE}/resourcequotas`, body: { spec: { hard: { configmaps: "50" } } } },
  { path: "/apis/coordination.k8s.io/v1/namespaces/${id}-x/leases", body: {} },
  { path: "/apis/rbac.authorization.k8s.io/v1/namespaces/${id}-x/roles", body: { rules: [] } },
  {
    path: "/apis/policy/v1/namespaces/${id}-x/poddisruptionbudgets",
    body: { spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } } },
  },
];

const WIDGETS: Content = {
  path: "/apis/${group}/v1/namespaces/${id}-x/widgets",
  body: { apiVersion: "${group}/v1", kind: "Widget", spec: { a: "1" } },
};

interface Placed extends Content {
  readonly name: string;
  readonly finalizers: readonly string[];
}

/** A random attempt while the namespace is being deleted. */
function attempt(random: Random, placed: readonly Placed[]): Step {
  const held = placed.filter(({ finalizers }) => finalizers.length > 0);
  const { path, body, name } = random.pick(held.length > 0 ? held : placed);
  return random.pick<() => Step>([
    () => ({ request: `POST ${path}`, body: { ...body, metadata: { name: "late" } } }),
    () => ({ request: `POST ${path}?dryRun=All`, body: { ...body, metadata: { name: "late" } } }),
    () => ({
      request: `PATCH ${NAMESPACE}/configmaps/late?fieldManager=m`,
      headers: { "content-type": "application/apply-patch+yaml" },
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "late" } },
    }),
    () => ({
      request: `PATCH ${path}/${name}`,
      body: { metadata: { labels: { l: "1" } } },
      ignore: ["/body/metadata/managedFields"],
    }),
    () => ({
      request: `PATCH ${NAMESPACE}`,
      body: { metadata: { labels: { l: "1" } } },
      pick: ["/metadata/labels", "/spec", "/message"],
    }),
    () => ({
      request: `DELETE ${NAMESPACE}`,
      pick: ["/message", "/reason", "/status/phase", "/spec"],
    }),
    () => ({ request: "POST /api/v1/namespaces", body: { metadata: { name: "${id}-x" } } }),
    () => ({ request: `GET ${NAMESPACE}/serviceaccounts/default`, only: "status" }),
  ])();
}

/** Content of some kinds, a deletion, and what holds it taken away piece by piece. */
export function namespaceScenario(random: Random, id: string): Scenario {
  const withWidgets = random.chance(0.5);
  const isHeld = random.chance(0.75);
  const kinds = [...random.some(CONTENT, 0.4), ...(withWidgets ? [WIDGETS] : [])];
  const placed = (kinds.length > 0 ? kinds : [WIDGETS].concat(CONTENT).slice(-1)).flatMap(
    (content) =>
      Array.from({ length: 1 + random.below(2) }, (_, index): Placed => ({
        ...content,
        name: `o${index}`,
        finalizers: isHeld && random.chance(0.6) ? random.some(FINALIZERS, 0.6) : [],
      })),
  );
  const held = placed.filter(({ finalizers }) => finalizers.length > 0);
  const own = random.chance(0.2);
  const meta = random.chance(0.15);
  const forced = held.length > 0 && random.chance(0.12);
  const look: Step = { pick: ["/status", "/spec"], unordered: ["/body/~1status/conditions"] };
  return {
    id,
    title: "the end of a namespace",
    group: "N",
    after: [`DELETE ${NAMESPACE}`, ...(withWidgets ? removeDefinition : [])],
    steps: [
      ...(withWidgets
        ? establish(
            widgetDefinition([
              {
                name: "v1",
                served: true,
                storage: true,
                schema: {
                  openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                },
              },
            ]),
          )
        : []),
      {
        request: "POST /api/v1/namespaces",
        body: {
          metadata: { name: "${id}-x", ...(meta ? { finalizers: ["example.com/meta"] } : {}) },
          ...(own ? { spec: { finalizers: ["example.com/own"] } } : {}),
        },
        pick: ["/spec", "/metadata/finalizers"],
      },
      {
        request: `GET ${NAMESPACE}/serviceaccounts/default`,
        until: { status: 200 },
        within: 20_000,
        only: "status",
      },
      ...placed.map(({ path, body, name, finalizers }) => ({
        request: `POST ${path}`,
        body: { ...body, metadata: { name, ...(finalizers.length > 0 ? { finalizers } : {}) } },
        only: "status",
      })),
      { request: `DELETE ${NAMESPACE}`, ignore: ["/body/metadata/managedFields"] },
      ...(held.length > 0
        ? [
            {
              request: `GET ${NAMESPACE}`,
              until: { "/status/conditions/[type=NamespaceFinalizersRemaining]/status": "True" },
              within: WITHIN,
              ...look,
            },
            { wait: 2500 },
            ...Array.from({ length: 4 }, () => attempt(random, placed)),
            {
              request: `GET ${NAMESPACE}/configmaps`,
              pick: ["/items/0/metadata/name", "/items/1/metadata/name"],
            },
          ]
        : []),
      ...(forced
        ? [
            {
              request: `PUT ${NAMESPACE}/finalize`,
              body: {
                apiVersion: "v1",
                kind: "Namespace",
                metadata: { name: "${id}-x" },
                spec: { finalizers: [] },
              },
              pick: ["/spec", "/message", "/metadata/finalizers"],
            },
          ]
        : held.map(({ path, name }) => ({
            request: `PATCH ${path}/${name}`,
            body: { metadata: { finalizers: null } },
            only: "status",
          }))),
      ...(own && !forced
        ? [
            {
              request: `GET ${NAMESPACE}`,
              until: { "/spec/finalizers": ["example.com/own"] },
              within: WITHIN,
              pick: ["/spec", "/status/phase"],
            },
            {
              request: `PUT ${NAMESPACE}/finalize`,
              body: {
                apiVersion: "v1",
                kind: "Namespace",
                metadata: { name: "${id}-x" },
                spec: {},
              },
              pick: ["/spec", "/message", "/metadata/finalizers"],
            },
          ]
        : []),
      ...(meta
        ? [
            {
              request: `GET ${NAMESPACE}`,
              until: { "/spec/finalizers": "absent" },
              within: WITHIN,
              pick: ["/spec", "/status/phase", "/metadata/finalizers"],
            },
            {
              request: `PATCH ${NAMESPACE}`,
              body: { metadata: { finalizers: null } },
              only: "status",
            },
          ]
        : []),
      { request: `GET ${NAMESPACE}`, until: { status: 404 }, within: WITHIN },
      ...placed.slice(0, 3).map(({ path, name }) => ({
        request: `GET ${path}/${name}`,
        ignore: ["/body/metadata/managedFields"],
      })),
    ],
  };
}
