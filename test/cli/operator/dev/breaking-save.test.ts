/** What `tsop dev` says before a save changes the schema of objects that are stored. */
import { expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import { openCluster } from "../../../../src/cli/cluster/cluster-session.ts";
import { tellBreakingSave } from "../../../../src/cli/operator/dev/breaking-save.ts";
import { startControlPlane } from "../../../../src/controlplane/control-plane.ts";
import { testContext } from "../../support/run-cli.ts";

const crd = (replicas: object) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "webs.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Web", plural: "webs", singular: "web", listKind: "WebList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { replicas } } },
          },
        },
      },
    ],
  },
});

it("tells breaking changes, and the stored objects that no longer fit; nothing for others", async () => {
  const controlPlane = await startControlPlane();
  onTestFinished(() => controlPlane.stop());
  const told: string[] = [];
  const context = { ...testContext(), err: (line: string) => void told.push(line) };
  const session = openCluster({ kubeconfigText: controlPlane.kubeconfig }, context);
  const before = crd({ type: "integer" });
  await tellBreakingSave(session, [before], context);
  await session.apply(before, { dryRun: false });
  const metadata = { namespace: "default", name: "shop" };
  const web = { apiVersion: "example.com/v1", kind: "Web", metadata, spec: { replicas: 2 } };
  await eventually(() => session.apply(web, { dryRun: false }));
  await tellBreakingSave(session, [before], context);
  expect(told).toEqual([]);
  await tellBreakingSave(session, [crd({ type: "string" })], context);
  expect(told).toEqual([
    "this save changes webs.example.com:",
    expect.stringMatching(/^ {2}breaking v1 spec\.replicas: /),
    expect.stringMatching(/^ {2}refuses default\/shop: spec\.replicas: .*string/),
    expect.stringContaining("r deletes all objects of your kinds"),
  ]);
});
