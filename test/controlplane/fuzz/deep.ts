/**
 * Requests that are well-formed enough to reach deep: ownership, strategies of patches, expressions, selectors, tokens
 * of lists, protobuf.
 */
import type { Random } from "../../support/random.ts";
import type { FuzzRequest } from "./requests.ts";

const WIDGETS = "/apis/fuzz.example.com/v1/namespaces/default/widgets";
const PODS = "/api/v1/namespaces/default/pods";
const MAPS = "/api/v1/namespaces/default/configmaps";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const LISTS = [WIDGETS, PODS, MAPS, DEPLOYMENTS, DEFINITIONS, "/api/v1/pods", "/api/v1/nodes"];

type Deep = (random: Random) => FuzzRequest;

const ask = (
  method: string,
  path: string,
  body: unknown = "",
  type = "application/json",
  headers: Readonly<Record<string, string>> = {},
): FuzzRequest => ({
  method,
  path,
  headers: { "content-type": type, ...headers },
  body: Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
});

const times = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));

const HOSTILE_KEYS = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "",
  "a/b",
  "~1",
  "é",
];
const HOSTILE_FIELDS = [
  "f:",
  "f:spec",
  "f:__proto__",
  "k:{}",
  'k:{"name":"n"}',
  'k:{"name":1,"__proto__":2}',
  "k:{",
  'v:"t"',
  "v:{",
  "i:0",
  "i:-1",
  "i:99999999999999999999",
  ".",
  "",
  "x:y",
];

/** A set of fields, some of which are none. */
function fieldSet(random: Random, depth: number): object {
  const entries = times(random.below(4), () => [
    random.pick(HOSTILE_FIELDS),
    depth === 0 || random.chance(0.2)
      ? random.pick([{}, null, 1, [], "x"])
      : fieldSet(random, depth - 1),
  ]);
  // `fromEntries` gives `__proto__` as a field of its own, and so does `stringify`.
  return Object.fromEntries(entries) as object;
}

const managedFields = (random: Random): unknown =>
  random.chance(0.1)
    ? random.pick([[], [{}], null, "x", [null]])
    : times(random.pick([1, 3, 30]), (n) => ({
        manager: random.pick(["m", "", "kubectl", "__proto__", "x".repeat(200)]) + String(n),
        operation: random.pick(["Apply", "Update", "Apply", "Nope", ""]),
        apiVersion: random.pick(["fuzz.example.com/v1", "v1", "apps/v1", "nope/v9", "", "a/b/c"]),
        fieldsType: random.pick(["FieldsV1", "FieldsV1", "FieldsV2", ""]),
        time: random.pick(["2020-01-01T00:00:00Z", "x", null, 5]),
        subresource: random.pick(["", "status", "scale", "nope"]),
        fieldsV1: fieldSet(random, random.below(5)),
      }));

function widget(random: Random, spec: object = {}): Record<string, unknown> {
  return {
    apiVersion: "fuzz.example.com/v1",
    kind: "Widget",
    metadata: { name: "w" },
    spec: {
      size: random.below(12),
      parts: times(random.below(5), (n) => ({ name: `n${random.chance(0.2) ? 0 : n}`, count: n })),
      tags: times(random.below(5), (n) => `t${random.chance(0.2) ? 0 : n}`),
      ...spec,
    },
  };
}

const pod = (random: Random): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", labels: { a: random.pick(["b", "c"]) } },
  spec: {
    containers: times(1 + random.below(3), (n) => ({
      name: `c${n}`,
      image: "i",
      ports: [{ containerPort: 80 + random.below(2) }, { containerPort: 80, protocol: "UDP" }],
      env: times(random.below(3), (e) => ({ name: `E${e}`, value: String(n) })),
    })),
  },
});

/** A value with a directive of a strategic merge patch somewhere in it. */
function directive(random: Random): unknown {
  return random.pick([
    { $patch: random.pick(["delete", "replace", "merge", "nope", 1, null]) },
    [{ $patch: random.pick(["delete", "replace"]) }, { name: "c0", image: "j" }],
    [{ $patch: "delete", name: random.pick(["c0", "nope", null, {}]) }],
    { $retainKeys: random.pick([["name"], [], "x", [1], null]), name: "c0" },
    [{ name: "c0", ports: [{ $patch: "delete", containerPort: 80 }] }],
    [{ name: "c0", env: [{ $patch: "replace" }] }],
    [{ image: "without a key" }],
    [null],
    [[{}]],
    null,
  ]);
}

const strategic: Deep = (random) => {
  const part = random.pick(["containers", "volumes", "tolerations", "initContainers", "nope"]);
  const spec: Record<string, unknown> = {
    [part]: directive(random),
    ...(random.chance(0.4)
      ? {
          [`$setElementOrder/${part}`]: random.pick([
            [{ name: "c1" }, { name: "c0" }],
            [],
            null,
            "x",
            [1, 2],
            [{ nope: 1 }],
          ]),
        }
      : {}),
    ...(random.chance(0.3)
      ? {
          [`$deleteFromPrimitiveList/${random.pick(HOSTILE_KEYS)}`]: random.pick([
            ["a"],
            "a",
            null,
          ]),
        }
      : {}),
  };
  const isPod = random.chance(0.5);
  const patch = isPod ? { spec } : { spec: { template: { spec } } };
  const metadata = { "$deleteFromPrimitiveList/finalizers": ["e.com/f"], finalizers: ["g.com/h"] };
  const body = random.chance(0.2) ? { ...patch, metadata } : patch;
  return ask(
    "PATCH",
    isPod ? `${PODS}/p` : `${DEPLOYMENTS}/d`,
    body,
    "application/strategic-merge-patch+json",
  );
};

const POINTERS = [
  "",
  "/",
  "/spec",
  "/spec/free",
  "/spec/parts/0",
  "/spec/parts/-",
  "/spec/parts/1e0",
  "/spec/parts/-1",
  "/spec/parts/99999999999",
  "/spec/tags",
  "/metadata/labels",
  "/metadata/managedFields/0",
  "/__proto__/polluted",
  "/constructor/prototype/polluted",
  "/spec/free/a~1b~0c",
  "/spec/free/~2",
];

const jsonPatch: Deep = (random) =>
  ask(
    "PATCH",
    `${random.pick([WIDGETS, WIDGETS, MAPS, PODS])}/${random.pick(["w", "a", "p"])}`,
    times(1 + random.below(12), () => ({
      op: random.pick(["add", "add", "copy", "copy", "move", "test", "replace", "remove"]),
      path: random.pick(POINTERS),
      from: random.pick(POINTERS),
      value: random.pick([{}, { a: [1, { b: null }] }, [], "x", 1, null, "y".repeat(10_000)]),
    })),
    "application/json-patch+json",
  );

const apply: Deep = (random) => {
  const body = widget(random, random.chance(0.3) ? { [random.pick(HOSTILE_KEYS)]: 1 } : {});
  if (random.chance(0.15)) body["metadata"] = { name: "w", managedFields: managedFields(random) };
  const force = random.chance(0.7) ? "&force=true" : "";
  const sub = random.pick(["", "", "", "/status", "/scale"]);
  return ask(
    "PATCH",
    `${WIDGETS}/w${sub}?fieldManager=m${random.below(15)}${force}`,
    body,
    "application/apply-patch+yaml",
  );
};

const applyPod: Deep = (random) =>
  ask(
    "PATCH",
    `${PODS}/p?fieldManager=m${random.below(5)}&force=true`,
    pod(random),
    "application/apply-patch+yaml",
  );

const ownership: Deep = (random) =>
  ask(
    "PATCH",
    `${random.pick([WIDGETS, MAPS])}/${random.pick(["w", "a"])}`,
    { metadata: { managedFields: managedFields(random) } },
    "application/merge-patch+json",
  );

const RULES = [
  "self.size <= 9",
  "self.all(a, self.all(b, self.all(c, a == b && b == c)))",
  "self.map(x, x + x).map(x, x + x).map(x, x + x).size() > 0",
  "self.exists_one(x, x.matches('(x+x+)+y'))",
  "oldSelf.hasValue() || true",
  "self == oldSelf",
  "quantity('1' + self).isGreaterThan(quantity('0'))",
  "self.__proto__ == 1",
  "{'a': 1}[self] == 1",
  "dyn(self).a.b.c",
  "has(self.a.b.c)",
  "optional.of(self).orValue(1)",
  "cidr('10.0.0.0/8').containsIP(self)",
  "url(self).getHost() == ''",
  "'%s %d %f %e %b %x %o'.format([self, 1, 1.0, 1.0, true, 1, 1])",
  "9223372036854775807 + 1 > 0",
  "1 / 0 == 1",
  "duration('1000000h') + duration('9000000h') > duration('0s')",
  "timestamp('9999-12-31T23:59:59Z') + duration('1h') > timestamp('0001-01-01T00:00:00Z')",
  "self.find('a*').size() == 0",
  "self.split(',', 1000000).size() > 0",
  "sets.contains(self, self) && sets.intersects(self, self)",
  "format.dns1123Label().validate(self).hasValue()",
  "semver('1.0.0').isLessThan(semver(self))",
  "cel.bind(x, self, x == x)",
];

const definition: Deep = (random) => {
  const plural = `deeps${random.below(2)}`;
  const rule = {
    rule: random.pick(RULES),
    ...(random.chance(0.3) ? { messageExpression: random.pick(RULES) } : {}),
    ...(random.chance(0.2) ? { fieldPath: random.pick([".f", ".nope", "..", "", ".f[0]"]) } : {}),
    ...(random.chance(0.2) ? { optionalOldSelf: true } : {}),
    ...(random.chance(0.2) ? { reason: random.pick(["FieldValueInvalid", "Nope"]) } : {}),
  };
  const field = random.pick<object>([
    { type: "string" },
    { type: "string", maxLength: 100 },
    { type: "array", maxItems: 100, items: { type: "string", maxLength: 50 } },
    { type: "object", additionalProperties: { type: "integer" } },
    { type: "array", items: { type: "array", items: { type: "integer" } } },
    { "x-kubernetes-int-or-string": true },
    {
      type: "object",
      properties: { __proto__x: { type: "string" }, constructor: { type: "string" } },
    },
  ]);
  return ask("POST", `${DEFINITIONS}${random.chance(0.5) ? "?dryRun=All" : ""}`, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.deep.example.com` },
    spec: {
      group: "deep.example.com",
      scope: "Namespaced",
      names: { plural, kind: `Deep${plural.slice(5)}`, listKind: `Deep${plural.slice(5)}List` },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          selectableFields: random.chance(0.2) ? [{ jsonPath: random.pick([".f", ".nope"]) }] : [],
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { f: { ...field, "x-kubernetes-validations": [rule] } },
            },
          },
        },
      ],
    },
  });
};

const ofDefinition: Deep = (random) => {
  const path = `/apis/deep.example.com/v1/namespaces/default/deeps${random.below(2)}`;
  const body = {
    apiVersion: "deep.example.com/v1",
    kind: `Deep${random.below(2)}`,
    metadata: { name: "x" },
    f: random.pick<unknown>([
      "x".repeat(random.pick([1, 90, 5000])),
      times(random.pick([3, 90]), (n) => `${n}`),
      times(100, (n) => [n]),
      { a: 1, constructor: 2 },
      5,
      null,
      "10.0.0.1",
    ]),
  };
  return random.chance(0.5)
    ? ask("POST", path, body)
    : ask("PATCH", `${path}/x?fieldManager=f&force=true`, body, "application/apply-patch+yaml");
};

const policy: Deep = (random) =>
  ask("POST", `${POLICIES}?dryRun=All`, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "p" },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"] },
        ],
      },
      variables: times(random.below(4), (n) => ({
        name: random.pick([`v${n}`, "__proto__", "object", ""]),
        expression: random.pick([
          "object.metadata",
          `variables.v${n}`,
          "[1,2,3].map(x, [1,2,3].map(y, x * y))",
          ...RULES,
        ]),
      })),
      matchConditions: random.chance(0.3) ? [{ name: "c", expression: random.pick(RULES) }] : [],
      validations: [
        {
          expression: random.pick([
            "object.spec.replicas < 5",
            "authorizer.group('').resource('pods').check('get').allowed()",
            "params.x == 1",
            "variables.all(v, v)",
            `${"object.metadata.labels.all(k, ".repeat(20)}true${")".repeat(20)}`,
            ...RULES,
          ]),
        },
      ],
    },
  });

const token = (random: Random): string => {
  const value = random.pick<unknown>([
    { v: "meta.k8s.io/v1", rv: random.pick([1, 0, -1, 2 ** 53, 1e300]), start: "default/a\u0000" },
    {
      v: "meta.k8s.io/v1",
      rv: -1,
      start: random.pick(["", "..", "/", "\u0000", "x".repeat(5000)]),
    },
    { v: "meta.k8s.io/v2", rv: 1, start: "a" },
    { v: "meta.k8s.io/v1", rv: "1", start: 5 },
    { __proto__x: 1 },
    [],
    null,
    "x",
  ]);
  return Buffer.from(JSON.stringify(value)).toString("base64url");
};

const list: Deep = (random) => {
  const query = random.pick([
    () => `limit=${random.pick([1, 2, 500])}&continue=${token(random)}`,
    () => `limit=1&resourceVersion=${random.below(300)}&resourceVersionMatch=Exact`,
    () => `resourceVersion=${random.below(100)}&resourceVersionMatch=NotOlderThan`,
    () => `labelSelector=${encodeURIComponent(selector(random))}`,
    () => `fieldSelector=${encodeURIComponent(fields(random))}`,
    () =>
      `watch=true&allowWatchBookmarks=true&sendInitialEvents=${random.pick(["true", "false"])}&resourceVersionMatch=NotOlderThan&timeoutSeconds=1`,
    () => `watch=1&resourceVersion=${random.below(300)}&timeoutSeconds=1`,
    () => `watch=true&timeoutSeconds=${random.pick(["0", "1", "-1", "x"])}`,
  ])();
  const accept = random.pick([
    "application/json",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json",
  ]);
  return ask("GET", `${random.pick(LISTS)}?${query}`, "", "application/json", { accept });
};

function selector(random: Random): string {
  const term = (n: number): string =>
    random.pick([
      `k${n}=v`,
      `k${n}!=v`,
      `!k${n}`,
      `k${n}`,
      `k${n} in (a,b,c)`,
      `k${n} notin (a)`,
      `k${n}>5`,
      `k${n}<x`,
      `k${n} in (`,
      `k${n}==`,
      "=",
      `k${n} in (${"a,".repeat(50)})`,
    ]);
  const count = random.pick([1, 3, 50, 300]);
  const sane = random.chance(0.6);
  return times(count, (n) => (sane ? `k${n}!=v` : term(n))).join(",");
}

function fields(random: Random): string {
  return times(random.pick([1, 2, 100]), () =>
    random.pick([
      "metadata.name=a",
      "metadata.name!=a",
      "metadata.namespace=default",
      "status.phase=Running",
      "spec.nodeName=",
      "spec.size=1",
      "a\\,b=c\\=d",
      "\\",
      "=",
      "__proto__=1",
    ]),
  ).join(",");
}

/** A field of a message: its number and its bytes. */
function field(number: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  const size: number[] = [];
  for (let left = bytes.length; ; left >>>= 7) {
    size.push(left > 0x7f ? (left & 0x7f) | 0x80 : left);
    if (left <= 0x7f) break;
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...size]), bytes]);
}

const labelled = (key: string, value: string): Buffer =>
  Buffer.concat([field(1, key), field(2, value)]);

/** An object of a built-in kind as a client of Go sends it, damaged now and then. */
const protobuf: Deep = (random) => {
  const meta = Buffer.concat([
    field(1, random.pick(["a", "p", ""])),
    field(3, random.pick(["default", "", "other"])),
    field(11, labelled(random.pick(HOSTILE_KEYS), "x")),
  ]);
  const isPod = random.chance(0.5);
  const container = Buffer.concat([
    field(1, "c"),
    field(2, "i"),
    field(6, Buffer.from([0x08, 0x01, 0x18, 0x50])),
  ]);
  const raw = isPod
    ? Buffer.concat([field(1, meta), field(2, field(2, container))])
    : Buffer.concat([
        field(1, meta),
        field(2, labelled("k", "v")),
        field(3, labelled("b", "\u0001")),
      ]);
  const type = Buffer.concat([field(1, "v1"), field(2, isPod ? "Pod" : "ConfigMap")]);
  const whole = Buffer.concat([Buffer.from("k8s\0"), field(1, type), field(2, raw)]);
  for (let left = random.below(4); left > 0 && whole.length > 4; left--) {
    whole[4 + random.below(whole.length - 4)] = random.below(256);
  }
  const body = random.chance(0.2) ? whole.subarray(0, random.below(whole.length + 1)) : whole;
  const [path, name] = isPod ? [PODS, "p"] : [MAPS, "a"];
  return ask(
    random.chance(0.6) ? "POST" : "PUT",
    random.chance(0.6) ? path : `${path}/${name}`,
    body,
    "application/vnd.kubernetes.protobuf",
    { accept: "application/vnd.kubernetes.protobuf,application/json" },
  );
};

const yaml: Deep = (random) => {
  const text = random.pick([
    "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: &n y }\ndata: { a: *n }",
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  <<: { name: y }\ndata:\n  a: 1",
    "a: &a [*a]",
    "? {a: 1}\n: b",
    "--- 1\n--- 2",
    "%YAML 9.9\n---\na: b",
    "!!js/function 'x'",
    "a: !!binary ====",
    "- - - - -",
    `a: "${"\\u0000".repeat(20)}"`,
    `{ a: ${"[".repeat(3000)}`,
    `a: |\n${"  x\n".repeat(2000)}`,
    "__proto__: { polluted: 1 }\nconstructor: { prototype: { polluted: 1 } }",
    "a: 0o17\nb: 0x1F\nc: 1_000\nd: .inf\ne: 2001-01-01\nf: ~\ng: yes",
  ]);
  return ask(
    random.pick(["POST", "PATCH"]),
    random.pick([MAPS, `${MAPS}/a?fieldManager=y`, WIDGETS, `${WIDGETS}/w?fieldManager=y`]),
    text,
    random.pick(["application/yaml", "application/apply-patch+yaml"]),
  );
};

const plain: Deep = (random) =>
  random.pick([
    () => ask("POST", WIDGETS, widget(random)),
    () => ask("PUT", `${WIDGETS}/w`, widget(random)),
    () => ask("POST", PODS, pod(random)),
    () =>
      ask(
        "PATCH",
        `${WIDGETS}/w/scale`,
        { spec: { replicas: random.below(12) } },
        "application/merge-patch+json",
      ),
    () => ask("DELETE", `${random.pick([WIDGETS, PODS, MAPS])}/${random.pick(["w", "p", "a"])}`),
    () => ask("DELETE", `${random.pick([WIDGETS, PODS])}?labelSelector=a%3Db`),
    () => ask("DELETE", `${DEFINITIONS}/deeps${random.below(2)}.deep.example.com`),
    () => ask("POST", MAPS, { metadata: { generateName: "g-" }, data: { a: "b" } }),
    () => ask("DELETE", MAPS),
  ])();

const DEEP: readonly Deep[] = [
  ...[strategic, strategic, jsonPatch, jsonPatch, apply, apply, applyPod, ownership, definition],
  ...[ofDefinition, policy, list, list, list, protobuf, protobuf, yaml, plain, plain, plain],
];

/** The next of them. */
export const nextDeep = (random: Random): FuzzRequest => random.pick(DEEP)(random);
