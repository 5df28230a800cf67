/** For each rule: files with the mistake, the line where it is found, and files without it. */
export interface RuleCase {
  readonly bad: Readonly<Record<string, string>>;
  /** `file:line`. */
  readonly place: string;
  /** Part of the message or the fix. */
  readonly says: string;
  readonly good: Readonly<Record<string, string>>;
}

const crd = (
  spec: string,
  name = "pages.example.com",
): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ${name}
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Page, plural: pages, singular: page }
${spec}`;

const VERSION = `  versions:
  - name: v1
    served: true
    storage: true
    subresources: { status: {} }
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              configMap: { type: string }
              replicas: { type: integer, minimum: 1 }
          status: { type: object }
`;
const DEFINITION = crd(VERSION);

const page = (spec: string): string => `apiVersion: example.com/v1
kind: Page
metadata: { name: one }
spec:
${spec}`;

const deployment = (
  pod: string,
  {
    labels = "app: web",
    selector = "app: web",
    replicas = 1,
  }: { labels?: string; selector?: string; replicas?: number } = {},
): string => `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { ${selector} } }
  template:
    metadata: { labels: { ${labels} } }
    spec:
${pod}`;

const CONTAINER = `      containers:
      - name: web
        image: nginx:1.29
        ports: [{ name: http, containerPort: 8080 }]
`;

const role = (rules: string): string => `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: operator }
rules:
${rules}`;

const service = (target: string, app = "web"): string => `apiVersion: v1
kind: Service
metadata: { name: web }
spec:
  selector: { app: ${app} }
  ports:
  - port: 80
    targetPort: ${target}
`;

const binding = (name: string): string => `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: operator }
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: ${name}
`;

const READER = role(
  "- apiGroups: [example.com]\n  resources: [pages, pages/status]\n  verbs: [get]\n",
);

const webhook = (client: string): string => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: web }
webhooks:
- name: page.example.com
  clientConfig: { ${client} }
`;

const certificate = (group: string): string => `apiVersion: cert-manager.io/v1
kind: Certificate
metadata: { name: web }
spec:
  secretName: web
  issuerRef:
    name: letsencrypt
${group}: cert-manager.io
`;

const CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\n---\n";
const MOUNT = `${CONTAINER}      volumes:
      - name: config
        configMap: { name: settings }
`;

/** By the name of the rule; those of tsop's own projects are tested with projects. */
export const CASES: Readonly<Record<string, RuleCase>> = {
  unreadable: {
    bad: { "a.yaml": "kind: [\n" },
    place: "a.yaml:",
    says: "is not valid YAML",
    good: { "a.yaml": "kind: []\n" },
  },
  "removed-api-version": {
    bad: { "a.yaml": "apiVersion: cert-manager.io/v1alpha2\nkind: Issuer\n" },
    place: "a.yaml:1",
    says: "Use cert-manager.io/v1.",
    good: { "a.yaml": "apiVersion: cert-manager.io/v1\nkind: Issuer\n" },
  },
  "definition-of-v1beta1": {
    bad: { "a.yaml": crd(`  version: v1\n${VERSION}`) },
    place: "a.yaml:9",
    says: "spec.version, which is a v1beta1 field",
    good: { "a.yaml": DEFINITION },
  },
  "definition-name": {
    bad: { "a.yaml": crd(VERSION, "page.example.com") },
    place: "a.yaml:4",
    says: "must be named pages.example.com",
    good: { "a.yaml": DEFINITION },
  },
  "definition-versions": {
    bad: { "a.yaml": crd(VERSION.replace("storage: true", "storage: false")) },
    place: "a.yaml:10",
    says: "stores none of its versions",
    good: { "a.yaml": DEFINITION },
  },
  "status-without-subresource": {
    bad: { "a.yaml": crd(VERSION.replace("    subresources: { status: {} }\n", "")) },
    place: "a.yaml:10",
    says: "no status subresource",
    good: { "a.yaml": DEFINITION },
  },
  "misplaced-columns": {
    bad: {
      "a.yaml": `${DEFINITION}        additionalPrinterColumns:\n        - { name: a, jsonPath: .a, type: string }\n`,
    },
    place: "a.yaml:25",
    says: "the level of `schema`",
    good: {
      "a.yaml": `${DEFINITION}    additionalPrinterColumns:\n    - { name: a, jsonPath: .a, type: string }\n`,
    },
  },
  "definition-too-large": {
    bad: { "a.yaml": `${DEFINITION}        description: ${"long ".repeat(60_000)}\n` },
    place: "a.yaml:1",
    says: "--server-side",
    good: { "a.yaml": DEFINITION },
  },
  "unknown-field": {
    bad: { "crd.yaml": DEFINITION, "a.yaml": page("  configmap: settings\n") },
    place: "a.yaml:5",
    says: "Did you mean configMap?",
    good: { "crd.yaml": DEFINITION, "a.yaml": page("  configMap: settings\n") },
  },
  "invalid-object": {
    bad: { "crd.yaml": DEFINITION, "a.yaml": page("  replicas: 0\n") },
    place: "a.yaml:5",
    says: "greater than or equal to 1",
    good: { "crd.yaml": DEFINITION, "a.yaml": page("  replicas: 1\n") },
  },
  "resource-not-plural": {
    bad: {
      "crd.yaml": DEFINITION,
      "a.yaml": role(
        "- apiGroups: [example.com]\n  resources: [page, page/status]\n  verbs: [get]\n",
      ),
    },
    place: "a.yaml:6",
    says: "Write pages/status.",
    good: { "crd.yaml": DEFINITION, "a.yaml": READER },
  },
  "no-verbs": {
    bad: { "a.yaml": role('- apiGroups: [batch]\n  resources: [jobs]\n  verbs: ""\n') },
    place: "a.yaml:7",
    says: "it grants nothing",
    good: { "a.yaml": READER },
  },
  "rights-to-everything": {
    bad: { "a.yaml": role('- { apiGroups: ["*"], resources: ["*"], verbs: ["*"] }\n') },
    place: "a.yaml:5",
    says: "allows everything",
    good: { "a.yaml": READER },
  },
  "dangling-binding": {
    bad: { "a.yaml": READER, "b.yaml": binding("operators") },
    place: "b.yaml:7",
    says: "Did you mean operator?",
    good: { "a.yaml": READER, "b.yaml": binding("operator") },
  },
  "plain-secret": {
    bad: { "a.yaml": page('  password: "P@ssw0rd"\n') },
    place: "a.yaml:5",
    says: "spec.password of Page one is stored in plain text",
    good: { "a.yaml": page("  passwordSecretRef: { name: web, key: password }\n") },
  },
  "image-not-set": {
    bad: { "a.yaml": deployment(CONTAINER.replace("nginx:1.29", "controller:latest")) },
    place: "a.yaml:12",
    says: "which is a placeholder",
    good: { "a.yaml": deployment(CONTAINER) },
  },
  "image-without-version": {
    bad: {
      "a.yaml": deployment(CONTAINER.replace("nginx:1.29", "registry.example:5000/nginx")),
    },
    place: "a.yaml:12",
    says: "has no tag, so latest is pulled",
    good: {
      "a.yaml": deployment(CONTAINER),
      "b.yaml": deployment(CONTAINER.replace("nginx:1.29", `nginx@sha256:${"0".repeat(64)}`)),
    },
  },
  "broken-kustomization": {
    bad: {
      "deploy/kustomization.yaml": "namePrefix: a-\nresources:\n  - b.yaml\n",
      "deploy/a.yaml": deployment(CONTAINER),
    },
    place: "deploy/kustomization.yaml:3",
    says: "there is no `b.yaml`. Did you mean a.yaml?",
    good: {
      "deploy/kustomization.yaml": "resources: [a.yaml]\n",
      "deploy/a.yaml": deployment(CONTAINER),
    },
  },
  "selector-mismatch": {
    bad: { "a.yaml": deployment(CONTAINER, { labels: "app: shop" }) },
    place: "a.yaml:6",
    says: "app=web, which its pods do not have",
    good: { "a.yaml": deployment(CONTAINER, { labels: "app: web, tier: front" }) },
  },
  "service-without-listener": {
    bad: { "a.yaml": deployment(CONTAINER), "b.yaml": service("https") },
    place: "b.yaml:7",
    says: "Use one of http",
    good: { "a.yaml": deployment(CONTAINER), "b.yaml": service("8080") },
  },
  "config-without-rollout": {
    bad: { "a.yaml": CONFIG + deployment(MOUNT) },
    place: "a.yaml:14",
    says: "reads ConfigMap settings",
    good: {
      "a.yaml":
        CONFIG +
        deployment(MOUNT).replace(
          "metadata: { labels",
          "metadata: { annotations: { checksum/config: a1 }, labels",
        ),
    },
  },
  "replicas-without-leader": {
    bad: {
      "a.yaml": deployment(CONTAINER, {
        labels: "app: web, control-plane: controller-manager",
        replicas: 2,
      }),
    },
    place: "a.yaml:11",
    says: "--leader-elect",
    good: {
      "a.yaml": deployment(`${CONTAINER}        args: [--leader-elect]\n`, {
        labels: "app: web, control-plane: controller-manager",
        replicas: 2,
      }),
    },
  },
  "webhook-without-certificate": {
    bad: { "a.yaml": webhook("service: { name: web, namespace: web }") },
    place: "a.yaml:6",
    says: "without a caBundle",
    good: { "a.yaml": webhook("service: { name: web, namespace: web }, caBundle: Zm9v") },
  },
  "issuer-beside-reference": {
    bad: { "a.yaml": certificate("  group") },
    place: "a.yaml:8",
    says: "Indent it, into issuerRef.",
    good: { "a.yaml": certificate("    group") },
  },
  "edge-triggered": {
    bad: {
      "main.py": 'for event in watch:\n    if event["type"] == "MODIFIED":\n        kill()\n',
    },
    place: "main.py:2",
    says: "type of a watch event",
    good: { "main.py": '# acts on "MODIFIED" no more\nreconcile(wanted, found)\n' },
  },
  "finalizer-without-cleanup": {
    bad: { "main.go": "func a() {\n\tcontrollerutil.AddFinalizer(obj, name)\n}\n" },
    place: "main.go:2",
    says: "nothing here removes it",
    good: {
      "main.go":
        "controllerutil.AddFinalizer(obj, name)\ncontrollerutil.RemoveFinalizer(obj, name)\n",
    },
  },
};
