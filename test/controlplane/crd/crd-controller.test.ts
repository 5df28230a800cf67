import { afterEach, describe, expect, it } from "vitest";
import type { VirtualClock } from "../../../src/clock.ts";
import { builtInResources } from "../../../src/controlplane/builtin/resources.ts";
import type { ControllerClient } from "../../../src/controlplane/controllers/framework/client.ts";
import type { ResourceName } from "../../../src/controlplane/resource-name.ts";
import { toolsOf } from "../../../src/controlplane/controllers/framework/controller.ts";
import { WorkLoop } from "../../../src/controlplane/controllers/framework/work-loop.ts";
import { CrdController } from "../../../src/controlplane/crd/crd-controller.ts";
import { DEFINITIONS } from "../../../src/controlplane/builtin/tokens.ts";
import { controllerContext } from "../../../src/controlplane/server/controller-client.ts";
import {
  followDefinitions,
  withDefinitions,
} from "../../../src/controlplane/server/cluster/definitions.ts";
import { bareCluster } from "../bare-cluster.ts";
import type { SentObject } from "../../../src/kube/object.ts";

const SHIPS: ResourceName = { group: "fleet.example.com", plural: "ships" };

interface Started {
  readonly client: ControllerClient;
  readonly loop: WorkLoop;
  readonly clock: VirtualClock;
  /** What a definition says of itself. */
  readonly conditions: (name: string) => Record<string, string>;
}

let running: WorkLoop | undefined;
afterEach(() => running?.stop());

function start(): Started {
  const cluster = bareCluster(withDefinitions(builtInResources()));
  const { clock, store, registry } = cluster;
  followDefinitions(store, registry);
  const tools = toolsOf(controllerContext(cluster), "test");
  const { client } = tools;
  const loop = new WorkLoop([new CrdController(tools, { graceMs: 100 })], tools);
  running = loop;
  loop.start();
  return {
    client,
    loop,
    clock,
    conditions: (name) => {
      const found = client.find(DEFINITIONS, { name });
      const conditions = found?.status?.conditions ?? [];
      return Object.fromEntries(
        conditions.map(({ type, status, reason }) => [type, `${status} ${reason ?? ""}`]),
      );
    },
  };
}

const definition = (plural: string, kind: string): SentObject =>
  ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.fleet.example.com` },
    spec: {
      group: "fleet.example.com",
      scope: "Namespaced",
      names: { plural, kind, singular: `one-of-${plural}`, listKind: `List-${plural}` },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object" } },
        },
      ],
    },
  }) as unknown as SentObject;

describe("CrdController", () => {
  it("accepts the names of a definition and establishes it", async () => {
    const { client, loop, conditions } = start();
    await client.create(DEFINITIONS, definition("ships", "Ship"));
    await loop.settle();
    expect(conditions("ships.fleet.example.com")).toEqual({
      NamesAccepted: "True NoConflicts",
      Established: "True InitialNamesAccepted",
    });
  });

  it("gives a kind to the definition that came first, and to the next when that is gone", async () => {
    const { client, loop, clock, conditions } = start();
    await client.create(DEFINITIONS, definition("ships", "Ship"));
    await loop.settle();
    await client.create(DEFINITIONS, definition("vessels", "Ship"));
    await loop.settle();
    expect(conditions("vessels.fleet.example.com")).toEqual({
      NamesAccepted: "False KindConflict",
      Established: "False NotAccepted",
    });
    await client.remove(DEFINITIONS, { name: "ships.fleet.example.com" });
    await loop.settle();
    // Clients see a deleted definition for a while.
    expect(conditions("ships.fleet.example.com")).toMatchObject({
      Terminating: "True InstanceDeletionPending",
    });
    await clock.advance(100);
    await loop.settle();
    expect(conditions("vessels.fleet.example.com")).toEqual({
      NamesAccepted: "True NoConflicts",
      Established: "True InitialNamesAccepted",
    });
  });

  it("removes the objects of a deleted definition, then the definition", async () => {
    const { client, loop, clock, conditions } = start();
    await client.create(DEFINITIONS, definition("ships", "Ship"));
    await loop.settle();
    const key = { namespace: "default", name: "enterprise" };
    await client.create(SHIPS, {
      apiVersion: "fleet.example.com/v1",
      kind: "Ship",
      metadata: { ...key, finalizers: ["fleet.example.com/dock"] },
    });
    await client.remove(DEFINITIONS, { name: "ships.fleet.example.com" });
    await loop.settle();
    // Clients see a deleted definition for a while.
    expect(conditions("ships.fleet.example.com")).toMatchObject({
      Terminating: "True InstanceDeletionPending",
    });
    await clock.advance(100);
    await loop.settle();
    expect(client.find(SHIPS, key)?.metadata.deletionTimestamp).toBeDefined();
    expect(conditions("ships.fleet.example.com")).toMatchObject({
      Terminating: "True InstanceDeletionInProgress",
    });
    await client.patch(SHIPS, key, { metadata: { finalizers: null } });
    await loop.settle();
    await clock.advance(10_000);
    await loop.settle();
    expect(client.find(DEFINITIONS, { name: "ships.fleet.example.com" })).toBeUndefined();
  });
});
