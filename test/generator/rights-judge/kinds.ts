/** The kinds of which random reconcilers make use, and objects of them. */
import type { SentObject } from "../../../src/kube/object.ts";

/** A kind of the pool. */
export interface PoolKind {
  /** The name of its class in the sources. */
  readonly name: string;
  readonly apiVersion: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Whether metadata alone makes a valid object. */
  readonly isBare?: boolean;
  readonly hasStatus?: boolean;
  readonly hasScale?: boolean;
  /** The fields of its objects beside the metadata. */
  readonly content?: object;
}

/** The names of the objects that are there from the start, and for which reconcilers run. */
export const NAMES = ["first", "second"] as const;
export const NAMESPACE = "default";
/** The kind that is reconciled. */
export const PAGE = "Page";
/** The kinds of the project, each in its file. */
const OWN_KINDS = [PAGE, "Widget"] as const;

const sourceOf = (
  kind: string,
): string => `import { CustomResource, Resource, Scale, type Int32 } from "tsop";
export class ${kind}Spec { size?: Int32; }
export class ${kind}Status { ready?: Int32; }
@Scale({ spec: (one: ${kind}) => one.spec?.size, status: (one: ${kind}) => one.status?.ready })
@Resource({ group: "web.example.com", version: "v1" })
export class ${kind} extends CustomResource<${kind}Spec, ${kind}Status> {}
`;

/** The files of the kinds of the project, by path. */
export const OWN_SOURCES: ReadonlyMap<string, string> = new Map(
  OWN_KINDS.map((kind) => [`src/${kind.toLowerCase()}.ts`, sourceOf(kind)]),
);

/** The module of a kind, as files beside it import it. */
export const moduleOf = (kind: string): string =>
  OWN_KINDS.some((own) => own === kind) ? `./${kind.toLowerCase()}.ts` : "tsop/k8s";

const container = { name: "app", image: "app" };
const template = (restartPolicy?: string): object => ({
  metadata: { labels: { app: "app" } },
  spec: { containers: [container], ...(restartPolicy === undefined ? {} : { restartPolicy }) },
});
const workload = { selector: { matchLabels: { app: "app" } }, template: template() };
const bare = (name: string, plural: string, apiVersion = "v1"): PoolKind => ({
  name,
  plural,
  apiVersion,
  namespaced: true,
  isBare: true,
});

const OWN = { hasStatus: true, hasScale: true, content: { spec: {} } };

/** All kinds of the pool. */
export const POOL: readonly PoolKind[] = [
  // Their spec is required.
  { ...OWN, ...bare(PAGE, "pages", "web.example.com/v1"), isBare: false },
  { ...OWN, ...bare("Widget", "widgets", "web.example.com/v1"), isBare: false },
  bare("ConfigMap", "configmaps"),
  bare("Secret", "secrets"),
  bare("ServiceAccount", "serviceaccounts"),
  bare("LimitRange", "limitranges"),
  bare("Lease", "leases", "coordination.k8s.io/v1"),
  bare("Endpoints", "endpoints"),
  {
    name: "Service",
    plural: "services",
    apiVersion: "v1",
    namespaced: true,
    hasStatus: true,
    content: { spec: { ports: [{ port: 80 }] } },
  },
  {
    name: "Pod",
    plural: "pods",
    apiVersion: "v1",
    namespaced: true,
    hasStatus: true,
    content: { spec: { containers: [container] } },
  },
  {
    name: "Deployment",
    plural: "deployments",
    apiVersion: "apps/v1",
    namespaced: true,
    hasStatus: true,
    hasScale: true,
    content: { spec: workload },
  },
  {
    name: "StatefulSet",
    plural: "statefulsets",
    apiVersion: "apps/v1",
    namespaced: true,
    hasStatus: true,
    hasScale: true,
    content: { spec: { ...workload, serviceName: "app" } },
  },
  {
    name: "Job",
    plural: "jobs",
    apiVersion: "batch/v1",
    namespaced: true,
    hasStatus: true,
    content: { spec: { template: template("Never") } },
  },
  {
    name: "Role",
    plural: "roles",
    apiVersion: "rbac.authorization.k8s.io/v1",
    namespaced: true,
    content: { rules: [] },
  },
  {
    name: "Node",
    plural: "nodes",
    apiVersion: "v1",
    namespaced: false,
    isBare: true,
    hasStatus: true,
  },
  {
    name: "Namespace",
    plural: "namespaces",
    apiVersion: "v1",
    namespaced: false,
    isBare: true,
  },
];

const BY_NAME = new Map(POOL.map((kind) => [kind.name, kind]));

/** The kind of that name. */
export function kindNamed(name: string): PoolKind {
  const kind = BY_NAME.get(name);
  if (!kind) throw new Error(`the pool has no kind ${name}`);
  return kind;
}

/** The API group of a kind: empty for the core. */
export const groupOf = ({ apiVersion }: PoolKind): string =>
  apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";

/** The objects that are there from the start. */
export function startObjects(): SentObject[] {
  return POOL.flatMap(({ name: kind, apiVersion, namespaced, content }) =>
    NAMES.map((name) => ({
      apiVersion,
      kind,
      metadata: { name, ...(namespaced ? { namespace: NAMESPACE } : {}) },
      ...content,
    })),
  );
}
