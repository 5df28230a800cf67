/** Kustomizations that use one feature each, over the same few manifests. */

const MANIFESTS = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web, labels: { app: web } }
spec:
  replicas: 1
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      serviceAccountName: web
      containers:
        - name: web
          image: registry:5000/team/web:v1
          args: [--host, $(HOST), --one]
          ports:
            - { containerPort: 80, protocol: TCP }
            - { containerPort: 80, protocol: UDP }
          env: [{ name: MODE, value: slow }, { name: URL, value: "http://web.old.svc:80" }]
          envFrom: [{ configMapRef: { name: settings } }, { secretRef: { name: token } }]
          volumeMounts: [{ name: data, mountPath: /data }]
        - { name: side, image: nginx }
      volumes:
        - { name: data, emptyDir: {} }
        - { name: token, secret: { secretName: token } }
---
apiVersion: v1
kind: Service
metadata: { name: web, annotations: { port: 80 } }
spec: { selector: { app: web }, ports: [{ port: 80, targetPort: 80 }] }
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: web }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: plain }
data: { config.json: '{"host": "old", "port": 1}', greeting: hello }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: web }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: web }
subjects: [{ kind: ServiceAccount, name: web, namespace: default }, { kind: ServiceAccount, name: default }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: web }
rules: [{ apiGroups: [""], resources: [configmaps], resourceNames: [settings, plain], verbs: [get] }]
---
apiVersion: batch/v1
kind: CronJob
metadata: { name: nightly }
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      template:
        spec: { restartPolicy: Never, containers: [{ name: job, image: "nginx@sha256:abc" }] }
---
apiVersion: shop.example.com/v1
kind: Cart
metadata: { name: cart }
spec: { items: [{ name: a, count: 1 }, { name: b, count: 2 }], serviceName: web, image: "nginx:1", backend: { name: web } }
`;

const GENERATORS = `configMapGenerator:
  - { name: settings, literals: [a=1, "b='two words'", c==x=], files: [greeting.txt, other=greeting.txt] }
secretGenerator:
  - { name: token, literals: [password=s3cr3t], type: example.com/token }
`;

/** A kustomization and the files beside it. */
export interface KustomizationCase {
  readonly title: string;
  readonly files: Readonly<Record<string, string>>;
}

/** Files that every case has. */
export const COMMON_FILES: Readonly<Record<string, string>> = {
  "all.yaml": MANIFESTS,
  "greeting.txt": "hello\nworld\n",
  "settings.env": "\uFEFF# a comment\nA=1\n  B=two words\nEMPTY\nC=x=y\n",
};

const one = (
  title: string,
  lines: string,
  files: Record<string, string> = {},
): KustomizationCase => ({
  title,
  files: { "kustomization.yaml": `resources: [all.yaml]\n${lines}\n`, ...files },
});

const overlay = (title: string, base: string, top: string): KustomizationCase => ({
  title,
  files: {
    "base/all.yaml": MANIFESTS,
    "base/greeting.txt": "hello\n",
    "base/kustomization.yaml": `resources: [all.yaml]\n${base}\n`,
    "kustomization.yaml": `resources: [base]\n${top}\n`,
  },
});

const patch = (title: string, text: string, target = "", more = ""): KustomizationCase => {
  const indented = text.replaceAll("\n", "\n      ");
  return one(title, `patches:\n  - ${target}patch: |-\n      ${indented}\n${more}`);
};

const WEB = "apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\n";
const POD = `${WEB}spec: { template: { spec: `;
const ANY_DEPLOYMENT = "target: { kind: Deployment }\n    ";

const COMPONENT = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n";

/** Every case. */
export const CASES: readonly KustomizationCase[] = [
  one("nothing but resources", ""),
  one("a prefix and a suffix", "namePrefix: a-\nnameSuffix: -z"),
  one("a namespace", "namespace: there"),
  one("a namespace, a prefix and generators", `namespace: there\nnamePrefix: a-\n${GENERATORS}`),
  one("labels on objects alone", "labels: [{ pairs: { team: shop } }]"),
  one("labels in selectors", "labels: [{ pairs: { team: shop }, includeSelectors: true }]"),
  one("labels in templates", "labels: [{ pairs: { team: shop }, includeTemplates: true }]"),
  one(
    "labels in fields of one's own",
    "labels: [{ pairs: { team: shop }, fields: [{ kind: Cart, path: spec/labels, create: true }] }]",
  ),
  one("commonLabels", "commonLabels: { team: shop, tier: back }"),
  one("commonAnnotations", "commonAnnotations: { note: seen }"),
  one("an image's name and tag", "images: [{ name: nginx, newName: ghcr.io/x/nginx, newTag: v2 }]"),
  one(
    "an image of a registry with a port",
    "images: [{ name: registry:5000/team/web, newTag: v2 }]",
  ),
  one("an image's digest", "images: [{ name: nginx, digest: sha256:def }]"),
  one("an image's tag and digest", "images: [{ name: nginx, newTag: v3, digest: sha256:def }]"),
  one("an image's tag suffix", "images: [{ name: registry:5000/team/web, tagSuffix: -alpine }]"),
  one("an image by a pattern", "images: [{ name: .*/web, newTag: v9 }]"),
  one(
    "images in fields of one's own",
    "images: [{ name: nginx, newTag: v2 }]\nconfigurations: [c.yaml]",
    { "c.yaml": "images: [{ kind: Cart, path: spec/image }]\n" },
  ),
  one("replicas", "replicas: [{ name: web, count: 3 }]"),
  one("generators", GENERATORS),
  one(
    "generators without hashes",
    `${GENERATORS}generatorOptions: { disableNameSuffixHash: true }`,
  ),
  one(
    "labels, annotations and immutability of generated objects",
    `${GENERATORS}generatorOptions: { labels: { l: "1" }, annotations: { note: x }, immutable: true }`,
  ),
  one(
    "a generator's own options beside those of all",
    "configMapGenerator: [{ name: settings, literals: [a=1], options: { labels: { l: own }, disableNameSuffixHash: true } }]\ngeneratorOptions: { labels: { l: all, m: all } }",
  ),
  one(
    "lines of environment files",
    "configMapGenerator: [{ name: settings, envs: [settings.env] }]",
  ),
  one(
    "an environment file of the old kind",
    "secretGenerator: [{ name: token, env: settings.env }]",
  ),
  one(
    "a long secret",
    `secretGenerator: [{ name: token, literals: ["key=${"0123456789".repeat(12)}", "short=${"x".repeat(51)}", "edge=${"x".repeat(52)}"] }]`,
  ),
  one(
    "letters that HTML minds, in a hash",
    "configMapGenerator: [{ name: settings, literals: ['a=<b>&c', 'z=ü', 'B=1'] }]",
  ),
  one(
    "an empty generator",
    "configMapGenerator: [{ name: settings }]\nsecretGenerator: [{ name: token }]",
  ),
  one(
    "a generator that merges with a plain object",
    "configMapGenerator: [{ name: plain, behavior: merge, literals: [greeting=bye, more=1] }]",
  ),
  one(
    "a generator that replaces a plain object",
    "configMapGenerator: [{ name: plain, behavior: replace, literals: [more=1] }]",
  ),
  overlay(
    "a generator that merges with that of its base",
    `namePrefix: b-\n${GENERATORS.replace("greeting.txt, other=greeting.txt", "greeting.txt")}`,
    "namePrefix: t-\nconfigMapGenerator: [{ name: settings, behavior: merge, literals: [a=2] }]\nsecretGenerator: [{ name: token, behavior: replace, literals: [x=y] }]",
  ),
  overlay(
    "prefixes on prefixes",
    "namePrefix: a-\nnamespace: one",
    "namePrefix: b-\nnamespace: two",
  ),
  overlay(
    "a patch by the former name",
    "namePrefix: a-",
    `patches: [{ patch: '{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"paused": true}}' }]`,
  ),
  overlay(
    "a patch by the present name",
    "namePrefix: a-",
    `patches: [{ patch: '{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a-web"}, "spec": {"paused": true}}' }]`,
  ),
  patch(
    "a list merged by name",
    `${POD}{ containers: [{ name: side, image: other }, { name: new, image: n }] } } }`,
  ),
  patch(
    "a list merged by two keys",
    `${POD}{ containers: [{ name: web, ports: [{ containerPort: 80, protocol: UDP, name: dns }, { containerPort: 81 }] }] } } }`,
  ),
  patch("an item deleted", `${POD}{ containers: [{ name: side, $patch: delete }] } } }`),
  patch("an item replaced", `${POD}{ containers: [{ name: web, image: x, $patch: replace }] } } }`),
  patch(
    "a list replaced",
    `${POD}{ containers: [{ name: only, image: x }, { $patch: replace }] } } }`,
  ),
  patch("a list deleted", `${POD}{ volumes: [{ $patch: delete }] } } }`),
  patch(
    "a mapping replaced",
    `${WEB}spec: { selector: { $patch: replace, matchLabels: { b: c } } }`,
  ),
  patch(
    "a mapping deleted",
    `${WEB}spec: { strategy: { type: Recreate, rollingUpdate: null }, selector: { $patch: delete } }`,
  ),
  patch(
    "a null that removes",
    `${POD}{ serviceAccountName: null, containers: [{ name: web, args: null, env: null }] } } }`,
  ),
  patch(
    "finalizers merged by value",
    WEB.replace("name: web", "name: web, finalizers: [a/b, c/d]"),
  ),
  patch(
    "a list of a kind without a schema",
    "apiVersion: shop.example.com/v1\nkind: Cart\nmetadata: { name: cart }\nspec: { items: [{ name: a, price: 3 }] }",
  ),
  patch("an object deleted", `$patch: delete\n${WEB}`),
  patch(
    "a new name and kind",
    "apiVersion: v1\nkind: Account\nmetadata: { name: fresh }",
    "target: { kind: ServiceAccount }\n    options: { allowNameChange: true, allowKindChange: true }\n    ",
  ),
  patch(
    "a name that stays",
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: other, labels: { x: y } }",
    ANY_DEPLOYMENT,
  ),
  patch(
    "a JSON patch",
    "- { op: replace, path: /spec/replicas, value: 5 }\n- { op: add, path: /metadata/labels/a~1b, value: c }\n- { op: remove, path: /spec/template/spec/containers/1 }\n- { op: add, path: /spec/template/spec/containers/0/args/-, value: --last }",
    ANY_DEPLOYMENT,
  ),
  patch(
    "a JSON patch that renames, and references that follow",
    "- { op: replace, path: /metadata/name, value: renamed }",
    "target: { kind: ServiceAccount }\n    ",
  ),
  patch(
    "targets by a pattern",
    "- { op: add, path: /metadata/labels, value: { hit: 'yes' } }",
    "target: { kind: Service.*, name: w.b }\n    ",
  ),
  patch(
    "targets by labels",
    "- { op: add, path: /metadata/labels/hit, value: 'yes' }",
    "target: { labelSelector: 'app in (web, x)' }\n    ",
  ),
  patch(
    "targets by annotations",
    "- { op: add, path: /spec/type, value: NodePort }",
    "target: { annotationSelector: 'port=80' }\n    ",
  ),
  patch(
    "targets by group and version",
    "- { op: add, path: /spec/x, value: 1 }",
    "target: { group: shop.*, version: v1 }\n    ",
  ),
  one(
    "patchesStrategicMerge, in place and from a file",
    `patchesStrategicMerge:\n  - p.yaml\n  - |-\n    ${WEB.replaceAll("\n", "\n    ")}spec: { paused: true }`,
    {
      "p.yaml": `${WEB}spec: { minReadySeconds: 5 }\n---\napiVersion: v1\nkind: Service\nmetadata: { name: web }\nspec: { type: NodePort }\n`,
    },
  ),
  one(
    "patchesJson6902",
    `patchesJson6902:\n  - target: { version: v1, kind: Service, name: web }\n    patch: '[{"op": "add", "path": "/spec/type", "value": "NodePort"}]'`,
  ),
  one(
    "a replacement of whole values",
    "replacements:\n  - source: { kind: ConfigMap, name: plain, fieldPath: data.greeting }\n    targets:\n      - select: { kind: Deployment }\n        fieldPaths: ['spec.template.spec.containers.[name=web].env.[name=MODE].value', spec.template.spec.containers.0.args.0]",
  ),
  one(
    "a replacement of a delimited part",
    "namespace: there\nreplacements:\n  - source: { kind: Service, name: web, fieldPath: metadata.namespace }\n    targets:\n      - select: { name: web, kind: Deployment }\n        fieldPaths: ['spec.template.spec.containers.*.env.[name=URL].value']\n        options: { delimiter: '.', index: 1 }\n",
  ),
  one(
    "a replacement that makes its field",
    "replacements:\n  - source: { kind: Deployment, fieldPath: spec.replicas }\n    targets:\n      - select: { kind: Cart }\n        reject: [{ name: other }]\n        fieldPaths: [spec.size, 'metadata.annotations.[shop.example.com/size]', 'spec.more.[name=x].n']\n        options: { create: true }\n",
  ),
  one(
    "a replacement of a mapping and of the name",
    "replacements:\n  - source: { kind: Deployment, fieldPath: spec.selector.matchLabels }\n    targets: [{ select: { kind: Service }, fieldPaths: [spec.selector] }]\n  - source: { kind: ServiceAccount, name: web }\n    targets: [{ select: { kind: Cart }, fieldPaths: [spec.serviceName] }]\n",
  ),
  one(
    "a replacement of a fixed text, and of numbers",
    "replacements:\n  - sourceValue: '9'\n    targets:\n      - { select: { kind: Deployment }, fieldPaths: [spec.replicas] }\n      - { select: { kind: Cart }, fieldPaths: ['spec.items.[name=a].count', 'spec.items.[name=b].name'] }\n",
  ),
  one("replacements of a file", "replacements: [{ path: r.yaml }]", {
    "r.yaml":
      "- source: { kind: Service, fieldPath: metadata.name, options: { delimiter: e, index: 0 } }\n  targets: [{ select: { kind: Cart }, fieldPaths: [spec.serviceName] }]\n",
  }),
  one(
    "a replacement within JSON text",
    "replacements:\n  - sourceValue: new\n    targets: [{ select: { kind: ConfigMap }, fieldPaths: ['data.config\\.json.host'] }]\n",
  ),
  one(
    "vars",
    "namePrefix: a-\nvars:\n  - { name: HOST, objref: { apiVersion: v1, kind: Service, name: web } }\n  - { name: UNUSED, objref: { apiVersion: apps/v1, kind: Deployment, name: web }, fieldref: { fieldPath: 'spec.template.spec.containers[0].image' } }",
  ),
  one(
    "vars in fields of one's own",
    'vars: [{ name: HOST, objref: { apiVersion: v1, kind: Service, name: web }, fieldref: { fieldPath: \'spec.ports[0].port\' } }]\nconfigurations: [c.yaml]\npatches: [{ target: { kind: Cart }, patch: \'[{"op": "add", "path": "/spec/port", "value": "$(HOST)"}, {"op": "add", "path": "/spec/text", "value": "x$(HOST)y$(NONE)"}]\' }]',
    {
      "c.yaml":
        "varReference: [{ kind: Cart, path: spec/port }, { kind: Cart, path: spec/text }]\n",
    },
  ),
  one("name references of one's own", "namePrefix: a-\nconfigurations: [c.yaml]", {
    "c.yaml":
      "nameReference: [{ kind: Service, version: v1, fieldSpecs: [{ kind: Cart, path: spec/serviceName }] }]\nnamePrefix: [{ kind: Cart, path: spec/image }]\n",
  }),
  one("crds", "namePrefix: a-\ncrds: [crd.json]", {
    "crd.json": JSON.stringify({
      "shop.Cart": {
        Schema: {
          properties: {
            apiVersion: {},
            kind: {},
            metadata: {},
            spec: { $ref: "shop.CartSpec" },
          },
        },
        Dependencies: ["shop.CartSpec"],
      },
      "shop.CartSpec": {
        Schema: {
          properties: {
            backend: {
              "x-kubernetes-object-ref-api-version": "v1",
              "x-kubernetes-object-ref-kind": "Service",
            },
          },
        },
        Dependencies: [],
      },
    }),
  }),
  {
    title: "components that patch and generate",
    files: {
      "kustomization.yaml": "resources: [all.yaml]\ncomponents: [one, two]\nnamePrefix: p-\n",
      "one/kustomization.yaml": `${COMPONENT}configMapGenerator: [{ name: settings, literals: [a=1] }]\n`,
      "two/kustomization.yaml": `${COMPONENT}configMapGenerator: [{ name: settings, behavior: merge, literals: [b=2] }]\npatches: [{ target: { kind: Deployment }, patch: '[{"op": "add", "path": "/spec/paused", "value": true}]' }]\n`,
    },
  },
  one("objects in the order of their files", "sortOptions: { order: fifo }"),
  one(
    "objects in an order of one's own",
    "sortOptions: { order: legacy, legacySortOptions: { orderFirst: [Cart, Service], orderLast: [ConfigMap] } }",
  ),
  {
    title: "lists, local objects and a Namespace",
    files: {
      "kustomization.yaml": "resources: [list.yaml]\nnamespace: there\nnamePrefix: a-\n",
      "list.yaml": `apiVersion: v1
kind: List
items:
  - { apiVersion: v1, kind: Secret, metadata: { name: s } }
  - { apiVersion: v1, kind: Secret, metadata: { name: hidden, annotations: { config.kubernetes.io/local-config: "true" } } }
---
apiVersion: v1
kind: Namespace
metadata: { name: here, annotations: {} }
---
apiVersion: cert-manager.io/v1
kind: ClusterIssuer
metadata: { name: own, creationTimestamp: null }
`,
    },
  },
  {
    title: "fields of old names",
    files: {
      "kustomization.yaml": "bases: [base]\nimageTags: [{ name: nginx, newTag: v2 }]\n",
      "base/kustomization.yaml": "resources: [all.yaml]\n",
      "base/all.yaml": MANIFESTS,
    },
  },
];
