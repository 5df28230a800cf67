import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { renderKustomization } from "../../../src/cli/kustomize/render.ts";
import { bundleFiles, type BundleSource } from "../../../src/cli/packaging/olm/bundle.ts";
import { chartFiles } from "../../../src/cli/packaging/helm/chart.ts";
import type { JsonObject, ManifestObject } from "../../../src/kube/object.ts";
import { emptyFolder, runCli } from "../support/run-cli.ts";

const example = (name: string): string =>
  fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));

/** A ClusterServiceVersion, as far as the tests read it. */
interface Version {
  metadata: { name: string; annotations: Record<string, string> };
  spec: {
    install: {
      spec: {
        deployments: { name: string; spec: Deployment["spec"] }[];
        clusterPermissions?: { serviceAccountName: string; rules: object[] }[];
        permissions?: { serviceAccountName: string; rules: object[] }[];
      };
    };
    installModes: { type: string; supported: boolean }[];
    webhookdefinitions?: JsonObject[];
    customresourcedefinitions: { owned: JsonObject[] };
    relatedImages: object[];
  } & JsonObject;
}

interface Deployment extends ManifestObject {
  spec: {
    template: {
      spec: {
        containers: { args: string[]; env: JsonObject[]; volumeMounts?: object[] }[];
        volumes?: object[];
      };
    };
  };
}

interface Role extends ManifestObject {
  rules: object[];
}

interface Binding extends ManifestObject {
  roleRef: { kind: string; name: string };
  subjects: { name: string }[];
}

const source = (
  projectName: string,
  objects: readonly ManifestObject[],
  more: Partial<BundleSource> = {},
): BundleSource => ({
  projectName,
  version: "0.1.0",
  channels: ["alpha"],
  defaultChannel: "alpha",
  facts: {
    version: "0.1.0",
    description: "An operator",
    keywords: [],
    links: [],
    author: undefined,
    license: undefined,
  },
  base: undefined,
  settings: {},
  objects,
  samples: [],
  builder: "tsop-v0.1.0",
  folder: "bundle",
  ...more,
});

const versionOf = (files: ReadonlyMap<string, string>): Version => {
  const [, text = ""] = [...files].find(([path]) => path.includes("clusterserviceversion")) ?? [];
  return parse(text) as Version;
};

const isDeployment = (object: ManifestObject): object is Deployment => object.kind === "Deployment";

/** The objects of the example that `change` has gone through. */
const changed = (
  objects: readonly ManifestObject[],
  change: (object: ManifestObject) => void,
): ManifestObject[] => {
  const copy = structuredClone(objects) as ManifestObject[];
  for (const object of copy) change(object);
  return copy;
};

let objects: ManifestObject[];
let files: Map<string, string>;
beforeAll(async () => {
  objects = await renderKustomization(join(example("gateway"), "config/default"));
  const samples = await renderKustomization(join(example("gateway"), "config/samples"));
  files = bundleFiles(source("gateway", objects, { samples }));
});

describe("the bundle of an operator with webhooks", () => {
  it("grants exactly the rules of the roles that are bound to the operator, but for what OLM does itself", () => {
    const { clusterPermissions, permissions } = versionOf(files).spec.install.spec;
    for (const [bindings, granted] of [
      ["ClusterRoleBinding", clusterPermissions],
      ["RoleBinding", permissions],
    ] as const) {
      const bound = objects
        .filter((object): object is Binding => object.kind === bindings)
        .map(({ roleRef }) => roleRef)
        .filter(({ name }) => name !== "gateway-webhook-certificate-role");
      const rules = bound.flatMap(({ kind, name }) => {
        const role = objects.find((one) => one.kind === kind && one.metadata.name === name);
        return (role as Role).rules;
      });
      expect(rules).not.toHaveLength(0);
      expect(granted).toEqual([{ serviceAccountName: "gateway-controller-manager", rules }]);
    }
  });

  it("has every other object as config/default renders it, without the namespace", () => {
    const written = [...files]
      .filter(([path]) => path.startsWith("manifests/") && !path.includes("clusterservice"))
      .map(([, text]) => parse(text) as ManifestObject);
    const version = versionOf(files);
    const held = new Set(
      ["Namespace", "Deployment", "ServiceAccount", "Role", "RoleBinding"].concat([
        "ClusterRoleBinding",
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
      ]),
    );
    const expected = objects
      .filter(({ kind, metadata: { name } }) => {
        const isOperators =
          /-(manager|metrics-auth|webhook-certificate|webhook-conversion)-role$/.test(name);
        return !held.has(kind) && !isOperators && name !== "gateway-webhook-service";
      })
      .map((object) => {
        const copy = structuredClone(object);
        delete copy.metadata.namespace;
        return copy;
      });
    expect(written).toEqual(expect.arrayContaining(expected));
    expect(written).toHaveLength(expected.length);
    expect(version.spec.webhookdefinitions).toHaveLength(3);
  });

  it("runs the Deployment as it is rendered, with the certificate that OLM mounts", () => {
    const [deployment] = versionOf(files).spec.install.spec.deployments;
    const rendered = structuredClone(objects.find(isDeployment));
    rendered?.spec.template.spec.containers[0]?.args.push(
      "--webhook-cert-path=/tmp/k8s-webhook-server/serving-certs",
    );
    expect(deployment?.name).toBe(rendered?.metadata.name);
    expect(deployment?.spec).toEqual(rendered?.spec);
  });

  it("mounts no Secret of its own where cert-manager or somebody else gave the certificate", () => {
    const mounted = changed(objects, (object) => {
      if (!isDeployment(object)) return;
      const pod = object.spec.template.spec;
      pod.containers[0]?.args.push("--webhook-cert-path=/webhook-certificate");
      Object.assign(pod.containers[0] ?? {}, {
        volumeMounts: [{ name: "certificate", mountPath: "/webhook-certificate" }],
      });
      pod.volumes = [{ name: "certificate", secret: { secretName: "webhook-cert" } }];
    });
    const issuer = { apiVersion: "cert-manager.io/v1", kind: "Issuer", metadata: { name: "own" } };
    const certificate = {
      apiVersion: "cert-manager.io/v1",
      kind: "Certificate",
      metadata: { name: "serving-cert" },
      spec: { secretName: "webhook-cert", issuerRef: { name: "own" } },
    };
    const bundle = bundleFiles(source("gateway", [...mounted, issuer, certificate]));
    const pod = versionOf(bundle).spec.install.spec.deployments[0]?.spec.template.spec;
    expect(pod?.volumes).toBeUndefined();
    expect(pod?.containers[0]?.volumeMounts).toBeUndefined();
    expect(pod?.containers[0]?.args.filter((arg) => arg.startsWith("--webhook-cert-path"))).toEqual(
      ["--webhook-cert-path=/tmp/k8s-webhook-server/serving-certs"],
    );
    expect([...bundle.keys()].filter((path) => path.includes("cert-manager"))).toEqual([]);
  });

  it("names the webhooks' Deployment, port and path, and the CRDs that are converted", () => {
    expect(versionOf(files).spec.webhookdefinitions).toMatchObject([
      { type: "MutatingAdmissionWebhook", webhookPath: "/mutate-edge-example-com-v1-gateway" },
      { type: "ValidatingAdmissionWebhook", deploymentName: "gateway-controller-manager" },
      {
        type: "ConversionWebhook",
        conversionCRDs: ["gateways.edge.example.com"],
        targetPort: 9443,
      },
    ]);
  });

  it("shows each served version of a kind with its fields, and samples of both", () => {
    const { spec, metadata } = versionOf(files);
    expect(spec.customresourcedefinitions.owned.map(({ version }) => version)).toEqual([
      "v1",
      "v1alpha1",
    ]);
    expect(spec.customresourcedefinitions.owned[0]).toMatchObject({
      kind: "Gateway",
      specDescriptors: [{ path: "timeoutMs", displayName: "Timeout Ms" }],
    });
    expect(JSON.parse(metadata.annotations["alm-examples"] ?? "")).toHaveLength(2);
  });

  it("is installed for all namespaces, as the operator watches them all", () => {
    const modes = versionOf(files).spec.installModes.filter(({ supported }) => supported);
    expect(modes).toEqual([{ type: "AllNamespaces", supported: true }]);
  });

  it("has the same pairs in the annotations and in the image's labels", () => {
    const { annotations } = parse(files.get("metadata/annotations.yaml") ?? "") as {
      annotations: Record<string, string>;
    };
    const labels = [...(files.get("../bundle.Dockerfile") ?? "").matchAll(/^LABEL (.+?)=(.*)$/gm)];
    expect(Object.fromEntries(labels.map(([, key, value]) => [key, value]))).toEqual(annotations);
  });

  it.each<[string, (object: ManifestObject) => void, string]>([
    [
      "a webhook with matchConditions",
      (object) => {
        const { webhooks } = object as ManifestObject & { webhooks?: JsonObject[] };
        for (const one of webhooks ?? [])
          one["matchConditions"] = [{ name: "a", expression: "true" }];
      },
      "bundle-webhook",
    ],
    [
      "an object of another namespace",
      (object) => {
        if (object.kind === "NetworkPolicy") object.metadata.namespace = "monitoring";
      },
      "bundle-namespace",
    ],
    [
      "rights in another namespace",
      (object) => {
        if (object.kind === "RoleBinding") object.metadata.namespace = "kube-system";
      },
      "bundle-binding",
    ],
    [
      "rights of a role that is not rendered",
      (object) => {
        if (object.kind === "ClusterRoleBinding") (object as Binding).roleRef.name = "view";
      },
      "bundle-binding",
    ],
    [
      "a kind that OLM does not install",
      (object) => {
        if (object.kind === "NetworkPolicy") object.kind = "Ingress";
      },
      "bundle-kind",
    ],
    [
      "the namespaces of an OperatorGroup, where OLM converts for all of them only",
      (object) => {
        if (!isDeployment(object)) return;
        Object.assign(object.spec.template.spec.containers[0] ?? {}, { env: [WATCHED] });
      },
      "bundle-install-mode",
    ],
  ])("refuses %s", (_what, change, code) => {
    const act = (): unknown => bundleFiles(source("gateway", changed(objects, change)));
    expect(act).toThrow(expect.objectContaining({ code }));
  });
});

const WATCHED = {
  name: "WATCH_NAMESPACE",
  valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } },
};

describe("the bundle of an operator that watches its own namespace", () => {
  it("takes the namespaces of the OperatorGroup", async () => {
    const rendered = await renderKustomization(join(example("myweb"), "config/default"));
    const scoped = changed(rendered, (object) => {
      if (isDeployment(object))
        Object.assign(object.spec.template.spec.containers[0] ?? {}, { env: [WATCHED] });
    });
    const { spec } = versionOf(bundleFiles(source("myweb", scoped)));
    expect(spec.installModes.filter(({ supported }) => supported).map(({ type }) => type)).toEqual([
      "OwnNamespace",
      "SingleNamespace",
      "MultiNamespace",
    ]);
    expect(spec.install.spec.deployments[0]?.spec.template.spec.containers[0]?.env).toContainEqual({
      name: "WATCH_NAMESPACE",
      valueFrom: { fieldRef: { fieldPath: "metadata.annotations['olm.targetNamespaces']" } },
    });
  });
});

describe("chart and bundle", () => {
  it.each(["myweb", "gateway", "configmonitor", "sampledb"])(
    "have all objects that config/default of %s renders, each in one place",
    async (name) => {
      const rendered = await renderKustomization(join(example(name), "config/default"));
      const image = name;
      const facts = { projectName: name, version: "0.1.0", description: "", image };
      const chart = chartFiles({ ...facts, objects: rendered });
      const bundle = bundleFiles(source(name, rendered));
      const version = JSON.stringify(versionOf(bundle));
      for (const { kind, metadata } of rendered) {
        if (kind === "Namespace") continue;
        const short = metadata.name.replace(`${name}-`, "");
        const template =
          kind === "CustomResourceDefinition"
            ? `templates/crds/${metadata.name}.yaml`
            : `templates/${kind.toLowerCase()}-${short}.yaml`;
        expect([...chart.keys()]).toContain(template);
        const own = [...bundle.keys()].filter(
          (path) =>
            path.endsWith(`_${kind.toLowerCase()}.yaml`) &&
            path.startsWith(`manifests/${metadata.name}_`),
        );
        if (own.length === 0 && kind !== "CustomResourceDefinition") {
          // Its content is in the ClusterServiceVersion, or OLM makes it.
          const isSaid = version.includes(`"${metadata.name}"`);
          const isOlms = /Webhook|^Role|^ClusterRole|Service$/.test(kind);
          expect([kind, metadata.name, isSaid || isOlms]).toEqual([kind, metadata.name, true]);
        }
      }
    },
  );
});

describe("tsop bundle", () => {
  const project = (): string => {
    const root = emptyFolder();
    const from = example("configmonitor");
    for (const path of ["PROJECT", "package.json", "tsconfig.json", "src", "config"]) {
      cpSync(join(from, path), join(root, path), { recursive: true });
    }
    mkdirSync(join(root, "node_modules"));
    cpSync(join(from, "package.json"), join(root, "package.json"));
    return root;
  };
  const CSV = "bundle/manifests/configmonitor.clusterserviceversion.yaml";
  const written = (root: string): Version =>
    parse(readFileSync(join(root, CSV), "utf8")) as Version;

  it("writes the bundle with the image, and finds nothing to change in it afterwards", async () => {
    const root = project();
    const flags = ["--image", "registry.example.com/monitor:0.2.0", "--version", "0.2.0"];
    const more = ["--replaces", "0.1.0", "--channels", "stable,candidate", "--maturity", "beta"];
    const { code, err } = await runCli(root, ["bundle", ...flags, ...more]);
    expect([code, err]).toEqual([0, ""]);
    expect(written(root)).toMatchObject({
      metadata: { name: "configmonitor.v0.2.0" },
      spec: {
        maturity: "beta",
        replaces: "configmonitor.v0.1.0",
        relatedImages: [{ name: "manager", image: "registry.example.com/monitor:0.2.0" }],
      },
    });
    expect((await runCli(root, ["bundle", "--check", ...flags, ...more])).code).toBe(0);
    expect((await runCli(root, ["bundle", "--check"])).code).toBe(3);
    const kept = await runCli(root, ["bundle", "--version", "0.3.0"]);
    expect(kept.err).toContain(
      "note the image stays registry.example.com/monitor:0.2.0, as the bundle has it. Pass --image to change it.",
    );
    expect(written(root)).toMatchObject({
      metadata: { name: "configmonitor.v0.3.0" },
      spec: { relatedImages: [{ image: "registry.example.com/monitor:0.2.0" }] },
    });
    await runCli(root, ["bundle", ...flags, ...more]);
    expect(readFileSync(join(root, "bundle.Dockerfile"), "utf8")).toContain("stable,candidate");
  }, 60_000);

  it("takes what the user's part of the ClusterServiceVersion says, and keeps files that were changed", async () => {
    const root = project();
    const folder = join(root, "config/manifests/bases");
    mkdirSync(folder, { recursive: true });
    const base = `apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  annotations:
    capabilities: Deep Insights
spec:
  displayName: Config Monitor
  minKubeVersion: 1.29.0
  version: 9.9.9
`;
    writeFileSync(join(folder, "configmonitor.clusterserviceversion.yaml"), base);
    expect((await runCli(root, ["bundle"])).err).toContain(
      "note the bundle has the placeholder controller:latest as its image.",
    );
    const { metadata, spec } = written(root);
    expect(metadata.annotations["capabilities"]).toBe("Deep Insights");
    expect(spec).toMatchObject({
      displayName: "Config Monitor",
      minKubeVersion: "1.29.0",
      version: "0.1.0",
    });

    writeFileSync(join(root, "bundle.Dockerfile"), "FROM scratch\n");
    const { err } = await runCli(root, ["bundle", "--version", "0.2.0"]);
    expect(err).toContain("kept bundle.Dockerfile was changed by hand");
    expect(readFileSync(join(root, "bundle.Dockerfile"), "utf8")).toBe("FROM scratch\n");

    const wide = `${base}  installModes:\n    - { type: OwnNamespace, supported: true }\n`;
    writeFileSync(join(folder, "configmonitor.clusterserviceversion.yaml"), wide);
    expect(await runCli(root, ["bundle"])).toMatchObject({ code: 1 });
    writeFileSync(join(folder, "configmonitor.clusterserviceversion.yaml"), "kind: Role\n");
    expect((await runCli(root, ["bundle"])).err).toContain("is not a ClusterServiceVersion");
  }, 60_000);

  it.each([
    [["--version", "v1"], "OLM takes semantic versions only"],
    [["--channels", "a b"], "is not a channel's name"],
    [["--default-channel", "fast"], "is not one of the channels alpha"],
    [["--icon", "no-such.png"], "is not a picture"],
    [["--output-dir", "../bundle"], "must be inside the project"],
  ])("refuses %j before it writes", async (flags, message) => {
    const { code, err } = await runCli(project(), ["bundle", ...flags]);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});
