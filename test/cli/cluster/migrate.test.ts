import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { systemClock } from "../../../src/clock.ts";
import { type ControlPlane, startControlPlane } from "../../../src/controlplane/control-plane.ts";
import type { Definition } from "../../../src/kube/definition/definition.ts";
import type { KubeObject, ManifestObject } from "../../../src/kube/object.ts";
import type { ResourceType } from "../../../src/kube/resource.ts";
import { isConflict, isNotFound } from "../../../src/kube/status.ts";
import type { Client } from "../../../src/runtime/client/client.ts";
import { OwnState } from "../../../src/own-state.ts";
import { createClient } from "../../../src/runtime/client/create-client.ts";
import { mergePatch } from "../../../src/runtime/client/patches.ts";
import { loadClusterConfig } from "../../../src/runtime/kubeconfig/load-config.ts";
import { WaitingClock } from "../support/waiting-clock.ts";
import { type CliOptions, type CliResult, newProject, runCli } from "../support/run-cli.ts";

const GROUP = "shop.example.com";

interface Gear extends KubeObject {
  spec: { n: number };
}

type StoredDefinition = Definition & KubeObject;

const CRDS: ResourceType<StoredDefinition> = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};

let names = 0;

/** A kind in two versions, in a project and in the cluster, stored in v1alpha1 at first. */
class Kind {
  readonly plural = `gears${names++}`;
  readonly crd = `${this.plural}.${GROUP}`;
  folder = "";
  readonly client: Client;
  readonly #cluster: ControlPlane;

  constructor(cluster: ControlPlane) {
    this.#cluster = cluster;
    this.client = createClient(loadClusterConfig({ kubeconfigText: cluster.kubeconfig }));
  }

  token(version: string): ResourceType<Gear> {
    return {
      group: GROUP,
      version,
      kind: `K${this.plural}`,
      plural: this.plural,
      namespaced: true,
    };
  }

  definition(storage: string): Definition & ManifestObject {
    const openAPIV3Schema = {
      type: "object" as const,
      properties: {
        spec: { type: "object" as const, properties: { n: { type: "integer" as const } } },
      },
    };
    const kind = `K${this.plural}`;
    return {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: this.crd },
      spec: {
        group: GROUP,
        scope: "Namespaced",
        names: { plural: this.plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
        versions: ["v1alpha1", "v1"].map((name) => ({
          name,
          served: true,
          storage: name === storage,
          schema: { openAPIV3Schema },
        })),
      },
    };
  }

  async install(objects: number): Promise<void> {
    this.folder = await newProject();
    mkdirSync(join(this.folder, "config/crd/bases"), { recursive: true });
    this.writeProject("v1");
    writeFileSync(join(this.folder, "kubeconfig"), this.#cluster.kubeconfig);
    await this.client.apply(CRDS, this.definition("v1alpha1"));
    await eventually(() => this.client.list(this.token("v1")));
    const numbers = Array.from({ length: objects }).keys();
    const create = async (): Promise<void> => {
      for (const n of numbers) await this.create(`g${n}`);
    };
    await Promise.all(Array.from({ length: 8 }, create));
  }

  writeProject(storage: string): void {
    const folder = join(this.folder, "config/crd");
    writeFileSync(join(folder, "kustomization.yaml"), "resources: [bases/gears.yaml]\n");
    writeFileSync(join(folder, "bases/gears.yaml"), JSON.stringify(this.definition(storage)));
  }

  async create(name: string, version = "v1alpha1"): Promise<void> {
    await this.client.create(this.token(version), {
      metadata: { namespace: "default", name },
      spec: { n: 1 },
    });
  }

  async store(storage: string): Promise<void> {
    await this.client.apply(CRDS, this.definition(storage));
  }

  async live(): Promise<StoredDefinition> {
    return this.client.get(CRDS, { name: this.crd });
  }

  async storedVersions(): Promise<readonly string[]> {
    return (await this.live()).status?.storedVersions ?? [];
  }

  /** How many objects are stored in each version. */
  stored(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { apiVersion } of this.#cluster.objects(this.crd)) {
      counts[apiVersion] = (counts[apiVersion] ?? 0) + 1;
    }
    return counts;
  }

  migrate(...argv: string[]): Promise<CliResult> {
    return this.migrateWith({}, ...argv);
  }

  migrateWith(options: CliOptions, ...argv: string[]): Promise<CliResult> {
    const kubeconfig = join(this.folder, "kubeconfig");
    const argvHere = ["migrate", "--kubeconfig", kubeconfig, ...argv];
    return runCli(this.folder, argvHere, { clock, ...options });
  }
}

/** Of the cluster, its clients and the commands. */
const clock = new WaitingClock();

describe("tsop migrate", () => {
  let cluster: ControlPlane;
  beforeAll(async () => {
    cluster = await startControlPlane({ clock });
  });
  afterAll(() => cluster.stop());

  async function kind(objects: number): Promise<Kind> {
    const made = new Kind(cluster);
    await made.install(objects);
    return made;
  }

  it("rewrites all objects in the storage version, and prunes storedVersions", async () => {
    const gears = await kind(20);
    await gears.store("v1");
    expect(await gears.storedVersions()).toEqual(["v1alpha1", "v1"]);
    const before = await gears.client.list(gears.token("v1"));
    const rehearsed = await gears.migrate("--dry-run");
    expect([rehearsed.code, rehearsed.out]).toEqual([
      0,
      expect.stringContaining("20 objects to v1"),
    ]);
    expect(await gears.client.list(gears.token("v1"))).toEqual(before);
    expect(await gears.storedVersions()).toEqual(["v1alpha1", "v1"]);
    const migrated = await gears.migrate("--output", "json");
    expect([migrated.code, JSON.parse(migrated.out)]).toEqual([
      0,
      {
        dryRun: false,
        migrations: [
          {
            crd: gears.crd,
            storageVersion: "v1",
            storedVersions: ["v1alpha1", "v1"],
            objects: 20,
            gone: 0,
            pruned: true,
          },
        ],
      },
    ]);
    expect(await gears.storedVersions()).toEqual(["v1"]);
    const after = await gears.client.list(gears.token("v1"));
    for (const [index, { metadata, ...rest }] of after.entries()) {
      const { metadata: was, ...content } = before[index] as Gear;
      expect(rest).toEqual(content);
      expect(metadata.managedFields).toEqual(was.managedFields);
      expect(metadata.generation).toBe(was.generation);
      // Rewritten: what is stored is another text than before.
      expect(metadata.resourceVersion).not.toBe(was.resourceVersion);
    }
    const { metadata } = await gears.live();
    expect(metadata.annotations?.["migration.tsop.dev/running"]).toBeUndefined();
    expect(readdirSync(join(gears.folder, ".tsop"))).toEqual(["scaffold.json"]);
    const again = await gears.migrate();
    expect(again.out).toContain("only v1 is stored");
    const all = await gears.migrate("--all");
    expect(all.out).toContain("20 objects to v1");
    expect(await gears.client.list(gears.token("v1"))).toEqual(after);
  });

  it("refuses another storage version than the project's, kinds that it does not know, and CRDs that are not there", async () => {
    const gears = await kind(1);
    const other = await gears.migrate();
    expect([other.code, other.err]).toEqual([
      1,
      expect.stringContaining("migration-other-storage"),
    ]);
    const unknown = await gears.migrate("--kind", "Gadget");
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining("unknown-kind")]);
    await gears.client.delete(CRDS, { name: gears.crd });
    await eventually(async () => {
      const gone = await gears.migrate("--kind", gears.plural);
      expect([gone.code, gone.err]).toEqual([
        1,
        expect.stringContaining("migration-not-installed"),
      ]);
    });
  });

  it("refuses while another migration shows signs of life, and takes over from one that does not", async () => {
    const gears = await kind(1);
    await gears.store("v1");
    const claim = async (text: string): Promise<void> => {
      const annotations = { "migration.tsop.dev/running": text };
      await gears.client.patch(
        CRDS,
        { name: gears.crd },
        mergePatch({ metadata: { annotations } }),
      );
    };
    await claim(`${new Date(systemClock.now()).toISOString()} elsewhere (process 7)`);
    const refused = await gears.migrate();
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(/migration-runs: .* migrated by elsewhere \(process 7\)/),
    ]);
    expect(await gears.storedVersions()).toEqual(["v1alpha1", "v1"]);
    await claim("2026-01-01T00:00:00.000Z elsewhere (process 7)");
    expect((await gears.migrate()).code).toBe(0);
    expect(await gears.storedVersions()).toEqual(["v1"]);
  });

  it("goes on where it was ended, and begins anew when the CRD changed meanwhile", async () => {
    const gears = await kind(600);
    await gears.store("v1");
    const live = await gears.live();
    const kept = OwnState.about(gears.folder, `migration ${gears.crd}`);
    const { uid, generation } = live.metadata;
    const state = { uid, generation, storageVersion: "v1", next: "nonsense", done: 500 };
    // A mark that the API server does not know is used only where it is of this CRD as it is now.
    kept.write(state);
    expect((await gears.migrate()).code).toBe(1);
    expect(await gears.storedVersions()).toEqual(["v1alpha1", "v1"]);
    kept.write({ ...state, generation: 77 });
    expect((await gears.migrate()).out).toContain("600 objects to v1");
    expect(await gears.storedVersions()).toEqual(["v1"]);
    expect(kept.read()).toBeUndefined();
  });

  it("stops when it is interrupted, and the next run does not begin anew", async () => {
    const gears = await kind(1100);
    await gears.store("v1");
    const stop = new AbortController();
    const onLine = (line: string): void => {
      if (line.includes("migrating")) stop.abort(new Error("interrupted"));
    };
    const stopped = await gears.migrateWith({ signal: stop.signal, onLine });
    expect([stopped.code, stopped.err]).toEqual([
      1,
      expect.stringMatching(/500 of 1100 objects\n.*migration-interrupted/),
    ]);
    expect(await gears.storedVersions()).toEqual(["v1alpha1", "v1"]);
    const { metadata } = await gears.live();
    expect(metadata.annotations?.["migration.tsop.dev/running"]).toBeUndefined();
    const resumed = await gears.migrate();
    expect([resumed.code, resumed.err]).toEqual([0, expect.stringContaining("1000 of 1100")]);
    expect(await gears.storedVersions()).toEqual(["v1"]);
    expect(gears.stored()).toEqual({ [`${GROUP}/v1`]: 1100 });
  });

  it("says when the webhook that converts does not answer", async () => {
    const gears = await kind(2);
    const definition = gears.definition("v1");
    definition.spec.conversion = {
      strategy: "Webhook",
      webhook: {
        conversionReviewVersions: ["v1"],
        clientConfig: { url: "https://127.0.0.1:9/convert" },
      },
    };
    await gears.client.apply(CRDS, definition);
    for (const flags of [["--dry-run"], []]) {
      await eventually(async () => {
        const failed = await gears.migrate(...flags);
        expect([failed.code, failed.err]).toEqual([
          1,
          expect.stringMatching(
            /migration-conversion: .* cannot be read in v1: conversion webhook for .* failed/,
          ),
        ]);
      });
    }
    expect(await gears.storedVersions()).toEqual(["v1alpha1", "v1"]);
  }, 60_000);

  it("is told which objects a webhook refuses, prunes nothing then, and goes on there", async () => {
    const gears = await kind(3);
    await gears.store("v1");
    const policies = await gears.client.dynamic(
      "admissionregistration.k8s.io/v1",
      "ValidatingAdmissionPolicy",
    );
    const bindings = await gears.client.dynamic(
      "admissionregistration.k8s.io/v1",
      "ValidatingAdmissionPolicyBinding",
    );
    const metadata = { name: gears.plural };
    const rule = {
      apiGroups: [GROUP],
      apiVersions: ["*"],
      resources: [gears.plural],
      operations: ["UPDATE"],
    };
    await gears.client.create(policies, {
      metadata,
      spec: {
        matchConstraints: { resourceRules: [rule] },
        validations: [{ expression: "object.metadata.name != 'g1'", message: "not this one" }],
      },
    });
    await gears.client.create(bindings, {
      metadata,
      spec: { policyName: gears.plural, validationActions: ["Deny"] },
    });
    await eventually(async () => {
      const failed = await gears.migrate();
      expect([failed.code, failed.err]).toEqual([
        1,
        expect.stringMatching(/migration-failed: 1 objects .* default\/g1: .*not this one/),
      ]);
    });
    expect(await gears.storedVersions()).toEqual(["v1alpha1", "v1"]);
    await gears.client.delete(bindings, metadata);
    await eventually(async () => {
      expect((await gears.migrate()).code).toBe(0);
    });
    expect(await gears.storedVersions()).toEqual(["v1"]);
  });

  it(
    "fails no request of writers in both versions, and leaves nothing behind in the old one",
    { timeout: 60_000 },
    async () => {
      const gears = await kind(1200);
      await gears.store("v1");
      let writing = true;
      let writes = 0;
      const write = async (worker: number): Promise<void> => {
        const token = gears.token(worker % 2 === 0 ? "v1" : "v1alpha1");
        for (let n = 0; writing; n++) {
          const key = { namespace: "default", name: `g${(n * 37 + worker) % 1200}` };
          const live = await gears.client.find(token, key);
          if (!live) continue;
          live.spec = { n };
          await gears.client.update(token, live).catch((error: unknown) => {
            if (!isConflict(error) && !isNotFound(error)) throw error;
          });
          writes++;
          if (n % 10 === 0) await gears.create(`w${worker}-${n}`, token.version);
          if (n % 25 === 0) await gears.client.delete(token, key).catch(() => undefined);
        }
      };
      const writers = Array.from({ length: 4 }, (_, worker) => write(worker));
      const migrated = await gears.migrate();
      writing = false;
      await Promise.all(writers);
      expect([migrated.code, migrated.err]).toEqual([0, expect.stringContaining("migrating")]);
      expect(writes).toBeGreaterThan(20);
      expect(await gears.storedVersions()).toEqual(["v1"]);
      expect(Object.keys(gears.stored())).toEqual([`${GROUP}/v1`]);
    },
  );
});
