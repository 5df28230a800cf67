/** What operators' authors do with kubectl on the control plane. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, startControlPlane, type ControlPlane } from "../../src/testing.ts";
import { newProject, runCli } from "../cli/support/run-cli.ts";
import { hasKubectl, Kubectl } from "../support/kubectl.ts";

const MY_RESOURCE = `import { CustomResource, PrintColumn, Resource, Scale, type Int32, type IntOrString } from "tsop";

export class MyResourceSpec {
  image!: string;
  memory?: IntOrString;
  replicas: Int32 = 1;
}

export class MyResourceStatus {
  state?: string;
  replicas?: Int32;
}

/** Memory for an image. */
@Resource({ group: "mygroup.example.com", version: "v1alpha1", shortNames: ["my", "myres"], categories: ["all"] })
@Scale({
  spec: (resource: MyResource) => resource.spec.replicas,
  status: (resource: MyResource) => resource.status?.replicas,
})
@PrintColumn("Image", (resource: MyResource) => resource.spec.image)
@PrintColumn("Memory", (resource: MyResource) => resource.spec.memory)
@PrintColumn("Age", (resource: MyResource) => resource.metadata.creationTimestamp)
export class MyResource extends CustomResource<MyResourceSpec, MyResourceStatus> {}
`;

const sample = (name: string, memory: number | string): string =>
  JSON.stringify({
    apiVersion: "mygroup.example.com/v1alpha1",
    kind: "MyResource",
    metadata: { name },
    spec: { image: "nginx", memory },
  });

describe.skipIf(!hasKubectl)("kubectl with a kind of one's own", () => {
  let cluster: ControlPlane;
  let kubectl: Kubectl;
  beforeAll(async () => {
    cluster = await startControlPlane();
    kubectl = new Kubectl(cluster.kubeconfig);
  });
  afterAll(async () => {
    kubectl.close();
    await cluster.stop();
  });

  it("S3-07 is told that nothing matches the kind before its definition is there", async () => {
    const { code, stderr } = await kubectl.run(["apply", "-f", "-"], sample("early", 1));
    expect(code).toBe(1);
    expect(stderr).toContain(
      'no matches for kind "MyResource" in version "mygroup.example.com/v1alpha1"',
    );
  });

  it("S3-06 finds it by its short name and its category, with its columns, and takes memory as number and text", async () => {
    const root = await newProject();
    mkdirSync(join(root, "src/api/v1alpha1"), { recursive: true });
    writeFileSync(join(root, "src/api/v1alpha1/myresource.ts"), MY_RESOURCE);
    expect(await runCli(root, ["manifests"])).toMatchObject({ code: 0, err: "" });
    const crd = join(root, "config/crd/bases/mygroup.example.com_myresources.yaml");
    await kubectl.output(["apply", "--server-side", "-f", "-"], readFileSync(crd, "utf8"));
    await kubectl.output(["wait", "--for=condition=Established", "crd", "--all"]);
    for (const [name, memory] of [
      ["number", 1024],
      ["text", "1024Mi"],
    ] as const) {
      await kubectl.output(["apply", "-f", "-"], sample(name, memory));
    }
    expect(await kubectl.output(["get", "my"])).toMatch(
      /^NAME +IMAGE +MEMORY +AGE\nnumber +nginx +1024 +\d+s\ntext +nginx +1024Mi +\d+s\n$/,
    );
    expect(await kubectl.output(["get", "all"])).toContain("myresource.mygroup.example.com/number");
  });

  it("S0-09 is discovered, read by its path, explained and scaled", async () => {
    const raw = await kubectl.output(["get", "--raw", "/apis/mygroup.example.com/v1alpha1"]);
    const { resources } = JSON.parse(raw) as { resources: { name: string }[] };
    expect(resources.map(({ name }) => name)).toEqual([
      "myresources",
      "myresources/status",
      "myresources/scale",
    ]);
    const explained = await kubectl.output(["explain", "my.spec"]);
    expect(explained).toContain("image\t<string> -required-");
    await kubectl.output(["scale", "my/text", "--replicas=3"]);
    expect(await kubectl.output(["get", "my/text", "-o", "jsonpath={.spec.replicas}"])).toBe("3");
  });
});

const operatorRole = (verbs: readonly string[]): string =>
  JSON.stringify({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "operator-role" },
    rules: [{ apiGroups: [""], resources: ["configmaps"], verbs }],
  });

describe.skipIf(!hasKubectl)("an operator's role", () => {
  it("S3-15 with an empty verb allows nothing: 403 until the verbs are there", async () => {
    await using cluster = await disposable();
    const { kubectl } = cluster;
    const account = "system:serviceaccount:default:operator";
    const binding = ["create", "clusterrolebinding", "operator", "--clusterrole=operator-role"];
    await kubectl.output(["create", "serviceaccount", "operator"]);
    await kubectl.output(["apply", "-f", "-"], operatorRole([""]));
    await kubectl.output([...binding, "--serviceaccount=default:operator"]);
    const list = ["get", "configmaps", "--as", account];
    expect((await kubectl.run(list)).stderr).toContain(
      'Error from server (Forbidden): configmaps is forbidden: User "system:serviceaccount:default:operator" cannot list resource "configmaps"',
    );
    await kubectl.output(["apply", "-f", "-"], operatorRole(["get", "list"]));
    await eventually(async () => expect((await kubectl.run(list)).code).toBe(0));
    expect((await kubectl.run(["create", "configmap", "a", "--as", account])).stderr).toContain(
      'cannot create resource "configmaps"',
    );
  });
});

async function disposable(): Promise<{ kubectl: Kubectl; [Symbol.asyncDispose](): Promise<void> }> {
  const cluster = await startControlPlane();
  const kubectl = new Kubectl(cluster.kubeconfig);
  return {
    kubectl,
    async [Symbol.asyncDispose]() {
      kubectl.close();
      await cluster.stop();
    },
  };
}
