import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KubeObject } from "../../src/index.ts";
import {
  clientFor,
  type ControlPlane,
  installCrds,
  startControlPlane,
  VirtualClock,
} from "../../src/testing.ts";

const crd = (kind: string, plural = `${kind.toLowerCase()}s`): KubeObject =>
  ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.ships.example.com` },
    spec: {
      group: "ships.example.com",
      names: { kind, plural, singular: kind.toLowerCase() },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          },
        },
      ],
    },
  }) as unknown as KubeObject;

describe("CRDs of others", () => {
  let cluster: ControlPlane;
  let folder: string;
  beforeAll(async () => {
    cluster = await startControlPlane({ clock: new VirtualClock(), listen: false });
    folder = await mkdtemp(join(tmpdir(), "tsop-crds-"));
    await writeFile(join(folder, "a.json"), JSON.stringify(crd("Shuttle")));
    const list = { apiVersion: "v1", kind: "List", items: [crd("Probe"), crd("Buoy")] };
    await writeFile(join(folder, "b.yaml"), `---\n${JSON.stringify(list)}\n---\n`);
    await writeFile(join(folder, "README.md"), "no manifest");
  });
  afterAll(async () => {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("are served at once: from objects, files and folders", async () => {
    await installCrds(cluster, folder, crd("Station"), join(folder, "a.json"));
    const client = clientFor(cluster);
    for (const kind of ["Shuttle", "Probe", "Buoy", "Station"]) {
      const token = await client.dynamic("ships.example.com/v1", kind);
      expect(await client.list(token)).toEqual([]);
    }
  });

  it("are told of when they cannot be read, are something else, or are not served", async () => {
    const missing = join(folder, "missing");
    await expect(installCrds(cluster, missing)).rejects.toMatchObject({ code: "crds-unreadable" });
    const text = join(folder, "README.md");
    await expect(installCrds(cluster, text)).rejects.toThrow();
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" } };
    await expect(installCrds(cluster, pod)).rejects.toThrow(
      "Pod p is not a CustomResourceDefinition.",
    );
    const taken = crd("Station", "bases");
    await expect(installCrds(cluster, taken)).rejects.toThrow(
      /The kind of the CRD bases.ships.example.com is not served: .*already in use/,
    );
  });
});
