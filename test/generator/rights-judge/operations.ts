/** What random reconcilers do with a kind. */
import type { PoolKind } from "./kinds.ts";

/** The expressions from which the code of an operation is made. */
interface Words {
  /** The client. */
  readonly client: string;
  /** The kind. */
  readonly kind: string;
  /** The callee of a method of the client. */
  readonly method: (name: string) => string;
}

/** An operation; `key` and `page` are in scope where its code stands. */
export interface Operation {
  readonly name: string;
  /** The kinds with which it succeeds. */
  readonly fits: (kind: PoolKind) => boolean;
  readonly code: (words: Words) => string;
  /** Whether the code mentions `page`. */
  readonly needsPage?: boolean;
  /** Whether a plain `Reader` suffices. */
  readonly reads?: boolean;
  /** Whether the type of the kind matters to the compiler, so that a plain `Token` does not do. */
  readonly needsType?: boolean;
  /** Whether it is of one kind that no argument says. */
  readonly isFixed?: boolean;
  /** The only method of the client; absent for several, and for other functions. */
  readonly only?: string;
}

const any = (): boolean => true;
const namespaced = ({ namespaced }: PoolKind): boolean => namespaced;
const isBare = ({ isBare: bare = false, namespaced }: PoolKind): boolean => bare && namespaced;
const hasStatus = ({ hasStatus: has = false }: PoolKind): boolean => has;
const hasScale = ({ hasScale: has = false }: PoolKind): boolean => has;
const only =
  (...names: string[]) =>
  ({ name }: PoolKind): boolean =>
    names.includes(name);

const LABELS = "{ labels: { at: stamp() } }";
const within = "{ namespace: key.namespace }";
const as = (suffix: string): string => `{ ...key, name: \`\${key.name}-${suffix}\` }`;
const set =
  "(object) => { object.metadata = { ...object.metadata, labels: { at: stamp() } } as never; }";

/** All operations. */
export const OPERATIONS: readonly Operation[] = [
  {
    name: "get",
    fits: any,
    reads: true,
    only: "get",
    code: ({ kind, method }) => `await ${method("get")}(${kind}, key);`,
  },
  {
    name: "find",
    fits: any,
    reads: true,
    only: "find",
    code: ({ kind, method }) => `await ${method("find")}(${kind}, key);`,
  },
  {
    name: "list",
    fits: namespaced,
    reads: true,
    only: "list",
    code: ({ kind, method }) => `await ${method("list")}(${kind}, ${within});`,
  },
  {
    name: "list of all",
    fits: any,
    reads: true,
    only: "list",
    code: ({ kind, method }) => `for (const one of await ${method("list")}(${kind})) String(one);`,
  },
  {
    name: "listAll",
    fits: any,
    reads: true,
    only: "listAll",
    code: ({ kind, method }) =>
      `for await (const one of ${method("listAll")}(${kind})) String(one);`,
  },
  {
    name: "watch",
    fits: namespaced,
    only: "watch",
    code: ({ kind, method }) =>
      `for await (const events of await ${method("watch")}(${kind}, ${within})) { String(events); break; }`,
  },
  {
    name: "create",
    fits: isBare,
    only: "create",
    code: ({ kind, method }) =>
      `await ${method("create")}(${kind}, { metadata: ${as("created")} } as never);`,
  },
  {
    name: "update",
    fits: any,
    code: ({ kind, method }) =>
      `const found = await ${method("get")}(${kind}, key);\nawait ${method("update")}(${kind}, { ...found, metadata: { ...found.metadata, labels: { at: stamp() } } } as never);`,
  },
  {
    name: "patch",
    fits: any,
    only: "patch",
    code: ({ kind, method }) =>
      `await ${method("patch")}(${kind}, key, mergePatch({ metadata: ${LABELS} }));`,
  },
  {
    name: "json patch",
    fits: any,
    only: "patch",
    code: ({ kind, method }) =>
      `await ${method("patch")}(${kind}, key, jsonPatch([{ op: "add", path: "/metadata/labels", value: { at: stamp() } }]));`,
  },
  {
    name: "apply",
    fits: isBare,
    only: "apply",
    code: ({ kind, method }) =>
      `await ${method("apply")}(${kind}, { metadata: { ...${as("applied")}, labels: { at: stamp() } } } as never);`,
  },
  {
    name: "apply for an owner",
    fits: isBare,
    only: "apply",
    needsPage: true,
    code: ({ kind, method }) =>
      `await ${method("apply")}(${kind}, { metadata: ${as("owned")} } as never, { owner: page });`,
  },
  {
    name: "apply with the options of a constant",
    fits: isBare,
    needsPage: true,
    code: ({ kind, method }) =>
      `const options = { owner: page };\nawait ${method("apply")}(${kind}, { metadata: ${as("owned")} } as never, options);`,
  },
  {
    name: "apply with spread options",
    fits: isBare,
    needsPage: true,
    code: ({ kind, method }) =>
      `const owned = { owner: page };\nawait ${method("apply")}(${kind}, { metadata: ${as("owned")} } as never, { ...owned, force: true });`,
  },
  {
    name: "apply with the words of options",
    fits: isBare,
    only: "apply",
    code: ({ kind, method }) =>
      `await ${method("apply")}(${kind}, { metadata: { ...${as("applied")}, labels: { at: stamp(), cluster: "a", owner: "b", sharding: "c" } } } as never, { force: true });`,
  },
  {
    name: "create for a controller",
    fits: isBare,
    needsPage: true,
    only: "create",
    code: ({ kind, method }) =>
      `const made = { metadata: ${as("made")} };\nsetControllerReference(made, { owner: page });\nawait ${method("create")}(${kind}, made as never);`,
  },
  {
    name: "grant a role",
    fits: only("Role"),
    needsType: true,
    only: "apply",
    code: ({ kind, method }) =>
      `await ${method("apply")}(${kind}, { metadata: ${as("granted")}, rules: [{ apiGroups: ["batch"], resources: ["jobs"], verbs: ["get", "list"] }] });`,
  },
  {
    name: "delete",
    fits: any,
    only: "delete",
    code: ({ kind, method }) => `await ${method("delete")}(${kind}, ${as("gone")});`,
  },
  {
    name: "deleteAllOf",
    fits: namespaced,
    only: "deleteAllOf",
    code: ({ kind, method }) =>
      `await ${method("deleteAllOf")}(${kind}, { namespace: key.namespace, labels: { none: "here" } });`,
  },
  {
    name: "read, then delete",
    fits: any,
    code: ({ kind, method }) =>
      `if (await ${method("find")}(${kind}, key)) await ${method("delete")}(${kind}, ${as("gone")});`,
  },
  {
    name: "createOrUpdate",
    fits: isBare,
    code: ({ client, kind }) => `await createOrUpdate(${client}, ${kind}, ${as("kept")}, ${set});`,
  },
  {
    name: "createOrPatch",
    fits: isBare,
    code: ({ client, kind }) => `await createOrPatch(${client}, ${kind}, ${as("kept")}, ${set});`,
  },
  {
    name: "findOwned",
    fits: any,
    needsPage: true,
    code: ({ client, kind }) =>
      `await findOwned(${client}, ${kind}, ${as("missing")}, { owner: page });`,
  },
  {
    name: "createOrUpdateOwned",
    fits: isBare,
    needsPage: true,
    code: ({ client, kind }) =>
      `await createOrUpdateOwned(${client}, ${kind}, ${as("own")}, ${set}, { owner: page });`,
  },
  {
    name: "deleteOwned",
    fits: isBare,
    needsPage: true,
    code: ({ client, kind }) =>
      `await createOrUpdateOwned(${client}, ${kind}, ${as("brief")}, () => undefined, { owner: page });\nawait deleteOwned(${client}, ${kind}, ${as("brief")}, { owner: page });`,
  },
  {
    name: "addFinalizer",
    fits: any,
    code: ({ client, kind, method }) =>
      `const found = await ${method("get")}(${kind}, key);\nconst held = await addFinalizer(${client}, ${kind}, found, "example.com/judge");\nawait removeFinalizer(${client}, ${kind}, held, "example.com/judge");`,
  },
  {
    name: "status.patch",
    fits: hasStatus,
    needsType: true,
    code: ({ client, kind, method }) =>
      `const found = await ${method("get")}(${kind}, key);\nawait ${client}.status.patch(found, {});`,
  },
  {
    name: "status.patch with a function",
    fits: hasStatus,
    needsType: true,
    code: ({ client, kind, method }) =>
      `const found = await ${method("get")}(${kind}, key);\nawait ${client}.status.patch(found, () => ({ conditions: [] }) as never);`,
  },
  {
    name: "status.update",
    fits: hasStatus,
    needsType: true,
    code: ({ client, kind, method }) =>
      `const found = await ${method("get")}(${kind}, key);\nawait ${client}.status.update(found);`,
  },
  {
    name: "status.apply",
    fits: only("Page", "Widget"),
    needsType: true,
    code: ({ client, kind }) =>
      `await ${client}.status.apply(${kind}, { metadata: key, status: { ready: 1 } } as never);`,
  },
  {
    name: "scale",
    fits: hasScale,
    code: ({ client, kind }) =>
      `await ${client}.subresource("scale").patch(${kind}, key, mergePatch({ spec: { replicas: 2 } }));`,
  },
  {
    name: "read the scale",
    fits: hasScale,
    code: ({ client, kind }) => `await ${client}.subresource("scale").get(${kind}, key);`,
  },
  {
    name: "update the scale",
    fits: hasScale,
    code: ({ client, kind }) =>
      `const scales = ${client}.subresource("scale");\nconst scale = await scales.get(${kind}, key);\nawait scales.update(${kind}, key, scale);`,
  },
  {
    name: "a subresource in a constant",
    fits: hasScale,
    code: ({ client, kind }) =>
      `const part = "scale";\nawait ${client}.subresource(part).get(${kind}, key);`,
  },
  {
    name: "request a token",
    fits: only("ServiceAccount"),
    code: ({ client, kind }) =>
      `await ${client}.subresource("token").create(${kind}, key, { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { audiences: [] } });`,
  },
  {
    name: "logs",
    fits: only("Pod"),
    isFixed: true,
    code: ({ client }) => `for await (const line of ${client}.pods.logs(key)) String(line);`,
  },
  {
    name: "logs of a variable",
    fits: only("Pod"),
    isFixed: true,
    code: ({ client }) =>
      `const { pods } = ${client};\nfor await (const line of pods.logs(key, { tailLines: 1 })) String(line);`,
  },
  {
    name: "exec",
    fits: only("Pod"),
    isFixed: true,
    code: ({ client }) => `await ${client}.pods.exec(key, { command: ["ls"] });`,
  },
  {
    name: "port forward",
    fits: only("Pod"),
    isFixed: true,
    code: ({ client }) => `await ${client}.pods.connect(key, 80);`,
  },
  {
    name: "raw",
    fits: only("Pod"),
    isFixed: true,
    only: "raw",
    code: ({ method }) => `await ${method("raw")}({ path: "/api/v1/nodes" });`,
  },
  {
    name: "raw of an object",
    fits: only("Pod"),
    isFixed: true,
    only: "raw",
    code: ({ method }) =>
      `await ${method("raw")}({ method: "DELETE", path: \`/apis/apps/v1/namespaces/\${key.namespace}/replicasets/\${key.name}\` });`,
  },
  {
    name: "evict",
    fits: only("Pod"),
    code: ({ client, kind }) =>
      `await ${client}.subresource("eviction").create(${kind}, key, { apiVersion: "policy/v1", kind: "Eviction", metadata: key });`,
  },
];

const BY_NAME = new Map(OPERATIONS.map((operation) => [operation.name, operation]));

/** The operation of that name. */
export function operationNamed(name: string): Operation {
  const operation = BY_NAME.get(name);
  if (!operation) throw new Error(`there is no operation ${name}`);
  return operation;
}
