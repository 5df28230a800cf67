/**
 * Mistakes with which an operator would take, overwrite or lose what is not its own. Each does not compile, or throws before
 * anything is written; what is nobody's mistake, such as a server that is away, loses nothing.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  controllerFor,
  createManager,
  CustomResource,
  dependent,
  keyOf,
  metadataOf,
  Resource,
  setCondition,
  type Condition,
  type Dependent,
  type KubeObject,
  type ObjectKey,
  type Token,
} from "../../src/index.ts";
import { ConfigMap, Pod, Secret } from "../../src/k8s.ts";
import { silentLogger, VirtualClock } from "../../src/testing.ts";
import { emptyFolder, filesIn, newProject, runCli } from "../cli/support/run-cli.ts";
import { MemoryApi } from "../runtime/support/memory-api.ts";
import { problemsIn, programOf } from "../support/compiled.ts";

const HEAD = `
import {
  type Client, type Dependents, CustomResource, controllerFor, type KubeObject, type Manager, metadataOf, mutableCopy,
  Resource, setCondition,
} from "tsop";
import * as tsop from "tsop";
import { ConfigMap, Job, Pod, Secret } from "tsop/k8s";
import { Web } from "./fixtures/kinds.ts";
declare const manager: Manager, client: Client, web: Web;
declare const key: { namespace: string; name: string };
`;

/** What each title says, as code; and in which words the compiler refuses it. */
const REFUSED: readonly (readonly [title: string, code: string, words: string])[] = [
  [
    "dependents that no controller's builder made, so that nothing watches their kinds",
    `new tsop.Dependents(client, { kinds: [Secret], desired: () => [] });`,
    "Property 'Dependents' does not exist",
  ],
  [
    "dependents that do not say of which kinds they are",
    `controllerFor(manager).for(Web).dependents({ desired: () => [] });`,
    "Property 'kinds' is missing",
  ],
  [
    "dependents of an owner of another kind",
    `const dependents = controllerFor(manager).for(Web).dependents({ kinds: [Secret], desired: () => [] });
     await client.get(Pod, key).then((pod) => dependents.reconcile(pod));`,
    "Argument of type 'Pod' is not assignable to parameter of type 'Web'",
  ],
  [
    "an owner and what it owns that are swapped",
    `const map = await client.get(ConfigMap, key);
     if (tsop.isControlledBy(web, map)) await client.delete(ConfigMap, tsop.keyOf(map));`,
    "Property 'owner' is missing in type 'ConfigMap'",
  ],
  [
    "a deletion of all objects by an index, which no server has",
    `await client.deleteAllOf(Pod, { namespace: "default", index: { name: "node", value: "one" } });`,
    "'index' does not exist in type 'Selection & DeleteOptions'",
  ],
  [
    "a list of pages by an index",
    `client.listAll(Pod, { index: { name: "node", value: "one" } });`,
    "'index' does not exist in type 'Selection'",
  ],
  [
    "a watch by an index",
    `await client.watch(Pod, { index: { name: "node", value: "one" } });`,
    "'index' does not exist in type",
  ],
  [
    "an update by a token that stands for metadata alone",
    `await client.update(metadataOf(ConfigMap), await client.get(metadataOf(ConfigMap), key));`,
    "Argument of type 'MetadataToken' is not assignable",
  ],
  [
    "an update with an object of which only the metadata was read",
    `await client.update(ConfigMap, await client.get(metadataOf(ConfigMap), key));`,
    "Argument of type 'MetadataObject' is not assignable",
  ],
  [
    "an update with a changed copy of such an object",
    `const thing = await client.dynamic("example.com/v1", "Thing");
     const found = mutableCopy(await client.get(metadataOf(thing), key));
     await client.update(thing, { ...found, metadata: { ...found.metadata, labels: { a: "b" } } });`,
    "Types of property '[onlyMetadata]' are incompatible",
  ],
  [
    "a creation of such an object",
    `const thing = await client.dynamic("example.com/v1", "Thing");
     await client.create(thing, await client.get(metadataOf(thing), key));`,
    "Types of property '[onlyMetadata]' are incompatible",
  ],
  [
    "an apply by a token that stands for metadata alone",
    `await client.apply(metadataOf(ConfigMap), { metadata: key });`,
    "Argument of type 'MetadataToken' is not assignable",
  ],
  [
    "a status of an object of which only the metadata was read",
    `await client.status.update(await client.get(metadataOf(Pod), key));`,
    "Types of property '[onlyMetadata]' are incompatible",
  ],
  [
    "an owner that no server has stored, and that so has no uid",
    `await client.apply(ConfigMap, { metadata: key }, {
       owner: { apiVersion: "web.example.com/v1", kind: "Web", metadata: { name: "one" } },
     });`,
    "missing the following properties from type 'StoredMeta': uid, resourceVersion, creationTimestamp",
  ],
  [
    "a CRD's options on a class whose CRD is somebody else's",
    `@Resource({ group: "cert-manager.io", version: "v1", external: true, shortNames: ["cert"] })
     class Certificate extends CustomResource {}`,
    "'shortNames' does not exist in type 'ExternalResourceOptions'",
  ],
  [
    "a watch that says neither whom a change concerns nor what to do about it",
    `controllerFor(manager).for(Web).watches(Secret, {});`,
    "is not assignable to parameter of type",
  ],
  [
    "a watch with a map function and a handler",
    `controllerFor(manager).for(Web).watches(Secret, { map: () => [], handler: () => undefined });`,
    "is not assignable to parameter of type",
  ],
  [
    "a condition without its reason",
    `await client.status.patch(web, (status) => ({
       conditions: setCondition(status?.conditions, { type: "Ready", status: "True", message: "" }, 0),
     }));`,
    "Property 'reason' is missing",
  ],
];

describe("does not compile", { timeout: 120_000 }, () => {
  const pathOf = (index: number): string => `test/types/mistake-${index}.ts`;
  const program = programOf(
    new Map(REFUSED.map(([, code], index) => [pathOf(index), `${HEAD}${code}\nexport {};\n`])),
  );

  it.each(REFUSED.map(([title, , words], index) => [title, words, index] as const))(
    "%s",
    (_title, words, index) => {
      const problems = problemsIn(program, pathOf(index));
      expect(problems).toEqual([expect.stringContaining(words)]);
      // At the user's line, below the imports.
      const [, line] = /:(\d+) /.exec(problems[0]!)!;
      expect(Number(line)).toBeGreaterThan(HEAD.split("\n").length - 1);
    },
  );
});

@Resource({ group: "example.com", version: "v1" })
class Widget extends CustomResource<object, { conditions?: Condition[] }> {}

const WIDGETS = "/apis/example.com/v1/namespaces/d/widgets";
const SECRETS = "/api/v1/namespaces/d/secrets";
const CONFIG_MAPS = "/api/v1/namespaces/d/configmaps";
const WRITES = /^(POST|PUT|PATCH|DELETE) /;

/** An operator for widgets, and an API server in memory that has one. */
async function operator({ runs = true }: { readonly runs?: boolean } = {}) {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const put = (path: string, kind: string, metadata: object = {}) => {
    const [, name = ""] = /([^/]+)$/.exec(path)!;
    const apiVersion = kind === "Widget" ? "example.com/v1" : "v1";
    return api.put(path, { apiVersion, kind, metadata: { namespace: "d", name, ...metadata } });
  };
  put(`${WIDGETS}/one`, "Widget");
  const manager = createManager({ clock, transport: api, log: silentLogger });
  let wanted: readonly Dependent[] = [];
  let unavailable = 0;
  const reconciled: ObjectKey[] = [];
  const builder = controllerFor(manager).for(Widget);
  const dependents = builder.dependents({ kinds: [Secret], desired: () => wanted });
  builder.watches(ConfigMap, {
    map: async ({ metadata }) => {
      if (unavailable-- > 0) throw new Error("503 from the API server");
      return [{ namespace: metadata.namespace, name: `of-${metadata.name}` }];
    },
  });
  const reconciler = {
    reconcile: async ({ key }: { key: ObjectKey }) => void reconciled.push(key),
  };
  builder.complete(reconciler);
  const stop = new AbortController();
  const running = runs ? manager.start(stop.signal) : undefined;
  await clock.advance(100);
  api.requests.length = 0;
  return {
    api,
    clock,
    put,
    reconciled,
    client: manager.client,
    /** What it reads is of the server: an object as another process would have read it. */
    widget: (name = "one") => manager.client.live.get(Widget, { namespace: "d", name }),
    wants: (...dependents: readonly Dependent[]) => void (wanted = dependents),
    fails: (times: number) => void (unavailable = times),
    keep: async (widget: Widget) => dependents.reconcile(widget),
    writes: () => api.requests.filter((request) => WRITES.test(request)),
    end: async () => {
      stop.abort();
      await clock.advance(60_000);
      await running;
    },
  };
}

const controlledBy = ({ apiVersion, kind, metadata: { name, uid } }: Widget) => ({
  ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
});

describe("throws before anything is written", () => {
  it("dependents before the manager watches their kinds", async () => {
    const { widget, wants, keep, writes, end } = await operator({ runs: false });
    wants(dependent(Secret, { metadata: { name: "a" } }));
    await expect(keep(await widget())).rejects.toMatchObject({ code: "dependents-not-watched" });
    expect(writes()).toEqual([]);
    await end();
  });

  it("a dependent of a kind that is not watched", async () => {
    const { widget, wants, keep, writes, end } = await operator();
    wants(
      dependent(Secret, { metadata: { name: "a" } }),
      dependent(ConfigMap, { metadata: { name: "a" } }),
    );
    await expect(keep(await widget())).rejects.toMatchObject({ code: "dependents-misused" });
    expect(writes()).toEqual([]);
    await end();
  });

  it.each(["from the cache", "from the server"])(
    "a list %s by an index that nobody declared",
    async (from) => {
      const { client, end } = await operator();
      const reader = from === "from the server" ? client.live : client;
      const options = { index: { name: "node", value: "one" } };
      await expect(reader.list(Secret, options)).rejects.toMatchObject({ code: "index-missing" });
      await expect(reader.list(Pod, options)).rejects.toMatchObject({ code: "index-missing" });
      await end();
    },
  );

  it("an update of what was read without its content, where no compiler looks", async () => {
    const { client, put, writes, end } = await operator();
    put(`${SECRETS}/a`, "Secret");
    const key = { namespace: "d", name: "a" };
    const found = await client.live.get(metadataOf(Secret), key);
    const token: unknown = metadataOf(Secret);
    await expect(client.update(token as Token, { ...found } as KubeObject)).rejects.toMatchObject({
      code: "metadata-only-write",
    });
    expect(writes()).toEqual([]);
    await end();
  });

  it("an apply for an owner of what another one controls", async () => {
    const { client, put, widget, writes, end } = await operator();
    put(`${WIDGETS}/two`, "Widget");
    const other = await widget("two");
    put(`${SECRETS}/theirs`, "Secret", controlledBy(other));
    const intent = { metadata: { namespace: "d", name: "theirs" } };
    await expect(client.apply(Secret, intent, { owner: await widget() })).rejects.toMatchObject({
      code: "already-owned",
    });
    expect(writes()).toEqual([]);
    await end();
  });

  it("a deletion in all namespaces that does not say so", async () => {
    const { client, writes, end } = await operator();
    await expect(client.deleteAllOf(Secret)).rejects.toMatchObject({
      code: "delete-in-all-namespaces",
    });
    expect(writes()).toEqual([]);
    await end();
  });
});

describe("loses nothing of others, and no event", () => {
  it("conditions that were written since the object was read", async () => {
    const { client, widget, end } = await operator();
    const stale = await widget();
    const theirs = { type: "Theirs", status: "True", reason: "Theirs", message: "" } as const;
    const mine = { type: "Ready", status: "True", reason: "Mine", message: "" } as const;
    await client.status.patch(stale, { conditions: setCondition(undefined, theirs, 0) });
    await expect(
      client.status.patch(stale, { conditions: setCondition(undefined, mine, 0) }),
    ).rejects.toMatchObject({ status: { code: 409 } });
    await client.status.patch(stale, (status) => ({
      conditions: setCondition(status?.conditions, mine, 0),
    }));
    const { status } = await widget();
    expect(status?.conditions?.map(({ type }) => type)).toEqual(["Theirs", "Ready"]);
    await end();
  });

  it("an event whose map function fails while the server is away", async () => {
    const { clock, put, fails, reconciled, end } = await operator();
    fails(3);
    put(`${CONFIG_MAPS}/a`, "ConfigMap");
    await clock.advance(10_000);
    expect(reconciled).toContainEqual({ namespace: "d", name: "of-a" });
    await end();
  });

  it("objects of a kind of dependents that somebody else made; what is pruned takes its own along", async () => {
    const { api, clock, put, widget, keep, end } = await operator();
    const owner = await widget();
    const annotations = { "tsop.dev/dependents": "tsop/widget" };
    put(`${SECRETS}/password`, "Secret");
    put(`${SECRETS}/old`, "Secret", { annotations, ...controlledBy(owner) });
    await clock.advance(100);
    expect(await keep(owner)).toMatchObject({ pruned: ["Secret d/old"] });
    expect(api.objects(SECRETS).map(keyOf)).toEqual([{ namespace: "d", name: "password" }]);
    expect(api.deletions).toMatchObject([{ propagationPolicy: "Background" }]);
    await end();
  });

  it("a CRD of somebody else: none is made of a class that only names its kind", async () => {
    const root = emptyFolder();
    mkdirSync(join(root, "src"));
    writeFileSync(join(root, "PROJECT"), "layout: tsop/v1\nprojectName: a\ndomain: example.com\n");
    writeFileSync(
      join(root, "src/certificate.ts"),
      `import { CustomResource, Resource } from "tsop";
@Resource({ group: "cert-manager.io", version: "v1", external: true })
export class Certificate extends CustomResource<{ secretName: string }> {}
`,
    );
    expect(await runCli(root, ["manifests"])).toMatchObject({ code: 0, err: "" });
    expect(Object.keys(filesIn(root)).filter((path) => path.includes("crd"))).toEqual([]);
  });

  it("one of three kinds that are created at a time", async () => {
    const folder = await newProject();
    const kinds = ["Page", "Book", "Shelf"];
    const create = ["create", "api", "--group", "web", "--version", "v1", "--kind"];
    await Promise.all(kinds.map((kind) => runCli(folder, [...create, kind])));
    const { "src/controllers/index.ts": index, PROJECT: project } = filesIn(folder);
    for (const kind of kinds) {
      expect(index).toContain(`setUp${kind}(manager);`);
      expect(project).toContain(`kind: ${kind}`);
    }
  });
});
