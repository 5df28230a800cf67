/**
 * The life of a deployed operator: installed, deployed, upgraded, removed, and the same as a Helm chart, beside objects of
 * others. After each step it is asked which objects are there, of every kind.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { execa } from "execa";
import { eventually } from "../../../src/testing.ts";
import { clientFolder, type Kubectl } from "../../support/kubectl.ts";
import { Census } from "./census.ts";
import type { Newcomer } from "./newcomer.ts";

const NAMESPACE = "shop-system";
const IMAGE = "registry.example.com/shop";
const CRD = "CustomResourceDefinition.apiextensions.k8s.io mywebs.web.example.com";
const SAMPLE = "MyWeb.web.example.com default/myweb-sample";
const NETWORK_POLICY = `NetworkPolicy.networking.k8s.io ${NAMESPACE}/shop-allow-metrics-traffic`;
const SETTLED = { timeoutMs: 60_000, intervalMs: 500 };

/** What `tsop deploy` and the chart make of a project as `init` and `create api` leave it, beside CRD and namespace. */
const OPERATOR = [
  "ClusterRole.rbac.authorization.k8s.io shop-manager-role",
  "ClusterRole.rbac.authorization.k8s.io shop-metrics-auth-role",
  "ClusterRole.rbac.authorization.k8s.io shop-metrics-reader",
  "ClusterRole.rbac.authorization.k8s.io shop-myweb-admin-role",
  "ClusterRole.rbac.authorization.k8s.io shop-myweb-editor-role",
  "ClusterRole.rbac.authorization.k8s.io shop-myweb-viewer-role",
  "ClusterRoleBinding.rbac.authorization.k8s.io shop-manager-rolebinding",
  "ClusterRoleBinding.rbac.authorization.k8s.io shop-metrics-auth-rolebinding",
  `Deployment.apps ${NAMESPACE}/shop-controller-manager`,
  NETWORK_POLICY,
  `Role.rbac.authorization.k8s.io ${NAMESPACE}/shop-leader-election-role`,
  `RoleBinding.rbac.authorization.k8s.io ${NAMESPACE}/shop-leader-election-rolebinding`,
  `Service ${NAMESPACE}/shop-controller-manager-metrics-service`,
  `ServiceAccount ${NAMESPACE}/shop-controller-manager`,
];

/** What was there before, and is nobody's business here. */
const OTHERS = `
apiVersion: v1
kind: Namespace
metadata: { name: others }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: others, labels: { app.kubernetes.io/name: shop } }
data: { keep: "yes" }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: shop-neighbour-role, labels: { app.kubernetes.io/name: shop } }
rules: []
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gadgets.web.example.org }
spec:
  group: web.example.org
  scope: Namespaced
  names: { kind: Gadget, plural: gadgets, singular: gadget, listKind: GadgetList }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object } }
`;
const GADGET = `{ apiVersion: web.example.org/v1, kind: Gadget, metadata: { name: one, namespace: others } }`;

/** What is done and then looked at, by what it is about. */
type Steps = Readonly<Record<string, () => Promise<void>>>;

/** Where the life takes place, and who looks on. */
export class LifeCycle {
  readonly #newcomer: Newcomer;
  readonly #kubectl: Kubectl;
  readonly #kubeconfig: string;
  readonly #settle: (() => Promise<void>) | undefined;
  #before: Census | undefined;

  /**
   * @param kubeconfig - the file with which `tsop` and helm reach what `kubectl` looks at
   * @param settle - resolves when the cluster is at rest; a cluster that cannot tell is looked at until nothing moves
   */
  constructor(
    newcomer: Newcomer,
    kubectl: Kubectl,
    kubeconfig: string,
    settle?: () => Promise<void>,
  ) {
    this.#newcomer = newcomer;
    this.#kubectl = kubectl;
    this.#kubeconfig = kubeconfig;
    this.#settle = settle;
  }

  /** The steps of the operator that `tsop` deploys, in their order. */
  readonly operator: Steps = {
    "a project from an empty folder, and objects of others": () => this.#begin(),
    "install: the CRD alone, and again: nothing": () => this.#install(),
    "deploy: the operator, and again: nothing": () => this.#deploy(),
    "plan and deploy a second image, another CRD and one part less": () => this.#upgrade(),
    "undeploy with the objects, then uninstall: nothing is left": () => this.#undeploy(),
  };

  /** Steps after those of the operator. */
  readonly more: Steps = {
    "undeploy is refused while there are objects, and touches nothing": () => this.#refuse(),
    "install and uninstall: nothing is left": () => this.#reinstall(),
  };

  /** The steps of the chart, in their order. */
  readonly chart: Steps = {
    "chart, helm install: the operator with its CRD": () => this.#chartInstall(),
    "helm upgrade to a second image and another CRD": () => this.#chartUpgrade(),
    "helm uninstall: the CRD stays with its objects, nothing else": () => this.#chartUninstall(),
  };

  get #folder(): string {
    return join(this.#newcomer.home, "shop");
  }

  #tsop(line: string): Promise<string> {
    return this.#newcomer.succeed(`npx tsop ${line}`, this.#folder);
  }

  #onCluster(line: string): Promise<string> {
    return this.#tsop(`${line} --kubeconfig ${this.#kubeconfig}`);
  }

  async #helm(...args: string[]): Promise<string> {
    const { home } = this.#newcomer;
    const env = { KUBECONFIG: this.#kubeconfig, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home };
    const { stdout } = await execa(join(clientFolder(), "helm"), args, { cwd: this.#folder, env });
    return stdout;
  }

  /** Exactly these objects were added to what was there at the beginning, and nothing of that was touched. */
  async #expectAdded(expected: readonly string[]): Promise<void> {
    const sorted = [...expected].sort();
    await this.#settle?.();
    await eventually(async () => {
      const before = this.#beginning();
      const now = await Census.take(this.#kubectl);
      const added = now.addedSince(before);
      const missing = sorted.filter((name) => !added.includes(name));
      const more = added.filter((name) => !sorted.includes(name));
      expectSame("missing", missing, []);
      expectSame("not expected", more, []);
      expectSame("of others, touched", now.touchedSince(before), []);
    }, SETTLED);
  }

  /** Nothing of the whole cluster differs from the beginning, not even what controllers made. */
  async #expectNothingLeft(): Promise<void> {
    await this.#settle?.();
    await eventually(async () => {
      const now = await Census.take(this.#kubectl);
      expectSame("differences", now.differenceFrom(this.#beginning()), []);
    }, SETTLED);
  }

  /** A command that is repeated changes nothing. */
  async #expectUnchangedBy(command: () => Promise<unknown>): Promise<void> {
    const before = await this.#settled();
    await command();
    await this.#settle?.();
    const now = await Census.take(this.#kubectl);
    expectSame("changed the second time", now.differenceFrom(before), []);
  }

  #beginning(): Census {
    if (this.#before === undefined) throw new Error("the life has not begun");
    return this.#before;
  }

  /** The cluster, once its controllers are at rest. */
  async #settled(): Promise<Census> {
    await this.#settle?.();
    let last = await Census.take(this.#kubectl);
    if (this.#settle) return last;
    return eventually(async () => {
      const before = last;
      last = await Census.take(this.#kubectl);
      expectSame("still moving", last.differenceFrom(before), []);
      return last;
    }, SETTLED);
  }

  async #begin(): Promise<void> {
    await this.#newcomer.succeed("npx tsop init shop --domain example.com");
    await this.#tsop(
      "create api --group web --version v1 --kind MyWeb --field image:string=nginx --field 'note:string?'",
    );
    await this.#kubectl.output(["apply", "-f", "-"], OTHERS);
    await this.#kubectl.output(["wait", "--for=condition=Established", "crd", "--all"]);
    await this.#kubectl.output(["apply", "-f", "-"], GADGET);
    this.#before = await this.#settled();
  }

  async #install(): Promise<void> {
    await this.#onCluster("install");
    await this.#expectAdded([CRD]);
    await this.#expectUnchangedBy(() => this.#onCluster("install"));
    await this.#applySample();
    await this.#expectAdded([CRD, SAMPLE]);
  }

  async #applySample(): Promise<void> {
    const sample = join(this.#folder, "config/samples/web_v1_myweb.yaml");
    await this.#kubectl.output(["apply", "-n", "default", "-f", sample]);
  }

  async #deploy(): Promise<void> {
    await this.#onCluster(`deploy --image ${IMAGE}:1`);
    const deployed = [CRD, SAMPLE, `Namespace ${NAMESPACE}`, ...OPERATOR];
    await this.#expectAdded(deployed);
    await this.#expectUnchangedBy(() => this.#onCluster(`deploy --image ${IMAGE}:1`));
    await this.#expectAdded(deployed);
  }

  async #upgrade(): Promise<void> {
    const sample = await this.#uidOf("myweb/myweb-sample", "default");
    this.#addField("replicas");
    await this.#tsop("edit --disable network-policy");
    const plan = `plan --image ${IMAGE}:2 --kubeconfig ${this.#kubeconfig}`;
    const untouched = await this.#settled();
    expectSame("plan", (await this.#newcomer.run(`npx tsop ${plan}`, this.#folder)).code, 3);
    const planned = await Census.take(this.#kubectl);
    expectSame("changed by plan", planned.differenceFrom(untouched), []);
    await this.#onCluster(`deploy --image ${IMAGE}:2`);
    const kept = OPERATOR.filter((name) => name !== NETWORK_POLICY);
    await this.#expectAdded([CRD, SAMPLE, `Namespace ${NAMESPACE}`, ...kept]);
    await this.#expectImage(`${IMAGE}:2`, NAMESPACE);
    await this.#expectField("replicas");
    expectSame("uid of the sample", await this.#uidOf("myweb/myweb-sample", "default"), sample);
    expectSame(
      "plan afterwards",
      (await this.#newcomer.run(`npx tsop ${plan}`, this.#folder)).code,
      0,
    );
  }

  async #refuse(): Promise<void> {
    await this.#onCluster(`deploy --image ${IMAGE}:2`);
    await this.#applySample();
    const before = await this.#settled();
    const line = `npx tsop undeploy --kubeconfig ${this.#kubeconfig}`;
    const { code, err } = await this.#newcomer.run(line, this.#folder);
    if (code !== 1 || !err.includes("objects-exist")) throw new Error(`exit ${code}: ${err}`);
    const now = await Census.take(this.#kubectl);
    expectSame("touched", now.differenceFrom(before), []);
    await this.#kubectl.output(["delete", "myweb", "--all", "-n", "default"]);
    await this.#onCluster("undeploy");
    await this.#expectNothingLeft();
  }

  async #undeploy(): Promise<void> {
    await this.#onCluster("undeploy --delete-objects");
    await this.#expectNothingLeft();
    await this.#onCluster("uninstall");
    await this.#expectUnchangedBy(() => this.#onCluster("undeploy"));
    await this.#expectNothingLeft();
  }

  async #reinstall(): Promise<void> {
    await this.#onCluster("install");
    await this.#expectAdded([CRD]);
    await this.#onCluster("uninstall");
    await this.#expectNothingLeft();
  }

  async #chartInstall(): Promise<void> {
    await this.#tsop(`chart --image ${IMAGE}:3`);
    await this.#helm("install", "shop", "chart", "-n", NAMESPACE, "--create-namespace", "--wait");
    const kept = OPERATOR.filter((name) => name !== NETWORK_POLICY);
    const release = `Secret ${NAMESPACE}/sh.helm.release.v1.shop.v1`;
    await this.#expectAdded([CRD, `Namespace ${NAMESPACE}`, release, ...kept]);
    await this.#expectImage(`${IMAGE}:3`, NAMESPACE);
    await this.#applySample();
  }

  async #chartUpgrade(): Promise<void> {
    this.#addField("color");
    await this.#tsop("manifests");
    await this.#tsop(`chart --image ${IMAGE}:4`);
    await this.#helm("upgrade", "shop", "chart", "-n", NAMESPACE, "--wait");
    const kept = OPERATOR.filter((name) => name !== NETWORK_POLICY);
    const releases = [1, 2].map((n) => `Secret ${NAMESPACE}/sh.helm.release.v1.shop.v${n}`);
    await this.#expectAdded([CRD, SAMPLE, `Namespace ${NAMESPACE}`, ...releases, ...kept]);
    await this.#expectImage(`${IMAGE}:4`, NAMESPACE);
    await this.#expectField("color");
  }

  async #chartUninstall(): Promise<void> {
    await this.#helm("uninstall", "shop", "-n", NAMESPACE, "--wait");
    await this.#expectAdded([CRD, SAMPLE, `Namespace ${NAMESPACE}`]);
    await this.#kubectl.output(["delete", "crd", "mywebs.web.example.com"]);
    await this.#kubectl.output(["delete", "namespace", NAMESPACE]);
    await this.#expectNothingLeft();
  }

  /** The author gives the kind another field. */
  #addField(name: string): void {
    const file = join(this.#folder, "src/api/v1/myweb.ts");
    const text = readFileSync(file, "utf8");
    writeFileSync(
      file,
      text.replace(/^ +note\?: string;\n/m, (line) => `${line}  ${name}?: string;\n`),
    );
  }

  async #expectImage(image: string, namespace: string): Promise<void> {
    const path = "jsonpath={.spec.template.spec.containers[0].image}";
    const deployment = ["get", "deployment/shop-controller-manager", "-n", namespace, "-o", path];
    expectSame("image", await this.#kubectl.output(deployment), image);
    await this.#kubectl.output([
      ...["rollout", "status", "deployment/shop-controller-manager", "-n", namespace],
      "--timeout=60s",
    ]);
  }

  async #expectField(name: string): Promise<void> {
    const path = `jsonpath={.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.${name}.type}`;
    const crd = ["get", "crd", "mywebs.web.example.com", "-o", path];
    expectSame(`type of ${name}`, await this.#kubectl.output(crd), "string");
  }

  #uidOf(object: string, namespace: string): Promise<string> {
    return this.#kubectl.output(["get", object, "-n", namespace, "-o", "jsonpath={.metadata.uid}"]);
  }
}

function expectSame(what: string, seen: unknown, expected: unknown): void {
  if (isDeepStrictEqual(seen, expected)) return;
  throw new Error(`${what}: ${JSON.stringify(seen)}, expected ${JSON.stringify(expected)}`);
}
