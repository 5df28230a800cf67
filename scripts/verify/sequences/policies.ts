/**
 * Admission policies: what they match, what they say, and in which order; with parameters, variables and patches.
 */
import type { Random } from "../../../test/support/random.ts";
import type { Json, Scenario, Step } from "./scenario.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";

const BOOLS = [
  "object.data.a == '1'",
  "has(object.data) && object.data.size() < 3",
  "object.metadata.name.startsWith('ok')",
  "request.operation != 'DELETE'",
  "request.userInfo.username == 'admin'",
  "'system:masters' in request.userInfo.groups",
  "oldObject == null || oldObject.data == object.data",
  "!has(object.metadata.labels) || object.metadata.labels.all(k, k != 'bad')",
  "object.data.?n.orValue('1') == '1'",
  "int(object.data.n) > 2",
  "namespaceObject.metadata.name == request.namespace",
  "namespaceObject.metadata.labels['kubernetes.io/metadata.name'] != ''",
  "authorizer.group('').resource('configmaps').namespace('default').check('get').allowed()",
  "authorizer.requestResource.check('delete').allowed()",
  "variables.first == 'x' || variables.second > 1",
  "variables.first.size() > 0",
  "1 / object.data.size() >= 1",
  "object.data.a.matches('^[0-9]+$')",
  "quantity(object.data.q).isLessThan(quantity('1Gi'))",
  "request.resource.resource == 'configmaps' && request.kind.kind == 'ConfigMap'",
  "request.dryRun == false",
  "request.name == 'a'",
  "has(request.options) && request.options.fieldManager != ''",
  "object != null && object.metadata.namespace != 'x'",
];
const PARAM_BOOLS = [
  "params != null && params.data.max == '1'",
  "object.data.size() <= int(params.data.max)",
  "params.metadata.name != 'zz'",
];
const WRONG = [
  "object.data.a = 1",
  "object.nothing(1)",
  "1",
  "'a'",
  "variables.missing == 1",
  "object.metadata.foo == 'a'",
  "params.data.x == 'y'",
  "foo",
  "object.data.a == 1",
  "authorizer.group(1)",
];
const STRINGS = [
  "'data has ' + string(object.data.size())",
  "object.data.a",
  "'no: ' + request.operation",
  "object.metadata.name + '!'",
  "variables.first",
  "''",
  "'a\\nb'",
  "string(1/0)",
];

function policySpec(random: Random, wrong: boolean, withParams: boolean): Json {
  const bool = (): string =>
    wrong && random.chance(0.4)
      ? random.pick(WRONG)
      : random.pick(withParams && random.chance(0.4) ? PARAM_BOOLS : BOOLS);
  const operations = random.pick([["CREATE", "UPDATE"], ["*"], ["CREATE"], ["UPDATE", "DELETE"]]);
  return {
    ...(random.chance(0.5) ? { failurePolicy: random.pick(["Fail", "Ignore"]) } : {}),
    ...(withParams ? { paramKind: { apiVersion: "v1", kind: "ConfigMap" } } : {}),
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: [""],
          apiVersions: ["v1"],
          operations,
          resources: ["configmaps"],
          ...(random.chance(0.1) ? { resourceNames: ["a"] } : {}),
        },
      ],
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "${ns}" } },
      objectSelector: { matchExpressions: [{ key: "skip", operator: "DoesNotExist" }] },
      ...(random.chance(0.1)
        ? {
            excludeResourceRules: [
              {
                apiGroups: ["*"],
                apiVersions: ["*"],
                operations: ["UPDATE"],
                resources: ["configmaps"],
              },
            ],
          }
        : {}),
    },
    ...(random.chance(0.3)
      ? {
          matchConditions: [
            {
              name: "only",
              expression: random.pick([
                "request.name != 'b'",
                "object.data.a != 'free'",
                "has(object.data)",
                "object.zz == 1",
              ]),
            },
          ],
        }
      : {}),
    variables: [
      {
        name: "first",
        expression: random.pick([
          "object.data.?a.orValue('x')",
          "request.operation",
          "object.data.a",
        ]),
      },
      {
        name: "second",
        expression: random.pick(["size(variables.first)", "1", "int(object.data.n)"]),
      },
    ],
    validations: Array.from({ length: 1 + random.below(3) }, () => ({
      expression: bool(),
      ...(random.chance(0.4) ? { message: random.pick(["not like this", "no"]) } : {}),
      ...(random.chance(0.4) ? { messageExpression: random.pick(STRINGS) } : {}),
      ...(random.chance(0.3)
        ? { reason: random.pick(["Unauthorized", "Forbidden", "Invalid", "RequestEntityTooLarge"]) }
        : {}),
    })),
    ...(random.chance(0.2)
      ? { auditAnnotations: [{ key: "k", valueExpression: random.pick(STRINGS) }] }
      : {}),
  };
}

const MUTATIONS: readonly Json[] = [
  {
    patchType: "ApplyConfiguration",
    applyConfiguration: {
      expression: "Object{metadata: Object.metadata{labels: {'set': 'by-policy'}}}",
    },
  },
  {
    patchType: "ApplyConfiguration",
    applyConfiguration: { expression: "Object{data: {'added': object.metadata.name}}" },
  },
  {
    patchType: "ApplyConfiguration",
    applyConfiguration: {
      expression: "has(object.data) ? Object{data: {'n': string(object.data.size())}} : Object{}",
    },
  },
  {
    patchType: "ApplyConfiguration",
    applyConfiguration: { expression: "Object{data: {'a': object.data.a + '+'}}" },
  },
  {
    patchType: "ApplyConfiguration",
    applyConfiguration: { expression: "Object{immutable: true}" },
  },
  {
    patchType: "JSONPatch",
    jsonPatch: { expression: "[JSONPatch{op: 'add', path: '/data/json', value: 'x'}]" },
  },
  {
    patchType: "JSONPatch",
    jsonPatch: {
      expression:
        "[JSONPatch{op: 'test', path: '/data/a', value: '1'}, JSONPatch{op: 'replace', path: '/data/a', value: '9'}]",
    },
  },
  {
    patchType: "JSONPatch",
    jsonPatch: {
      expression:
        "has(object.metadata.labels) ? [JSONPatch{op: 'remove', path: '/metadata/labels'}] : []",
    },
  },
  {
    patchType: "JSONPatch",
    jsonPatch: {
      expression:
        "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'a': request.operation}}]",
    },
  },
  {
    patchType: "JSONPatch",
    jsonPatch: { expression: "[JSONPatch{op: 'copy', from: '/data/a', path: '/data/b'}]" },
  },
  {
    patchType: "JSONPatch",
    jsonPatch: {
      expression:
        "[JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey('a/b'), value: 'x'}]",
    },
  },
];
const WRONG_MUTATIONS: readonly Json[] = [
  { patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{foo: 1}" } },
  { patchType: "ApplyConfiguration", applyConfiguration: { expression: "1" } },
  { patchType: "JSONPatch", jsonPatch: { expression: "[1]" } },
  {
    patchType: "JSONPatch",
    jsonPatch: { expression: "[JSONPatch{op: 'odd', path: '/data', value: 1}]" },
  },
  { patchType: "JSONPatch" },
  { patchType: "Odd", jsonPatch: { expression: "[]" } },
  { applyConfiguration: { expression: "Object{}" } },
];

function requests(random: Random): Step[] {
  const maps = "/api/v1/namespaces/${ns}/configmaps";
  const map = (name: string): Json => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name,
      ...(random.chance(0.3)
        ? { labels: random.pick<Json>([{ a: "b" }, { skip: "1" }, { bad: "1" }]) }
        : {}),
    },
    ...(random.chance(0.85)
      ? {
          data: Object.fromEntries(
            Object.entries({
              a: random.pick(["1", "2", "free"]),
              n: random.pick(["1", "5", "x"]),
              q: random.pick(["1", "2Gi"]),
            }).filter(() => random.chance(0.7)),
          ),
        }
      : {}),
  });
  return [
    ...["a", "b", "ok1", "c"].map((name) => ({
      request: `POST ${maps}${random.pick(["", "", "?fieldManager=f"])}`,
      body: map(name),
    })),
    { request: `PATCH ${maps}/a`, body: { data: { a: "2", z: "1" } } },
    {
      request: `PATCH ${maps}/b?fieldManager=m&force=true`,
      headers: { "Content-Type": "application/apply-patch+yaml" },
      body: map("b"),
    },
    { request: `POST ${maps}?dryRun=All`, body: map("d") },
    { request: `DELETE ${maps}/ok1` },
    { request: `DELETE ${maps}` },
  ];
}

/** One or two policies with bindings, then writes of ConfigMaps. */
export function policyScenario(random: Random, id: string): Scenario {
  const wrong = random.chance(0.25);
  const mutating = random.chance(0.4);
  const withParams = random.chance(0.35);
  const kind = mutating ? "Mutating" : "Validating";
  const [policies, bindings] = [
    `${GROUP}/${kind.toLowerCase()}admissionpolicies`,
    `${GROUP}/${kind.toLowerCase()}admissionpolicybindings`,
  ];
  const whole = policySpec(random, wrong, withParams);
  const judging = ["auditAnnotations", "validations"];
  const spec = mutating
    ? {
        ...Object.fromEntries(Object.entries(whole).filter(([name]) => !judging.includes(name))),
        reinvocationPolicy: random.pick(["Never", "IfNeeded"]),
        mutations: Array.from({ length: 1 + random.below(2) }, () =>
          wrong ? random.pick(WRONG_MUTATIONS) : random.pick(MUTATIONS),
        ),
      }
    : whole;
  const head = { apiVersion: "admissionregistration.k8s.io/v1" };
  const asked: Step = {
    request: `POST ${policies}?dryRun=All`,
    body: { ...head, kind: `${kind}AdmissionPolicy`, metadata: { name: "${id}" }, spec },
    pick: ["/reason", "/message", "/details", "/spec"],
  };
  if (wrong)
    return {
      id,
      title: `a ${kind}AdmissionPolicy with mistakes`,
      group: "K",
      namespace: false,
      steps: [asked],
    };
  const actions = random.pick([["Deny"], ["Warn"], ["Deny", "Audit"], ["Warn", "Audit"]]);
  const params = withParams
    ? {
        paramRef: {
          ...random.pick<Json>([
            { name: "p" },
            { selector: { matchLabels: { p: "1" } } },
            { name: "missing" },
          ]),
          parameterNotFoundAction: random.pick(["Allow", "Deny"]),
          namespace: "${ns}",
        },
      }
    : {};
  const constraint = {
    resourceRules: [
      {
        apiGroups: [""],
        apiVersions: ["v1"],
        operations: ["CREATE", "UPDATE"],
        resources: ["configmaps"],
      },
    ],
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "${ns}" } },
  };
  return {
    id,
    title: `a ${kind}AdmissionPolicy at work`,
    group: "K",
    after: [
      `DELETE ${bindings}/\${id}`,
      `DELETE ${policies}/\${id}`,
      `DELETE ${GROUP}/validatingadmissionpolicybindings/\${id}-probe`,
      `DELETE ${GROUP}/validatingadmissionpolicies/\${id}-probe`,
    ],
    steps: [
      ...(withParams
        ? [
            {
              request: "POST /api/v1/namespaces/${ns}/configmaps",
              body: {
                apiVersion: "v1",
                kind: "ConfigMap",
                metadata: { name: "p", labels: { p: "1" } },
                data: { max: "1" },
              },
              only: "status",
            },
          ]
        : []),
      { ...asked, request: `POST ${policies}` },
      {
        request: `POST ${bindings}`,
        body: {
          ...head,
          kind: `${kind}AdmissionPolicyBinding`,
          metadata: { name: "${id}" },
          spec: {
            policyName: "${id}",
            ...(mutating ? {} : { validationActions: actions }),
            ...params,
          },
        },
        pick: ["/spec", "/message"],
      },
      {
        request: `POST ${GROUP}/validatingadmissionpolicies`,
        body: {
          ...head,
          kind: "ValidatingAdmissionPolicy",
          metadata: { name: "${id}-probe" },
          spec: {
            matchConstraints: constraint,
            validations: [
              {
                expression: "object == null || object.metadata.name != 'probe'",
                message: "probed",
              },
            ],
          },
        },
        only: "status",
      },
      {
        request: `POST ${GROUP}/validatingadmissionpolicybindings`,
        body: {
          ...head,
          kind: "ValidatingAdmissionPolicyBinding",
          metadata: { name: "${id}-probe" },
          spec: { policyName: "${id}-probe", validationActions: ["Warn"] },
        },
        only: "status",
      },
      { wait: 2500 },
      ...requests(random),
    ],
  };
}
