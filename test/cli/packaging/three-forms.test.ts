/** The operator's Deployment is the same in config/default, in the chart, and in the bundle. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { DeploymentSpec } from "../../../src/generated/k8s/apps-v1.ts";
import { renderKustomization } from "../../../src/cli/kustomize/render.ts";
import { chartFiles } from "../../../src/cli/packaging/helm/chart.ts";
import { bundleFiles } from "../../../src/cli/packaging/olm/bundle.ts";
import {
  findOperatorDeployment,
  operatorContainer,
} from "../../../src/cli/project/operator-deployment.ts";
import type { ManifestObject } from "../../../src/kube/object.ts";
import { exampleNames } from "../../support/example.ts";
import { ChartFolder } from "../../support/helm.ts";
import { hasKubectl } from "../../support/kubectl.ts";

const EXAMPLES = fileURLToPath(new URL("../../../examples", import.meta.url));

const operatorOf = (objects: readonly ManifestObject[], name: string): DeploymentSpec => {
  const found = findOperatorDeployment(objects, name);
  if (!found) throw new Error(`${name} renders no Deployment`);
  return found.spec;
};

const rendered = (name: string): Promise<ManifestObject[]> =>
  renderKustomization(join(EXAMPLES, name, "config/default"));

/** What OLM and Helm do in their own way: the image, the arguments of webhooks, and labels of a release. */
function compared(spec: DeploymentSpec): unknown {
  const copy = structuredClone(spec);
  const text = JSON.stringify(copy, (key: string, value: unknown) =>
    key === "image" || key === "app.kubernetes.io/instance" ? undefined : value,
  );
  const read = JSON.parse(text) as DeploymentSpec;
  for (const container of read.template.spec?.containers ?? []) {
    container.args = container.args?.filter((arg) => !/^--webhook-(name|cert)/.test(arg)) ?? [];
    container.args.sort();
    // OLM chooses the namespaces.
    for (const { valueFrom } of container.env ?? []) {
      if (valueFrom?.fieldRef) valueFrom.fieldRef.fieldPath = "";
    }
  }
  return read;
}

describe.each(exampleNames())("%s", (name) => {
  it("has everything in config/default that a production Deployment needs", async () => {
    const { template } = operatorOf(await rendered(name), name);
    expect(template.spec).toMatchObject({
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    });
    const objects = await rendered(name);
    const deployment = findOperatorDeployment(objects, name);
    const container = deployment && operatorContainer(deployment);
    expect(container).toMatchObject({
      terminationMessagePolicy: "FallbackToLogsOnError",
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      },
      livenessProbe: { timeoutSeconds: 5 },
      // A replica that hangs gets no more calls after 8 seconds.
      readinessProbe: { periodSeconds: 3, timeoutSeconds: 2, failureThreshold: 2 },
      resources: { requests: {}, limits: {} },
    });
    expect(JSON.stringify(objects)).not.toContain("max-old-space-size");
  });

  it("has the same in the bundle", async () => {
    const objects = await rendered(name);
    const files = bundleFiles({
      projectName: name,
      version: "0.1.0",
      channels: ["alpha"],
      defaultChannel: "alpha",
      facts: { version: "0.1.0", description: "", keywords: [], links: [], author: undefined },
      base: undefined,
      settings: {},
      objects,
      samples: [],
      builder: "tsop",
      folder: "bundle",
    } as unknown as Parameters<typeof bundleFiles>[0]);
    const text = files.get(`manifests/${name}.clusterserviceversion.yaml`) ?? "";
    const version = parse(text) as {
      spec: { install: { spec: { deployments: { spec: DeploymentSpec }[] } } };
    };
    const [deployment] = version.spec.install.spec.deployments;
    expect(deployment && compared(deployment.spec)).toEqual(compared(operatorOf(objects, name)));
  });

  it.skipIf(!hasKubectl)("has the same in the chart", async () => {
    const objects = await rendered(name);
    using chart = new ChartFolder(
      chartFiles({
        projectName: name,
        version: "0.1.0",
        description: "",
        image: undefined,
        objects,
      }),
    );
    const release = await chart.template({}, { release: name, namespace: `${name}-system` });
    expect(compared(operatorOf(release, name))).toEqual(compared(operatorOf(objects, name)));
  });
});
