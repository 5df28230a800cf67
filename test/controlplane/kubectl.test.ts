import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "../../src/controlplane/control-plane.ts";
import { Kubectl, hasKubectl } from "../support/kubectl.ts";

const deployment = (name: string, replicas: number, image = "nginx:1.27"): string => `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  labels: { app: ${name} }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers:
        - { name: c, image: "${image}", ports: [{ containerPort: 80 }] }
`;

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.shop.example.com }
spec:
  group: shop.example.com
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget, shortNames: [wd], categories: [all] }
  versions:
    - name: v1
      served: true
      storage: true
      additionalPrinterColumns:
        - { name: Size, type: integer, jsonPath: .spec.size }
      subresources: { status: {} }
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              description: What is wanted.
              type: object
              required: [size]
              properties:
                size: { type: integer, minimum: 1, description: How many. }
            status:
              type: object
              x-kubernetes-preserve-unknown-fields: true
`;

const widget = (name: string, size: number | string): string => `
apiVersion: shop.example.com/v1
kind: Widget
metadata: { name: ${name} }
spec: { size: ${size} }
`;

/** The lines of a table, split at runs of blanks. */
const rows = (table: string): string[][] =>
  table
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/\s{2,}/));

describe.skipIf(!hasKubectl)("kubectl against the control plane", { timeout: 30_000 }, () => {
  let plane: ControlPlane;
  let kubectl: Kubectl;

  beforeAll(async () => {
    plane = await startControlPlane();
    kubectl = new Kubectl(plane.kubeconfig);
    await kubectl.output(["version"]);
  }, 60_000);

  afterAll(async () => {
    kubectl.close();
    await plane.stop();
  });

  it("finds the resources", async () => {
    const table = rows(await kubectl.output(["api-resources", "--api-group=apps"]));
    expect(table).toContainEqual(["deployments", "deploy", "apps/v1", "true", "Deployment"]);
    expect(await kubectl.output(["api-versions"])).toContain("rbac.authorization.k8s.io/v1");
  });

  it("applies from the client's side: creates, changes, and leaves alone what is the same", async () => {
    const apply = (text: string): Promise<string> => kubectl.output(["apply", "-f", "-"], text);
    expect(await apply(deployment("web", 1))).toBe("deployment.apps/web created\n");
    expect(await apply(deployment("web", 2))).toBe("deployment.apps/web configured\n");
    expect(await apply(deployment("web", 2))).toBe("deployment.apps/web unchanged\n");
  });

  it("refuses a field that the kind does not have", async () => {
    const wrong = deployment("wrong", 1).replace("replicas:", "replica:");
    const { code, stderr } = await kubectl.run(["apply", "-f", "-"], wrong);
    expect(code).toBe(1);
    expect(stderr).toContain('unknown field "spec.replica"');
  });

  it("applies from the server's side, and names who owns a field in a conflict", async () => {
    const apply = ["apply", "--server-side", "--field-manager"];
    expect(await kubectl.output([...apply, "one", "-f", "-"], deployment("owned", 1))).toBe(
      "deployment.apps/owned serverside-applied\n",
    );
    const { code, stderr } = await kubectl.run(
      [...apply, "two", "-f", "-"],
      deployment("owned", 3),
    );
    expect(code).toBe(1);
    expect(stderr).toContain('conflict with "one": .spec.replicas');
    const forced = [...apply, "two", "--force-conflicts", "-f", "-"];
    expect(await kubectl.output(forced, deployment("owned", 3))).toContain("serverside-applied");
  });

  it("waits for a condition", async () => {
    expect(
      await kubectl.output([
        "wait",
        "--for=condition=Available",
        "deployment/web",
        "--timeout=50s",
      ]),
    ).toBe("deployment.apps/web condition met\n");
    expect(await kubectl.output(["rollout", "status", "deployment/web"])).toContain(
      "successfully rolled out",
    );
  });

  it("gets a table, a wide one, YAML and a field", async () => {
    const table = rows(await kubectl.output(["get", "deployments", "web"]));
    expect(table[0]).toEqual(["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE"]);
    expect(table[1]?.slice(0, 4)).toEqual(["web", "2/2", "2", "2"]);
    const wide = rows(await kubectl.output(["get", "deployment", "web", "-o", "wide"]));
    expect(wide[1]?.slice(-3)).toEqual(["c", "nginx:1.27", "app=web"]);
    const pods = rows(await kubectl.output(["get", "pods", "-l", "app=web"]));
    expect(pods.slice(1).map((cells) => cells.slice(1, 4))).toEqual([
      ["1/1", "Running", "0"],
      ["1/1", "Running", "0"],
    ]);
    expect(await kubectl.output(["get", "deployment", "web", "-o", "yaml"])).toMatch(
      /^apiVersion: apps\/v1\nkind: Deployment\nmetadata:\n {2}annotations:\n/,
    );
    expect(
      await kubectl.output(["get", "deployment", "web", "-o", "jsonpath={.spec.replicas}"]),
    ).toBe("2");
    expect(await kubectl.output(["get", "all"])).toContain("deployment.apps/web");
  });

  it("creates, labels and watches", async () => {
    const watch = kubectl.start(["get", "configmaps", "-w", "-l", "watched=yes"]);
    await kubectl.output(["create", "configmap", "seen", "--from-literal=a=1"]);
    await kubectl.output(["label", "configmap", "seen", "watched=yes"]);
    await kubectl.output([
      "patch",
      "configmap",
      "seen",
      "--type=merge",
      "-p",
      '{"data":{"b":"2"}}',
    ]);
    const lines = rows(await watch.waitFor(/seen\s+1[^]*seen\s+2/));
    expect(lines[0]).toEqual(["NAME", "DATA", "AGE"]);
    await watch.stop();
  });

  it("describes a deployment with its events", async () => {
    const text = await kubectl.output(["describe", "deployment", "web"]);
    expect(text).toMatch(/Replicas:\s+2 desired \| 2 updated \| 2 total \| 2 available/);
    expect(text).toMatch(/Normal\s+ScalingReplicaSet .* Scaled up replica set web-/);
  });

  it("explains fields of built-in kinds", async () => {
    const text = await kubectl.output(["explain", "deployment.spec.strategy"]);
    expect(text).toContain("FIELD: strategy <DeploymentStrategy>");
    expect(text).toContain("enum: Recreate, RollingUpdate");
    expect(await kubectl.output(["explain", "pods", "--recursive"])).toContain("containerPort");
  });

  it("patches strategically: a container is found by its name", async () => {
    const patch =
      '{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"nginx:1.28"}]}}}}';
    expect(await kubectl.output(["patch", "deployment", "web", "-p", patch])).toBe(
      "deployment.apps/web patched\n",
    );
    const path = "jsonpath={.spec.template.spec.containers[*].image}";
    expect(await kubectl.output(["get", "deployment", "web", "-o", path])).toBe("nginx:1.28");
    await kubectl.output(["set", "image", "deployment/web", "c=nginx:1.29"]);
    expect(await kubectl.output(["get", "deployment", "web", "-o", path])).toBe("nginx:1.29");
  });

  it("scales", async () => {
    expect(await kubectl.output(["scale", "deployment", "web", "--replicas=1"])).toBe(
      "deployment.apps/web scaled\n",
    );
    await plane.settle();
    expect(
      await kubectl.output(["get", "deployment", "web", "-o", "jsonpath={.status.replicas}"]),
    ).toBe("1");
  });

  it("shows what an apply would change, and changes nothing", async () => {
    const { code, stdout } = await kubectl.run(["diff", "-f", "-"], deployment("web", 4));
    expect(code).toBe(1);
    expect(stdout).toContain("+  replicas: 4");
    const dry = ["apply", "--server-side", "--dry-run=server", "-f", "-"];
    expect(await kubectl.output(dry, deployment("dry", 1))).toContain("(server dry run)");
    expect((await kubectl.run(["get", "deployment", "dry"])).stderr).toContain(
      'deployments.apps "dry" not found',
    );
  });

  it("asks what a user may do, and who one is", async () => {
    expect(await kubectl.output(["auth", "can-i", "create", "pods"])).toBe("yes\n");
    const asJane = await kubectl.run(["auth", "can-i", "create", "pods", "--as=jane"]);
    expect(asJane).toMatchObject({ code: 1, stdout: "no\n" });
    const { stderr } = await kubectl.run(["get", "pods", "--as=jane"]);
    expect(stderr).toContain('User "jane" cannot list resource "pods"');
    expect(await kubectl.output(["auth", "whoami"])).toMatch(/Username\s+admin/);
  });

  it("deletes, and waits until the object and what it owned are gone", async () => {
    expect(await kubectl.output(["delete", "deployment", "web", "owned"])).toBe(
      'deployment.apps "web" deleted from default namespace\ndeployment.apps "owned" deleted from default namespace\n',
    );
    await plane.settle();
    expect((await kubectl.run(["get", "replicasets,pods"])).stderr).toBe(
      "No resources found in default namespace.\n",
    );
  });

  describe("with a custom resource", () => {
    beforeAll(async () => {
      await kubectl.output(["apply", "-f", "-"], widgets);
      await kubectl.output([
        "wait",
        "--for=condition=Established",
        "crd/widgets.shop.example.com",
        "--timeout=50s",
      ]);
    }, 30_000);

    it("applies it from both sides and shows its own columns", async () => {
      expect(await kubectl.output(["apply", "-f", "-"], widget("a", 1))).toBe(
        "widget.shop.example.com/a created\n",
      );
      expect(await kubectl.output(["apply", "-f", "-"], widget("a", 2))).toBe(
        "widget.shop.example.com/a configured\n",
      );
      await kubectl.output(["apply", "--server-side", "-f", "-"], widget("b", 3));
      expect(rows(await kubectl.output(["get", "wd"]))).toEqual([
        ["NAME", "SIZE"],
        ["a", "2"],
        ["b", "3"],
      ]);
      expect(await kubectl.output(["get", "all"])).toContain("widget.shop.example.com/a");
    });

    it("refuses what its schema does not allow", async () => {
      const { code, stderr } = await kubectl.run(["apply", "-f", "-"], widget("c", 0));
      expect(code).toBe(1);
      expect(stderr).toContain("spec.size: Invalid value: 0");
    });

    it("explains it in the author's words", async () => {
      expect(await kubectl.output(["explain", "widget.spec"])).toContain("What is wanted.");
      expect(await kubectl.output(["explain", "widget.spec.size"])).toContain("How many.");
    });

    it("patches its status and waits for a condition there", async () => {
      const status = '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}';
      await kubectl.output([
        "patch",
        "widget",
        "a",
        "--subresource=status",
        "--type=merge",
        "-p",
        status,
      ]);
      expect(await kubectl.output(["wait", "--for=condition=Ready", "widget/a"])).toBe(
        "widget.shop.example.com/a condition met\n",
      );
    });

    it("deletes it with its definition", async () => {
      await kubectl.output(["delete", "crd", "widgets.shop.example.com"]);
      // kubectl remembers discovery for a while; `api-resources` asks anew.
      expect((await kubectl.run(["get", "widgets"])).code).toBe(1);
      expect(await kubectl.output(["api-resources", "--cached=false"])).not.toContain("widgets");
    });
  });
});
