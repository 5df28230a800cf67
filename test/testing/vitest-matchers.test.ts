import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigMap, Deployment, ReplicaSet } from "../../src/k8s.ts";
import "../../src/testing-vitest.ts";
import {
  clientFor,
  type ControlPlane,
  startControlPlane,
  VirtualClock,
} from "../../src/testing.ts";
import { asRead } from "../support/as-read.ts";

/** What an assertion that fails says, without colors. */
async function messageOf(check: () => unknown): Promise<string> {
  try {
    await check();
  } catch (error) {
    // oxlint-disable-next-line no-control-regex -- what colors consist of
    return (error as Error).message.replaceAll(/\u001b\[\d+m/g, "");
  }
  throw new Error("the assertion did not fail");
}

const web = asRead({
  apiVersion: "web.example.com/v1",
  kind: "Web",
  metadata: { namespace: "default", name: "one", uid: "uid-1", generation: 3 },
  status: {
    conditions: [
      {
        type: "Ready",
        status: "False",
        reason: "ImageMissing",
        message: "nginx:9 is not there",
        observedGeneration: 3,
      },
      {
        type: "Progressing",
        status: "True",
        reason: "Applied",
        message: "",
        observedGeneration: 2,
      },
    ],
  },
});

describe("toHaveCondition", () => {
  it("passes for the status, the reason and the message", () => {
    expect(web).toHaveCondition("Ready", "False");
    expect(web).toHaveCondition("Ready", { status: "False", reason: "ImageMissing" });
    expect(web).toHaveCondition("Ready", { status: "False", message: /nginx/ });
    expect(web).not.toHaveCondition("Ready");
    expect(web).not.toHaveCondition("Ready", { status: "False", message: "nginx" });
    expect(web).not.toHaveCondition("Degraded", "False");
  });

  it("shows all conditions, and what is wrong with the one", async () => {
    expect(
      await messageOf(() => {
        expect(web).toHaveCondition("Ready", { reason: "Available" });
      }),
    )
      .toBe(`Expected Web default/one to have the condition Ready with status True, reason Available, but its status is False; its reason is ImageMissing.
Its conditions:
  TYPE         STATUS  REASON        GENERATION  MESSAGE
  Ready        False   ImageMissing  3           nginx:9 is not there
  Progressing  True    Applied       2`);
  });

  it("does not take a condition of an older generation", async () => {
    expect(
      await messageOf(() => {
        expect(web).toHaveCondition("Progressing");
      }),
    ).toContain("but its observedGeneration is 2 and the object's generation is 3.");
    expect(web).not.toHaveCondition("Progressing");
  });

  it("says where there is no such condition, none at all, or no object", async () => {
    const bare = asRead({ kind: "Web", metadata: { name: "bare" } });
    expect(
      await messageOf(() => {
        expect(bare).toHaveCondition("Ready");
      }),
    ).toBe(
      "Expected Web bare to have the condition Ready with status True, but it has no condition of that type.\nIt has no conditions.",
    );
    expect(
      await messageOf(() => {
        expect(undefined).toHaveCondition("Ready");
      }),
    ).toBe("toHaveCondition checks a Kubernetes object, but got undefined.");
    expect(
      await messageOf(() => {
        expect(web.status).toHaveCondition("Ready");
      }),
    ).toContain("an object without metadata");
    expect(
      await messageOf(() => {
        expect(web).not.toHaveCondition("Ready", "False");
      }),
    ).toContain("Expected Web default/one not to have the condition Ready with status False.");
  });
});

describe("toBeOwnedBy", () => {
  const owner = { apiVersion: "web.example.com/v1", kind: "Web", name: "one", uid: "uid-1" };
  const owned = (...ownerReferences: object[]) => ({
    kind: "Deployment",
    metadata: { namespace: "default", name: "one", ownerReferences },
  });

  it("goes by the uid, and by the controller where that is asked for", () => {
    expect(owned(owner)).toBeOwnedBy(web);
    expect(owned({ ...owner, controller: true })).toBeOwnedBy(web, { controller: true });
    expect(owned({ ...owner, controller: true })).not.toBeOwnedBy(web, { controller: false });
    expect(owned({ ...owner, uid: "uid-0" })).not.toBeOwnedBy(web);
  });

  it("shows the owners, and knows an earlier object of the same name", async () => {
    const earlier = owned({ ...owner, uid: "uid-0", controller: true });
    expect(
      await messageOf(() => {
        expect(earlier).toBeOwnedBy(web);
      }),
    )
      .toBe(`Expected Deployment default/one to be owned by Web default/one (uid uid-1), but its owner is another object of that name, such as an earlier one.
Its owners:
  KIND  API VERSION         NAME  UID    CONTROLLER
  Web   web.example.com/v1  one   uid-0  yes`);
    expect(
      await messageOf(() => {
        expect(owned()).toBeOwnedBy(web);
      }),
    ).toContain("but it is not among its owners.\nIt has no owners.");
    expect(
      await messageOf(() => {
        expect(owned(owner)).toBeOwnedBy(web, { controller: true });
      }),
    ).toContain("to be controlled by Web default/one (uid uid-1), but it is not its controller.");
    expect(
      await messageOf(() => {
        expect(owned(owner)).not.toBeOwnedBy(web);
      }),
    ).toContain("Expected Deployment default/one not to be owned by Web default/one (uid uid-1).");
    expect(
      await messageOf(() => {
        expect([]).toBeOwnedBy(web);
      }),
    ).toContain("toBeOwnedBy checks a Kubernetes object");
  });
});

describe("toBeIdempotent", () => {
  let cluster: ControlPlane;
  beforeAll(async () => {
    cluster = await startControlPlane({ clock: new VirtualClock(), listen: false });
  });
  afterAll(() => cluster.stop());

  const metadata = { namespace: "default", name: "one" };
  const labels = { app: "one" };
  const deploy = (replicas: number) =>
    clientFor(cluster).apply(Deployment, {
      metadata,
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: "web", image: "nginx" }] },
        },
      },
    });

  it("passes where the second pass writes what is there, whatever other controllers make of the first", async () => {
    await expect(() => deploy(2)).toBeIdempotent(cluster);
    expect(cluster.objects("pods", "default")).toHaveLength(2);
    const [set] = await clientFor(cluster).list(ReplicaSet, { namespace: "default" });
    expect(set).toBeOwnedBy(await clientFor(cluster).get(Deployment, metadata), {
      controller: true,
    });
    await expect(() => undefined).toBeIdempotent(cluster);
  });

  it("shows which write the second pass made, as a difference", async () => {
    let replicas = 3;
    const message = await messageOf(() => expect(() => deploy(replicas++)).toBeIdempotent(cluster));
    expect(message).toContain("Expected the second pass not to write anything");
    expect(message).toContain("changed Deployment default/one");
    expect(message).toMatch(/-\s+"replicas": 3,\n\+\s+"replicas": 4,/);
    expect(message).not.toContain("resourceVersion");
  });

  it("names what the second pass created and deleted", async () => {
    let pass = 0;
    const message = await messageOf(() =>
      expect(async () => {
        const name = `map-${pass++}`;
        const client = clientFor(cluster);
        await client.create(ConfigMap, { metadata: { namespace: "default", name }, data: {} });
        if (pass > 1) await client.delete(ConfigMap, { namespace: "default", name: "map-0" });
      }).toBeIdempotent(cluster),
    );
    expect(message).toContain("It made 2 writes:");
    expect(message).toContain("created ConfigMap default/map-1");
    expect(message).toContain("deleted ConfigMap default/map-0");
  });

  it("throws what a pass throws, and takes a function only", async () => {
    const failing = () =>
      expect(() => Promise.reject(new Error("no rights"))).toBeIdempotent(cluster);
    expect(await messageOf(failing)).toBe("no rights");
    expect(await messageOf(() => expect(deploy(1)).toBeIdempotent(cluster))).toContain(
      "toBeIdempotent calls a function twice, but got object",
    );
    await expect(expect(() => undefined).not.toBeIdempotent(cluster)).rejects.toThrow(
      "wrote nothing",
    );
  });
});
