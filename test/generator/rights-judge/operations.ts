/** What random reconcilers do with a kind. */
import { kindNamed, type PoolKind } from "./kinds.ts";

/** The expressions from which the code of an operation is made. */
export interface Words {
  /** The client. */
  readonly client: string;
  /** The kind. */
  readonly kind: string;
  /** The callee of a method of the client. */
  method(name: string): string;
}

/** An operation; `key` and `page` are in scope where its code stands. */
export interface Operation {
  readonly name: string;
  /** The kinds with which it succeeds. */
  fits(kind: PoolKind): boolean;
  code(words: Words): string;
  /** Whether the code mentions `page`. */
  readonly needsPage?: boolean;
  /** Whether a plain `Reader` suffices. */
  readonly reads?: boolean;
  /** Whether the type of the kind matters to the compiler, so that a plain `Token` does not do. */
  readonly needsType?: boolean;
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

/** Whether an operation succeeds with a kind of the pool. */
export const fitsKind = (operation: string, kind: string): boolean =>
  operationNamed(operation).fits(kindNamed(kind));
