import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "../../src/controlplane/control-plane.ts";
import { KUBERNETES_VERSION } from "../../src/kube/kubernetes-version.ts";
import { Kubectl, hasKubectl } from "../support/kubectl.ts";

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, labels: { app: web } }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers: [{ name: c, image: "nginx:1.27", ports: [{ containerPort: 80 }] }]
`;

const IMAGE = "jsonpath={.spec.template.spec.containers[0].image}";

describe.skipIf(!hasKubectl)("A day with kubectl", () => {
  let plane: ControlPlane;
  let kubectl: Kubectl;
  const run = (line: string): Promise<string> => kubectl.output(line.split(" "));
  const imageOf = (name: string): Promise<string> =>
    kubectl.output(["get", "deployment", name, "-o", IMAGE]);

  beforeAll(async () => {
    plane = await startControlPlane();
    kubectl = new Kubectl(plane.kubeconfig);
  }, 60_000);

  afterAll(async () => {
    kubectl.close();
    await plane.stop();
  });

  it("begins by looking where one is", async () => {
    expect(await run("version")).toContain(`Server Version: v${KUBERNETES_VERSION}`);
    expect(await run("cluster-info")).toContain("Kubernetes control plane is running at https://");
    expect(await run("get --raw /readyz")).toBe("ok");
    expect(await run("get nodes")).toMatch(/Ready/);
    expect(await run("get namespaces -o name")).toContain("namespace/kube-system");
  });

  it("rolls an image out, back, and out again", async () => {
    await kubectl.output(["create", "-f", "-"], deployment);
    await run("rollout status deployment/web --timeout=50s");
    await run("set image deployment/web c=nginx:1.28");
    await run("rollout status deployment/web --timeout=50s");
    expect(await run("rollout history deployment/web")).toMatch(/^1 .*\n2 /m);
    expect(await run("rollout undo deployment/web")).toBe("deployment.apps/web rolled back\n");
    expect(await imageOf("web")).toBe("nginx:1.27");
    expect(await run("rollout restart deployment/web")).toBe("deployment.apps/web restarted\n");
    expect(await run("rollout pause deployment/web")).toBe("deployment.apps/web paused\n");
    expect(await run("rollout resume deployment/web")).toBe("deployment.apps/web resumed\n");
    expect(await run("rollout status deployment/web --timeout=50s")).toContain(
      "successfully rolled out",
    );
  });

  it("edits an object in an editor", async () => {
    const { code, stdout } = await kubectl.run(["edit", "deployment", "web"], "", {
      KUBE_EDITOR: "sed -i s/nginx:1.27/nginx:1.30/",
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "deployment.apps/web edited\n" });
    expect(await imageOf("web")).toBe("nginx:1.30");
  });

  it("labels, annotates, and replaces", async () => {
    expect(await run("label deployment web tier=front")).toBe("deployment.apps/web labeled\n");
    expect(await run("annotate deployment web note=x")).toBe("deployment.apps/web annotated\n");
    expect(await run("get deployments -l tier=front -o name")).toBe("deployment.apps/web\n");
    expect(await kubectl.output(["replace", "-f", "-"], deployment)).toBe(
      "deployment.apps/web replaced\n",
    );
    expect(await run("get deployments -l tier=front -o name")).toBe("");
  });

  it("shows what happened as events", async () => {
    await plane.settle();
    expect(await run("get events")).toMatch(/Normal\s+ScalingReplicaSet\s+deployment\/web/);
    expect(await run("events --for deployment/web")).toContain("Scaled up replica set web-");
    expect(await run("get events.v1.events.k8s.io")).toContain("ScalingReplicaSet");
  });

  it("says clearly that there are no metrics and no logs", async () => {
    const { code, stderr } = await kubectl.run(["top", "pods"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "error: Metrics API not available\n" });
    const logs = await kubectl.run(["logs", "deployment/web"]);
    expect({ code: logs.code, stdout: logs.stdout }).toEqual({ code: 0, stdout: "" });
    expect(logs.stderr).toMatch(/runs on the simulated node .* so their logs are empty/);
  });

  it("creates typed objects, which it sends as protobuf", async () => {
    await run("create configmap settings --from-literal=a=1");
    await run("create secret generic keys --from-literal=a=b");
    await run("create serviceaccount bot");
    await run("create role reader --verb=get,list --resource=pods");
    await run("create rolebinding readers --role=reader --serviceaccount=default:bot");
    await run("create job once --image=busybox -- true");
    await run("create cronjob often --image=busybox --schedule=@hourly -- true");
    await run("create ingress front --rule=a.example.com/=web:80");
    await run("create quota small --hard=pods=10");
    await run("expose deployment web --port=80");
    await run("autoscale deployment web --min=1 --max=3");
    expect(await run("get configmap settings -o jsonpath={.data.a}")).toBe("1");
    expect(await run("get secret keys -o jsonpath={.data.a}")).toBe("Yg==");
    expect(await run("get hpa web")).toMatch(/Deployment\/web\s+cpu: <unknown>\/80%\s+1\s+3/);
    expect(await run("describe service web")).toMatch(/Endpoints:\s+\d+\.\d+\.\d+\.\d+:80,/);
  });

  it("asks for a token, and for what others may do", async () => {
    const token = (await run("create token bot --duration=10m")).trim();
    expect(token.split(".")).toHaveLength(3);
    expect(await run("auth can-i list pods --as=system:serviceaccount:default:bot")).toBe("yes\n");
    expect((await kubectl.run(["auth", "can-i", "--list", "--as=jane"])).stdout).toContain(
      "selfsubjectreviews.authentication.k8s.io",
    );
  });

  it("drains a node and lets it work again", async () => {
    const [node = ""] = (await run("get nodes -o name")).trim().split("\n");
    const name = node.replace("node/", "");
    expect(await run(`taint nodes ${name} k=v:NoSchedule`)).toContain("tainted");
    expect(await run(`taint nodes ${name} k=v:NoSchedule-`)).toContain("untainted");
    expect(await run(`drain ${name} --ignore-daemonsets --force --timeout=50s`)).toContain(
      "drained",
    );
    expect(await run("get nodes")).toContain("SchedulingDisabled");
    expect(await run(`uncordon ${name}`)).toContain("uncordoned");
    expect(await run("rollout status deployment/web --timeout=50s")).toContain(
      "successfully rolled out",
    );
  });

  it("drains no more than a disruption budget allows", async () => {
    const [node = ""] = (await run("get nodes -o name")).trim().split("\n");
    const name = node.replace("node/", "");
    await run("rollout status deployment/web --timeout=50s");
    await run("create pdb web --selector=app=web --min-available=2");
    await plane.settle();
    const drain = ["drain", name, "--ignore-daemonsets", "--force"];
    const draining = kubectl.start(drain);
    // It tries again every five seconds, until it is ended.
    await draining.waitForError(
      /Cannot evict pod as it would violate the pod's disruption budget\./,
    );
    await draining.stop();
    expect((await run("get pods -l app=web -o name")).trim().split("\n")).toHaveLength(2);
    await run("delete pdb web");
    expect(await kubectl.output(drain)).toContain("drained");
    await run(`uncordon ${name}`);
  });

  it("runs one pod, waits for it, and for its end", async () => {
    expect(await run("run one --image=nginx")).toBe("pod/one created\n");
    expect(await run("wait --for=condition=Ready pod/one --timeout=50s")).toContain("met");
    expect(await run("describe pod one")).toMatch(/Status:\s+Running/);
    const gone = run("wait --for=delete pod/one --timeout=50s");
    expect(await run("delete pod one --now")).toContain('pod "one" deleted');
    expect(await gone).toMatch(/^(pod\/one condition met\n)?$/);
  });

  it("prints columns, sorted, as one likes", async () => {
    await run("create namespace team");
    expect(
      await run(
        "get ns --sort-by=.metadata.name -o custom-columns=N:.metadata.name,P:.status.phase",
      ),
    ).toMatch(/^N\s+P\ndefault\s+Active\n[^]*team\s+Active\n$/);
    expect(await run("explain hpa.spec --api-version=autoscaling/v1")).toContain(
      "targetCPUUtilizationPercentage",
    );
  });

  it("cleans up, a namespace with all that is in it too", async () => {
    await run("create configmap inside -n team");
    expect(await run("delete namespace team")).toContain('namespace "team" deleted');
    expect((await kubectl.run(["get", "ns", "team"])).stderr).toContain("not found");
    await run("delete all --all");
    await plane.settle();
    expect((await kubectl.run(["get", "all"])).stderr).toContain("No resources found");
  });
});
