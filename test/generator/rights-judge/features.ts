/** What controllers and managers do besides their reconciler's calls. */
import type { PoolKind } from "./kinds.ts";
import type { Parts } from "./parts.ts";

/** A feature of a project. */
export interface Feature {
  readonly name: string;
  /** Whether it goes with a kind; with all that are in namespaces when absent. */
  readonly fits?: (kind: PoolKind) => boolean;
  write(parts: Parts, kind: PoolKind): void;
}

const isChild = ({ isBare = false, namespaced, name }: PoolKind): boolean =>
  isBare && namespaced && name !== "Lease";

const election = '{ id: "judge", namespace: "default", identity: "one" }';

/** All features. In the program that starts the controller, `manager` and `builder` are known. */
export const FEATURES: readonly Feature[] = [
  {
    name: "owns",
    write: (parts, { name }) => parts.chain.push(`.owns(${name})`),
  },
  {
    name: "watches",
    write: (parts, { name }) => parts.chain.push(`.watches(${name}, { map: () => [] })`),
  },
  {
    name: "watches the metadata",
    write: (parts, { name }) =>
      parts.chain.push(`.watches(metadataOf(${name}), { map: () => [] })`),
  },
  {
    name: "maps with a client",
    write: (parts, { name }) =>
      parts.chain.push(
        `.watches(ConfigMap, { map: async ({ metadata }) => {\n  await manager.client.live.list(${name}, { namespace: metadata.namespace });\n  return [];\n} })`,
      ),
  },
  {
    name: "maps with a function of its own",
    write(parts, { name }) {
      const map = parts.name("mapOf");
      parts.put(
        "helpers",
        `export const ${map} = (client: Client) => async ({ metadata }: KubeObject): Promise<ObjectKey[]> => {\nawait client.live.list(${name}, { namespace: metadata.namespace });\nreturn [];\n};`,
      );
      parts.chain.push(`.watches(Secret, { map: helpers.${map}(manager.client) })`);
    },
  },
  {
    name: "handles events",
    write: (parts, { name }) =>
      parts.chain.push(
        `.watches(${name}, { handler: async () => {\n  await manager.client.live.get(Node, { name: "first" });\n} })`,
      ),
  },
  {
    name: "watches later",
    write: (parts, { name }) => parts.afterwards.push(`started.watch(${name}, { map: () => [] });`),
  },
  {
    name: "an index",
    write: (parts, { name }) =>
      parts.wiring.push(`manager.cache.addIndex(${name}, "${parts.name("by")}", () => []);`),
  },
  {
    name: "a timer",
    write: (parts, { name }) =>
      parts.chain.push(`.watchesSource(timerSource(manager, ${name}, { everyMs: 600_000 }))`),
  },
  {
    name: "options with the words of others",
    write: (parts, { name }) =>
      parts.chain.push(
        `.watches(${name}, { map: () => [], indexes: { cluster: () => [], sharding: () => [], leaderElection: () => [] } })`,
      ),
  },
  {
    name: "dependents",
    fits: isChild,
    write(parts, { name }) {
      const dependents = parts.name("dependents");
      parts.wiring.push(
        `const ${dependents} = builder.dependents({\n  kinds: [${name}],\n  desired: ({ metadata: { name: cluster, generation } }) =>\n    generation === 1 ? [dependent(${name}, { metadata: { name: \`\${cluster}-part\`, labels: { cluster } } } as never)] : [],\n});`,
      );
      parts.wiring.push(`controller.parts.push((page) => ${dependents}.reconcile(page));`);
      parts.put("controller", "export const parts: ((page: Page) => Promise<unknown>)[] = [];");
      parts.needsPage = true;
      parts.reconcile.push("for (const part of parts) await part(page);");
    },
  },
  {
    name: "a runnable",
    write: (parts, { name }) =>
      parts.wiring.push(
        `manager.add({ name: "${parts.name("run")}", start: async () => {\n  await manager.client.live.list(${name}, { namespace: "default" });\n} });`,
      ),
  },
  {
    name: "leader election",
    write: (parts) => parts.options.push(`leaderElection: ${election}`),
  },
  {
    name: "leader election in a constant",
    write(parts) {
      parts.wiring.unshift(`const leaderElection = ${election};`);
      parts.options.push("leaderElection");
    },
  },
  {
    name: "leader election in a spread",
    write(parts) {
      parts.wiring.unshift(`const more = { leaderElection: ${election} };`);
      parts.options.push("...more");
    },
  },
  {
    name: "cleanup",
    write(parts, { name }) {
      parts.cleanup = `await client.live.list(${name}, { namespace: key.namespace });`;
    },
  },
];
