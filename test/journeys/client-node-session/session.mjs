// A session with @kubernetes/client-node: typed and custom objects, patches, server-side apply, watches, an informer,
// reviews, and what a server without kubelets refuses.
//
// Arguments: the package's name, a kubeconfig, a namespace to make. Prints one line of JSON a step.
const [, , name, kubeconfig, namespace] = process.argv;
const k8s = await import(name);

const config = new k8s.KubeConfig();
config.loadFromFile(kubeconfig);
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const custom = config.makeApiClient(k8s.CustomObjectsApi);
const objects = k8s.KubernetesObjectApi.makeApiClient(config);
const as = (form) => k8s.setHeaderOptions("Content-Type", form);
const { JsonPatch, MergePatch, StrategicMergePatch, ServerSideApply } = k8s.PatchStrategy;

function say(step, what) {
  const text = JSON.stringify({ step, ...what }).replaceAll(namespace, "SPACE");
  process.stdout.write(`${text}\n`);
}

function parsed(text) {
  return text.startsWith("{") ? JSON.parse(text) : { message: text.trim() };
}

/** What the server said no with; long messages show whole objects, and end with what matters. */
async function refusal(work) {
  try {
    await work;
    return { refused: false };
  } catch (error) {
    if (error.code !== undefined && error.body === undefined) return { code: error.code };
    if (error.body === undefined) return { message: String(error.message ?? error) };
    const body = typeof error.body === "string" ? parsed(error.body) : error.body;
    if (body.message === undefined) return { code: error.code, body };
    const { reason, message, details } = body;
    if (message.length > 1000) return { code: error.code, reason, message: message.slice(-120) };
    return { code: error.code, reason, message, details };
  }
}

async function typedObjects() {
  await core.createNamespace({ body: { metadata: { name: namespace } } });
  await core.createNamespacedServiceAccount({ namespace, body: { metadata: { name: "default" } } });
  const body = { metadata: { name: "a", labels: { x: "y" } }, data: { k: "1" } };
  const created = await core.createNamespacedConfigMap({ namespace, body });
  say("created", {
    data: created.data,
    date: created.metadata.creationTimestamp instanceof Date,
    managers: created.metadata.managedFields.map(
      ({ operation, manager }) => `${operation} ${manager}`,
    ),
  });
  say("again", await refusal(core.createNamespacedConfigMap({ namespace, body })));
  const dry = await core.createNamespacedConfigMap({
    namespace,
    body: { metadata: { generateName: "dry-" } },
    dryRun: "All",
  });
  say("dry run", {
    name: dry.metadata.name.replace(/[^-]+$/, "*"),
    uid: dry.metadata.uid !== undefined,
  });
  const replaced = await core.replaceNamespacedConfigMap({
    name: "a",
    namespace,
    body: { ...created, data: { k: "2" } },
  });
  say("replaced", { data: replaced.data });
  const stale = { name: "a", namespace, body: created };
  say("stale", await refusal(core.replaceNamespacedConfigMap(stale)));
  say("missing", await refusal(core.readNamespacedConfigMap({ name: "nobody", namespace })));
  say(
    "invalid",
    await refusal(
      core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "A_" } } }),
    ),
  );
  for (const one of ["b", "c"]) {
    await core.createNamespacedConfigMap({
      namespace,
      body: { metadata: { name: one, labels: { x: "z" } } },
    });
  }
  const first = await core.listNamespacedConfigMap({ namespace, limit: 1, labelSelector: "x" });
  const rest = await core.listNamespacedConfigMap({
    namespace,
    limit: 5,
    labelSelector: "x",
    _continue: first.metadata._continue,
  });
  const names = ({ items }) => items.map(({ metadata }) => metadata.name);
  say("pages", { first: names(first), left: first.metadata.remainingItemCount, rest: names(rest) });
  const field = await core.listNamespacedConfigMap({
    namespace,
    fieldSelector: "metadata.name!=a",
  });
  say("by field", { names: names(field).filter((one) => !one.includes("kube-root")) });
  say(
    "bad selector",
    await refusal(core.listNamespacedConfigMap({ namespace, labelSelector: "x in (" })),
  );
}

async function patches() {
  const labels = { app: "web" };
  const spec = {
    replicas: 1,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          { name: "c", image: "nginx:1" },
          { name: "d", image: "busybox:1" },
        ],
      },
    },
  };
  await apps.createNamespacedDeployment({ namespace, body: { metadata: { name: "web" }, spec } });
  const patch = (body, form, options = {}) =>
    apps.patchNamespacedDeployment({ name: "web", namespace, body, ...options }, as(form));
  const json = await patch([{ op: "replace", path: "/spec/replicas", value: 2 }], JsonPatch);
  say("json patch", { replicas: json.spec.replicas, generation: json.metadata.generation });
  const failing = [{ op: "test", path: "/spec/replicas", value: 9 }];
  say("failed test", await refusal(patch(failing, JsonPatch)));
  say("bad path", await refusal(patch([{ op: "remove", path: "/spec/nothing" }], JsonPatch)));
  const merged = await patch({ metadata: { labels: { tier: "front", gone: null } } }, MergePatch);
  say("merge patch", { labels: merged.metadata.labels });
  const image = {
    spec: { template: { spec: { containers: [{ name: "d", image: "busybox:2" }] } } },
  };
  const strategic = await patch(image, StrategicMergePatch);
  say("strategic merge patch", {
    images: strategic.spec.template.spec.containers.map((container) => container.image),
  });
  const applied = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } };
  const mine = { ...applied, spec: { replicas: 5 } };
  const owner = { fieldManager: "me" };
  say("conflict of managers", await refusal(patch(mine, ServerSideApply, owner)));
  const forced = await patch(mine, ServerSideApply, { ...owner, force: true });
  say("forced", {
    replicas: forced.spec.replicas,
    mine: forced.metadata.managedFields.find(({ manager }) => manager === "me").fieldsV1,
  });
  say("apply without manager", await refusal(patch(mine, ServerSideApply)));
  say(
    "immutable",
    await refusal(patch({ spec: { selector: { matchLabels: { app: "x" } } } }, MergePatch)),
  );
  say(
    "wrong type",
    await refusal(patch([{ op: "add", path: "/spec/replicas", value: "many" }], JsonPatch)),
  );
  const scale = await apps.readNamespacedDeploymentScale({ name: "web", namespace });
  const scaled = await apps.replaceNamespacedDeploymentScale({
    name: "web",
    namespace,
    body: { ...scale, spec: { replicas: 3 } },
  });
  say("scale", { from: scale.spec, to: scaled.spec, status: scaled.status });
  const status = await apps.patchNamespacedDeploymentStatus(
    { name: "web", namespace, body: { status: { observedGeneration: 1 }, spec: { replicas: 9 } } },
    as(MergePatch),
  );
  say("status", { status: status.status, replicas: status.spec.replicas });
  const gone = await apps.deleteNamespacedDeployment({
    name: "web",
    namespace,
    propagationPolicy: "Orphan",
  });
  say("deleted", { kind: gone.kind, status: gone.status?.status ?? gone.status });
}

const group = `${namespace}.example.com`;
const widgets = { group, version: "v1", namespace, plural: "widgets" };
const widget = (name, spec) => ({
  apiVersion: `${group}/v1`,
  kind: "Widget",
  metadata: { name, namespace },
  spec,
});

async function customObjects() {
  const extensions = config.makeApiClient(k8s.ApiextensionsV1Api);
  const size = { type: "integer", minimum: 1, default: 3 };
  const spec = {
    type: "object",
    properties: { size, tags: { type: "array", items: { type: "string" } } },
  };
  const status = {
    type: "object",
    properties: { ready: { type: "boolean" }, replicas: { type: "integer" } },
  };
  await extensions.createCustomResourceDefinition({
    body: {
      metadata: { name: `widgets.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { plural: "widgets", kind: "Widget" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            subresources: {
              status: {},
              scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.replicas" },
            },
            schema: { openAPIV3Schema: { type: "object", properties: { spec, status } } },
          },
        ],
      },
    },
  });
  for (let tries = 0; tries < 200; tries++) {
    const served = await refusal(custom.listNamespacedCustomObject(widgets));
    if (served.refused === false) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const made = await custom.createNamespacedCustomObject({
    ...widgets,
    body: widget("w", { tags: ["a"] }),
  });
  say("custom", { spec: made.spec, generation: made.metadata.generation });
  const wrong = widget("x", { size: 0 });
  say(
    "custom invalid",
    await refusal(custom.createNamespacedCustomObject({ ...widgets, body: wrong })),
  );
  const unknown = { ...widgets, body: widget("x", { siez: 1 }), fieldValidation: "Strict" };
  say("custom unknown", await refusal(custom.createNamespacedCustomObject(unknown)));
  const one = { ...widgets, name: "w" };
  const merged = await custom.patchNamespacedCustomObject(
    { ...one, body: { spec: { size: 4 } } },
    as(MergePatch),
  );
  say("custom merge patch", { spec: merged.spec, generation: merged.metadata.generation });
  const strategic = custom.patchNamespacedCustomObject(
    { ...one, body: {} },
    as(StrategicMergePatch),
  );
  say("custom strategic merge patch", await refusal(strategic));
  const applied = await custom.patchNamespacedCustomObject(
    {
      ...one,
      body: { apiVersion: `${group}/v1`, kind: "Widget", spec: { tags: ["b"] } },
      fieldManager: "me",
      force: true,
    },
    as(ServerSideApply),
  );
  say("custom applied", { spec: applied.spec });
  const status1 = await custom.patchNamespacedCustomObjectStatus(
    { ...one, body: { spec: { size: 9 }, status: { ready: true, other: 1 } } },
    as(MergePatch),
  );
  say("custom status", { spec: status1.spec, status: status1.status });
  const scale = await custom.getNamespacedCustomObjectScale(one);
  say("custom scale", { kind: scale.kind, spec: scale.spec, status: scale.status });
  const replaced = { ...merged, spec: { size: 1 } };
  say(
    "custom stale",
    await refusal(custom.replaceNamespacedCustomObject({ ...one, body: replaced })),
  );
  const read = await objects.read({ ...widget("w"), spec: undefined });
  say("untyped", { kind: read.kind, spec: read.spec });
  const listed = await objects.list(`${group}/v1`, "Widget", namespace);
  say("untyped list", {
    kind: listed.kind,
    names: listed.items.map(({ metadata }) => metadata.name),
  });
  say("no such kind", await refusal(objects.create({ ...widget("w"), kind: "Gadget" })));
  await custom.deleteCollectionNamespacedCustomObject(widgets);
  const left = await custom.listNamespacedCustomObject(widgets);
  say("custom deleted", { kind: left.kind, left: left.items.length });
  await extensions.deleteCustomResourceDefinition({ name: `widgets.${group}` });
}

async function following() {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const { metadata } = await core.listNamespacedConfigMap({ namespace });
  const events = [];
  let ended;
  const watching = new Promise((resolve) => (ended = resolve));
  const watch = await new k8s.Watch(config).watch(
    path,
    { resourceVersion: metadata.resourceVersion, labelSelector: "watched=yes" },
    (type, object) => {
      events.push(`${type} ${object.metadata.name} ${object.data?.n ?? "-"}`);
      if (type === "DELETED") ended();
    },
    () => ended(),
  );
  const informed = [];
  const list = () => core.listNamespacedConfigMap({ namespace, labelSelector: "watched" });
  const informer = k8s.makeInformer(config, path, list, "watched");
  let last;
  const told = new Promise((resolve) => (last = resolve));
  for (const verb of ["add", "update", "delete"]) {
    informer.on(verb, (object) => {
      informed.push(`${verb} ${object.metadata.name} ${object.data?.n ?? "-"}`);
      if (verb === "delete") last();
    });
  }
  await informer.start();
  const labels = (watched) => ({ metadata: { name: "seen", labels: { watched } } });
  await core.createNamespacedConfigMap({ namespace, body: { ...labels("no"), data: { n: "1" } } });
  const patch = (body) =>
    core.patchNamespacedConfigMap({ name: "seen", namespace, body }, as(MergePatch));
  await patch(labels("yes"));
  await patch({ data: { n: "2" } });
  await patch(labels("no"));
  await watching;
  await core.deleteNamespacedConfigMap({ name: "seen", namespace });
  await told;
  watch.abort();
  await informer.stop();
  say("watched", { events });
  say("informed", { informed, cached: informer.list(namespace)?.length ?? 0 });
}

async function reviews() {
  const authorization = config.makeApiClient(k8s.AuthorizationV1Api);
  const review = await authorization.createSelfSubjectAccessReview({
    body: { spec: { resourceAttributes: { verb: "delete", resource: "pods", namespace } } },
  });
  say("may", { allowed: review.status.allowed });
  const token = await core.createNamespacedServiceAccountToken({
    name: "default",
    namespace,
    body: { spec: { audiences: [], expirationSeconds: 600 } },
  });
  const other = new k8s.KubeConfig();
  other.loadFromClusterAndUser(config.getCurrentCluster(), {
    name: "sa",
    token: token.status.token,
  });
  const poor = other.makeApiClient(k8s.CoreV1Api);
  say("may not", await refusal(poor.listNamespacedPod({ namespace })));
  const health = new k8s.Health(config);
  say("health", { ready: await health.readyz({}), alive: await health.livez({}) });
  say("top", await refusal(k8s.topNodes(core)));
  say("metrics", await refusal(new k8s.Metrics(config).getNodeMetrics()));
}

/** What needs a kubelet. */
async function pods() {
  const body = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "nginx" }] } };
  const made = await core.createNamespacedPod({ namespace, body });
  say("pod", { phase: made.status.phase, qos: made.status.qosClass });
  const exec = new k8s.Exec(config);
  const run = (pod) =>
    exec.exec(
      namespace,
      pod,
      "c",
      ["date"],
      process.stdout,
      process.stderr,
      null,
      false,
      () => undefined,
    );
  say("exec nowhere", await refusal(run("nobody")));
  say("exec unscheduled", await refusal(run("p")));
  say("log nowhere", await refusal(core.readNamespacedPodLog({ namespace, name: "nobody" })));
  say(
    "log of no container",
    await refusal(core.readNamespacedPodLog({ namespace, name: "p", container: "x" })),
  );
  const binding = { target: { kind: "Node", name: "n" } };
  const bound = { namespace, name: "p", body: { metadata: { name: "p" }, ...binding } };
  say("bound", { refused: (await refusal(core.createNamespacedPodBinding(bound))).reason ?? "no" });
  const gone = await core.deleteNamespacedPod({ name: "p", namespace, gracePeriodSeconds: 0 });
  say("pod deleted", { name: gone.metadata?.name });
}

for (const part of [typedObjects, patches, customObjects, following, reviews, pods]) await part();
await core.deleteNamespace({ name: namespace });
process.exit(0);
