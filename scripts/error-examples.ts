/**
 * What causes each error, in a line or two: the examples of `docs/errors.md`.
 */

/** The example of an error; message and fix where the code puts them together only when it runs. */
interface ErrorExample {
  readonly example: string;
  readonly message?: string;
  readonly fix?: string;
}

const e = (example: string, message?: string, fix?: string): ErrorExample => ({
  example,
  ...(message === undefined ? {} : { message }),
  ...(fix === undefined ? {} : { fix }),
});

const NAME = "Use lower-case letters, digits and dashes, beginning with a letter.";
const REFUSED = "The API server refuses ...: ....";

/** By code. */
export const ERROR_EXAMPLES: Readonly<Record<string, ErrorExample>> = {
  "already-a-project": e("tsop init --domain example.com   # in a folder that has a PROJECT file"),
  "already-owned": e("setControllerReference(web, child); // child has another controller already"),
  "argument-not-constant": e(
    '@PrintColumn("Ready", (web: MyWeb) => web.status?.ready, optionsFor(mode))',
  ),
  "auth-provider-unsupported": e("users: [{ name: me, user: { auth-provider: { name: gcp } } }]"),
  "bad-data-dir": e("tsop cluster --data-dir /proc/store"),
  "bad-domain": e(
    "tsop init --domain Example_Com",
    "--domain ...: ....",
    "For example: --domain example.com",
  ),
  "bad-field": e("tsop create api --kind Web --field replicas:number"),
  "bad-group": e(
    "tsop create api --group My.Group --kind Web",
    "--group ...: ....",
    "For example: --group web",
  ),
  "bad-image": e('tsop build --image "My Image"'),
  "bad-kind": e("tsop create api --kind my-web", "--kind ...: ....", "For example: --kind MyWeb"),
  "bad-nodes": e("tsop cluster --nodes many"),
  "bad-plural": e(
    "tsop create api --kind Web --version v2 --plural sites   # v1 has the plural webs",
  ),
  "bad-port": e("tsop cluster --port 70000"),
  "bad-project-name": e("tsop init --project-name Web_Operator", "--project-name ...: ....", NAME),
  "bad-quantity": e(
    'resources: { requests: { cpu: "half" } }',
    "... is no quantity.",
    "Write a number with an optional suffix, such as 500m, 2 or 1.5Gi.",
  ),
  "bad-timeout": e("tsop deploy --timeout soon"),
  "bad-version": e(
    "tsop create api --kind Web --version one",
    "--version ...: ....",
    "For example: --version v1",
  ),
  "bounds-crossed": e("@Minimum(9) @Maximum(3) replicas!: Int32;"),
  "broken-kustomization": e("resources: crd   # a list is meant: [crd]"),
  "broken-project-file": e(
    "domain: example.com\n  projectName: web   # PROJECT: indented by mistake",
  ),
  "broken-yaml": e("spec: { group: example.com   # the brace is never closed"),
  "cannot-listen": e(
    'createManager({ metrics: { host: "203.0.113.9", port: 8443 } }); // not an address of this machine',
    "Cannot listen on port ...: ....",
    "End the other process, or choose another port (0 takes any free one).",
  ),
  "certificate-unreadable": e(
    'metrics: { tls: { certFile: "/tmp/k8s-metrics-server/metrics-certs/tls.crt", ... } }   // the Secret is not mounted',
  ),
  "column-of-structure": e('@PrintColumn("Spec", (web: MyWeb) => web.spec)'),
  "computed-name": e("class WebSpec { [NAME]!: string; }"),
  "controller-exists": e('controllerFor(manager).for(MyWeb).named("web") // twice'),
  "controller-misbuilt": e(
    "controllerFor(manager).owns(Deployment).for(MyWeb).complete(reconciler)",
    "The controller cannot be built: ....",
    "Call for() first: it says who owns.",
  ),
  "crd-too-large": e("class WebSpec { template!: PodTemplateSpec; sidecars!: PodTemplateSpec; }"),
  "data-dir-broken": e("tsop cluster --data-dir store   # a file in it was cut off"),
  "data-dir-in-use": e("tsop cluster --data-dir store   # another one runs with the same folder"),
  "default-not-constant": e("region: string = process.env.REGION;"),
  "download-failed": e("tsop import https://example.com/no-such-file.yaml"),
  "duplicate-column": e('@PrintColumn("Ready", ...) @PrintColumn("Ready", ...)'),
  "duplicate-kind": e(
    '@Resource({ group: "web.example.com", version: "v1" }) class MyWeb // in two files',
  ),
  "duplicate-webhook": e("two webhooks with the same name and kind of configuration"),
  "enum-empty": e('@Enum("a", "b") size!: "c" | "d";'),
  "enum-of-wrong-type": e(
    '@Enum("a", "b") size!: Int32;',
    "The value ... is not of the field's type, ....",
    "Correct the value, or the field's type.",
  ),
  "exec-credentials": e(
    "users: [{ name: me, user: { exec: { command: aws, ... } } }]   # the program is not installed",
    "The credential program ... gave no credentials: ....",
    "Run it by hand to see why; it is named in the kubeconfig.",
  ),
  "field-needs-optional": e(
    '@ExactlyOneOf("image", "build") class WebSpec { image!: string; build?: Build; }',
  ),
  "fields-and-index": e("interface WebSpec { image: string; [name: string]: string }"),
  "file-exists": e("tsop import crd.yaml   # src/api/v1/web.ts was edited since"),
  "file-missing": e("tsop create api --kind Web   # src/main.ts was deleted"),
  "file-not-found": e("tsop import no-such-file.yaml"),
  "index-exists": e('manager.cache.addIndex(Pod, "node", ...); // twice'),
  "index-missing": e('client.list(Pod, { index: { name: "node", value: "a" } })'),
  "informer-started": e("informer.start(signal); informer.start(signal);"),
  "informer-stopped": e("informer.addHandler(handler); // after the manager has ended"),
  "internal-error": e(
    "any command that stops with this code",
    "Something happened in tsop that should not be possible.",
    "This is a defect of tsop. Please report it with the command and its output.",
  ),
  "key-needs-string": e("limits!: Record<number, string>;"),
  "key-without-name": e('client.get(ConfigMap, { namespace: "web", name: "" })'),
  "key-without-namespace": e('client.get(ConfigMap, { name: "page" })'),
  "keyword-of-other-type": e(
    "name!: With<string, { maximum: 3 }>;",
    "The keyword ... is on ....",
    "Remove it, or make the type a number.",
  ),
  "kind-exists": e("tsop create api --group web --version v1 --kind MyWeb   # for the second time"),
  "kind-not-served": e('client.dynamic("example.com/v1", "Widget") // its CRD is not installed'),
  "kubeconfig-file-missing": e("users: [{ name: me, user: { client-key: ./gone.pem } }]"),
  "kubeconfig-incomplete": e("current-context: staging   # there is no such context"),
  "kubeconfig-missing": e("KUBECONFIG=/no/such/file tsop install"),
  "kubeconfig-unreadable": e("KUBECONFIG=photo.jpg tsop install"),
  "kustomize-duplicate": e("resources: [manager.yaml, manager.yaml]"),
  "kustomize-field": e("helmCharts: [{ name: web }]"),
  "kustomize-file": e("resources: [no-such-file.yaml]"),
  "kustomize-patch": e(
    "patches: [{ path: patch.yaml, target: { kind: Deployment, name: another-name } }]",
  ),
  "kustomize-remote": e("resources: [https://github.com/example/base]"),
  "kustomize-replacement": e(
    "replacements: [{ source: { kind: Service, name: no-such }, targets: [...] }]",
  ),
  "leader-and-shards": e('createManager({ leaderElection: { id: "web" }, sharding: { ... } })'),
  "leader-election-times": e(
    'leaderElection: { id: "web", leaseDurationMs: 5_000, renewDeadlineMs: 10_000 }',
  ),
  "leadership-lost": e("the API server did not answer for longer than the renew deadline"),
  "main-not-understood": e("const run = manager.start; run(signal); // in src/main.ts"),
  "manager-started": e("await manager.start(signal); await manager.start(signal);"),
  "marker-needs-class": e(
    '@ExactlyOneOf("a", "b") choice!: Choice; // on the field in place of the class Choice',
  ),
  "marker-not-called": e("@Immutable name!: string;"),
  "missing-domain": e("tsop init < /dev/null"),
  "missing-option": e('@Resource({ version: "v1" })'),
  "names-taken": e(
    '@Resource({ group: "web.example.com", version: "v1", shortNames: ["po"] }) // beside another CRD with it',
  ),
  "no-alpha": e(
    "tsop alpha generate",
    "There is no `tsop alpha`: nothing of a project has to be scaffolded again.",
    "Update tsop with npm, then run `tsop manifests`.",
  ),
  "no-edit": e(
    "tsop edit --multigroup",
    "There is no `tsop edit`: what it would change is yours to edit.",
    "Change PROJECT and the files of config/ by hand, then run `tsop manifests`.",
  ),
  "no-generate": e(
    "tsop generate",
    "There is no `tsop generate`: classes need no generated code.",
    "For CRDs and roles, run `tsop manifests`.",
  ),
  "no-answer": e("tsop create api   # and Ctrl-D"),
  "no-class": e("tsop create api --kind Web --no-resource   # there is no class Web"),
  "no-cluster": e("tsop install   # without a kubeconfig"),
  "no-crd-found": e("tsop import deployment-and-service.yaml"),
  "no-kustomization": e("tsop deploy   # config/default/kustomization.yaml was deleted"),
  "no-main": e("tsop dev   # src/main.ts was deleted"),
  "no-manifests": e("startOperator() in a test, before `tsop manifests` ran"),
  "no-project": e("tsop manifests   # outside of a project"),
  "no-rights": e("tsop install   # as a user who may not create CRDs"),
  "no-served-version": e('@Resource({ group: "web.example.com", version: "v1", served: false })'),
  "not-a-component": e("components: [../base]   # a kind: Kustomization"),
  "not-a-crd": e("tsop import deployment.yaml"),
  "not-a-manifest": e("resources: [notes.yaml]   # without apiVersion and kind"),
  "not-a-path": e('@PrintColumn("Ready", (web: MyWeb) => web.status!.replicas > 0)'),
  "not-a-resource": e("client.get(Plain, key) // class Plain has no @Resource"),
  "not-a-token": e('@Rbac("deployments", ["get"])'),
  "not-applied": e("tsop deploy   # the API server refuses one of the manifests"),
  "not-bundled": e(
    'import { gone } from "./no-such-file.ts"; // in src',
    "Could not resolve ....",
    "Correct the line; when a package is missing, run `npm install`.",
  ),
  "not-selectable": e("@Selectable((web: MyWeb) => web.spec.ports)"),
  "nothing-to-compare": e("tsop manifests --against no-such-branch"),
  "nothing-to-create": e("tsop create api --kind Web --no-resource --no-controller"),
  "nothing-to-explain": e("tsop explain Minimun"),
  "npm-install-failed": e("tsop init --domain example.com   # without a network"),
  "null-in-enum": e('@Enum("a", "b") mode?: string | null;'),
  "number-needs-format": e("replicas!: number;"),
  "objects-exist": e("tsop uninstall   # while there are objects of the kinds"),
  "operator-ended": e('throw new Error("no token"); // in src/main.ts, under `tsop dev`'),
  "operator-not-ready": e("tsop dev   # an informer waits for a kind that is not served"),
  "operator-not-started": e("tsop dev   # where node cannot be run"),
  "owner-elsewhere": e("setControllerReference(web, child); // web and child in two namespaces"),
  "owner-incomplete": e('setControllerReference({ metadata: { name: "web" } } as MyWeb, child)'),
  "path-leads-nowhere": e('@PrintColumn("Ready", (web: MyWeb) => web.status?.redy)'),
  "port-in-use": e("tsop cluster --port 6443   # twice"),
  "protected-group": e('@Resource({ group: "apps.k8s.io", version: "v1" })'),
  "rbac-without-target": e('@Rbac({ groups: ["apps"], verbs: ["get"] })'),
  "read-failed": e("tsop manifests   # config/crd/bases/web.yaml is a folder"),
  "reconcile-expired": e("async reconcile() { await new Promise(() => {}); }"),
  "recursive-type": e("class Node { children?: Node[]; }"),
  "resource-needs-base": e('@Resource({ group: "web.example.com", version: "v1" }) class MyWeb {}'),
  "resource-needs-options": e("@Resource(optionsFor(stage))"),
  "right-missing": e(
    '@Rbac(MyWeb, ["get", "list", "watch"]) // and in reconcile:\nawait this.#client.delete(Deployment, key);',
  ),
  "right-unused": e('@Rbac(Secret, ["get", "list", "watch"]) // and no code reads a Secret'),
  "roll-out-failed": e("tsop deploy --image registry.example.com/no-such:1"),
  "schema-refused": e(
    '@EmbeddedResource() template!: With<object, { properties: { kind: { type: "integer" } } }>;',
    REFUSED,
    "Change the field's type or its markers.",
  ),
  "shutdown-timeout": e("a reconciler that goes on after `context.signal` was aborted"),
  "source-errors": e(
    "any command that reads src, while a file has an error",
    "Files of the project have errors; each is listed with its place.",
    "Fix the lines above and run the command again; nothing was written.",
  ),
  "source-failed": e("a source of `watchesSource(...)` throws"),
  "storage-version": e(
    '@Resource({ ..., version: "v1" }) and @Resource({ ..., version: "v2" }) // neither has storage: true',
  ),
  "syntax-error": e(
    "class WebSpec { image!: string",
    "What the parser of TypeScript says, such as: '}' expected.",
    "Correct the line; the rest of the file is read as far as it goes.",
  ),
  "terminal-error": e(
    'throw new TerminalError("spec.url is no URL");',
    "What the reconciler says: the object cannot be reconciled as it is.",
    "Change the object; it is not tried again as it is.",
  ),
  "token-unreadable": e("users: [{ name: me, user: { tokenFile: /no/such/token } }]"),
  "too-many-selectable": e("nine @Selectable(...) on one kind"),
  "tuple-of-different-types": e("range!: [string, Int32];"),
  "type-any": e("options!: any;"),
  "type-missing": e("class WebSpec { image; }", "The field ... has no type.", "Write its type."),
  "type-unknown": e("options!: unknown;"),
  "type-without-schema": e("at!: Date;"),
  "union-without-schema": e("target!: string | Target;"),
  "unknown-keyword": e(
    "name!: With<string, { maxLenght: 3 }>;",
    "A schema has no keyword ....",
    "Did you mean maxLength?",
  ),
  "unknown-layout": e("layout: tsop/9   # PROJECT"),
  "unknown-marker": e("@Minimun(1) replicas!: Int32;"),
  "unknown-option": e('@Resource({ group: "web.example.com", version: "v1", shortName: "web" })'),
  "unknown-type": e("port!: Int31;"),
  "unknown-verb": e('@Rbac(Deployment, ["read"])'),
  "versions-differ": e(
    '@Resource({ ..., version: "v1", plural: "webs" }) and @Resource({ ..., version: "v2", plural: "sites" })',
  ),
  "write-failed": e("tsop manifests   # in a folder that cannot be written"),
  "wrong-argument": e(
    '@MinLength("1") image!: string;',
    "@... takes ..., got ....",
    "Give @... ....",
  ),
  "wrong-arguments": e('@PrintColumn("Ready")'),
  "wrong-cel-rule": e(
    '@Cel("self.mni <= self.max") range!: Range;',
    REFUSED,
    "Correct the rule; https://kubernetes.io/docs/reference/using-api/cel/ says what it may use.",
  ),
  "wrong-default": e(
    "@Maximum(3) replicas: Int32 = 5;",
    REFUSED,
    "Use a value that the field's own type and markers allow.",
  ),
  "wrong-group": e('@Resource({ group: "web", version: "v1" })'),
  "wrong-list-map": e(
    '@ListMap("name") ports!: Port[]; // class Port { name?: string }',
    REFUSED,
    "Name fields of the items that are required or have a default.",
  ),
  "wrong-match-condition": e(
    "@ValidatingWebhook(MyWeb, { matchConditions: [...] }) // more than 64",
  ),
  "wrong-name": e('@Resource({ group: "web.example.com", version: "1" })'),
  "wrong-option": e('@Resource({ group: "web.example.com", version: "v1", scope: "Namespace" })'),
  "wrong-pattern": e(
    "@Pattern(/(?<=a)b/) name!: string;",
    REFUSED,
    "Write it in RE2's syntax: https://github.com/google/re2/wiki/Syntax.",
  ),
  "wrong-root-keyword": e(
    "@MaxProperties(9) class MyWeb extends CustomResource<MyWebSpec, MyWebStatus> {}",
  ),
  "wrong-scale": e(
    "@Scale({ spec: (web: MyWeb) => web.status?.replicas, status: (web: MyWeb) => web.status?.replicas })",
  ),
  "wrong-webhook": e('@ValidatingWebhook(MyWeb, { name: "webs" })'),
};
