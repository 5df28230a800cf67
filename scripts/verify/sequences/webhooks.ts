/**
 * Admission webhooks at work: several configurations, what they match, what they answer and what is left of it.
 *
 * At most one validating webhook refuses or warns, since they are asked side by side.
 */
import type { Random } from "../../../test/support/random.ts";
import type { Json, Scenario, Step } from "./scenario.ts";
import { establish, removeDefinition, widgetDefinition } from "./scenario.ts";
import { type Subject, SUBJECTS, subjectRequests } from "./webhook-subjects.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const READY = {
  "/probe": { response: { allowed: false, status: { code: 418, message: "ready" } } },
};

const CONDITIONS = [
  "request.operation != 'DELETE'",
  "object == null || object.metadata.name != 'b'",
  "has(object.metadata.labels) && 'x' in object.metadata.labels",
  "request.?dryRun.orValue(false) == false",
  "oldObject == null",
  "request.subResource == ''",
  "object.metadata.name == 'a'",
  "request.userInfo.username == 'admin'",
  "authorizer.group('').resource('pods').namespace('default').check('create').allowed()",
];

const FAILING: readonly Json[] = [
  { status: 500, text: "boom" },
  { status: 404 },
  { raw: "not json" },
  { raw: "{}" },
  { raw: "" },
  { response: { uid: "other" } },
  { envelope: { kind: "Odd" } },
  { envelope: { apiVersion: "admission.k8s.io/v1beta1" } },
  { envelope: { apiVersion: "v1" } },
  { envelope: { response: null } },
  { delay: 1800 },
  {
    raw: '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":"yes"}}',
  },
  { raw: '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":[]}' },
  { response: { patch: "bm90IGEgcGF0Y2g=", patchType: "JSONPatch" } },
  { response: { patch: "W10=", patchType: "Odd" } },
  { response: { patch: "W10=" } },
  { response: { patchType: "JSONPatch" } },
  { response: { patch: "!!", patchType: "JSONPatch" } },
];

const DENIALS: readonly Json[] = [
  { allowed: false },
  { allowed: false, status: { message: "not today" } },
  { allowed: false, status: { reason: "BadRequest", code: 400 } },
  { allowed: false, status: { message: "gone", code: 410, reason: "Gone" } },
  { allowed: false, status: { status: "Success", message: "odd", code: 200 } },
  {
    allowed: false,
    status: {
      message: "causes",
      code: 422,
      reason: "Invalid",
      details: {
        name: "n",
        kind: "k",
        causes: [{ reason: "FieldValueInvalid", message: "m", field: "f" }],
      },
    },
  },
  { allowed: false, status: { message: "", reason: "Conflict", code: 409 }, warnings: ["w1"] },
];

/** An answer of a mutating webhook. */
function mutation(random: Random, subject: Subject): Json {
  if (random.chance(0.08)) return random.pick(FAILING);
  if (random.chance(0.04)) return { response: random.pick(DENIALS) };
  return {
    ...(random.chance(0.85)
      ? { patch: Array.from({ length: 1 + random.below(2) }, () => random.pick(subject.patches)) }
      : {}),
    ...(random.chance(0.2)
      ? { response: { warnings: random.pick([["careful"], ["one", "two"], ["one", "one"]]) } }
      : {}),
    ...(random.chance(0.1) ? { response: { auditAnnotations: { seen: "yes" } } } : {}),
  };
}

function rule(random: Random, subject: Subject): Json {
  const { plural, group, versions, subresources } = subject;
  return {
    operations: random.pick([
      ["*"],
      ["CREATE", "UPDATE"],
      ["CREATE"],
      ["UPDATE"],
      ["CREATE", "DELETE"],
    ]),
    apiGroups: [group],
    apiVersions: random.pick([["*"], versions, versions.slice(0, 1), versions.slice(-1)]),
    resources: random.pick([
      [plural],
      [plural],
      ["*"],
      ["*/*"],
      [plural, `${plural}/*`],
      ...subresources.map((name) => [plural, `${plural}/${name}`]),
      ...subresources.map((name) => [`*/${name}`]),
    ]),
    ...(random.chance(0.15) ? { scope: random.pick(["Namespaced", "Cluster", "*"]) } : {}),
  };
}

/** Longer than a webhook ever takes that does not wait. */
const TIMEOUT_SECONDS = 10;

function webhook(
  random: Random,
  subject: Subject,
  path: string,
  mutating: boolean,
  timeoutSeconds: number,
): Json {
  const label = random.pick<Json>([
    { matchLabels: { x: "1" } },
    { matchExpressions: [{ key: "skip", operator: "DoesNotExist" }] },
    { matchExpressions: [{ key: "x", operator: "In", values: ["1", "2"] }] },
    { matchExpressions: [{ key: "by", operator: "Exists" }] },
    {},
  ]);
  return {
    name: `${path}.example.com`,
    clientConfig: {
      url: random.chance(0.03) ? "https://127.0.0.1:1/none" : `\${webhookUrl}/${path}`,
      caBundle: "${caBundle}",
    },
    rules: Array.from({ length: random.chance(0.2) ? 2 : 1 }, () => rule(random, subject)),
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "${ns}" } },
    ...(random.chance(0.3) ? { objectSelector: label } : {}),
    sideEffects: random.pick(["None", "NoneOnDryRun"]),
    admissionReviewVersions: random.pick([["v1"], ["v1"], ["v2", "v1"]]),
    ...(random.chance(0.6) ? { failurePolicy: random.pick(["Fail", "Ignore"]) } : {}),
    ...(random.chance(0.4) ? { matchPolicy: random.pick(["Exact", "Equivalent"]) } : {}),
    timeoutSeconds,
    ...(random.chance(0.3)
      ? {
          matchConditions: random
            .some(CONDITIONS, 0.15)
            .map((expression, index) => ({ name: `c${index}`, expression })),
        }
      : {}),
    ...(mutating && random.chance(0.7)
      ? { reinvocationPolicy: random.pick(["IfNeeded", "IfNeeded", "Never"]) }
      : {}),
  };
}

const probe = (name: string): Json => ({
  name: "probe.example.com",
  clientConfig: { url: "${webhookUrl}/probe", caBundle: "${caBundle}" },
  rules: [
    {
      operations: ["CREATE"],
      apiGroups: ["coordination.k8s.io"],
      apiVersions: ["v1"],
      resources: ["leases"],
    },
  ],
  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "${ns}" } },
  objectSelector: { matchLabels: { probe: name } },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
});

/** Creates a configuration and waits until it is in effect. */
function install(kind: string, name: string, webhooks: readonly Json[]): Step[] {
  return [
    {
      request: `POST ${GROUP}/${kind}webhookconfigurations`,
      body: { metadata: { name: `${name}-\${id}` }, webhooks: [probe(name), ...webhooks] },
      only: "status",
    },
    {
      request: "POST /apis/coordination.k8s.io/v1/namespaces/${ns}/leases?dryRun=All",
      body: { metadata: { name: "probe", labels: { probe: name } } },
      until: { status: 418 },
      only: "status",
    },
  ];
}

/** A mutating policy with its binding, and enough time for it. */
function policy(random: Random, { plural, group, policyPatches }: Subject): Step[] {
  const head = { apiVersion: "admissionregistration.k8s.io/v1" };
  return [
    {
      request: `POST ${GROUP}/mutatingadmissionpolicies`,
      body: {
        ...head,
        kind: "MutatingAdmissionPolicy",
        metadata: { name: "p-${id}" },
        spec: {
          matchConstraints: {
            resourceRules: [
              {
                apiGroups: [group],
                apiVersions: ["*"],
                operations: ["CREATE", "UPDATE"],
                resources: [plural],
              },
            ],
            namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "${ns}" } },
          },
          reinvocationPolicy: random.pick(["Never", "IfNeeded"]),
          mutations: [
            {
              patchType: "ApplyConfiguration",
              applyConfiguration: { expression: random.pick(policyPatches) },
            },
          ],
        },
      },
      only: "status",
    },
    {
      request: `POST ${GROUP}/mutatingadmissionpolicybindings`,
      body: {
        ...head,
        kind: "MutatingAdmissionPolicyBinding",
        metadata: { name: "p-${id}" },
        spec: { policyName: "p-${id}" },
      },
      only: "status",
    },
    { wait: 2500 },
  ];
}

/** Some configurations, then writes of one kind, then what the webhooks were asked. */
export function webhookScenario(random: Random, id: string): Scenario {
  const subject = random.pick(SUBJECTS);
  const answers: Record<string, Json> = { ...READY };
  const paths: string[] = [];
  const add = (mutating: boolean, answer: Json): Json => {
    const path = `${mutating ? "m" : "v"}${paths.length}`;
    paths.push(path);
    answers[`/${path}`] = answer;
    const timeoutSeconds = "delay" in answer ? 1 : TIMEOUT_SECONDS;
    return webhook(random, subject, path, mutating, timeoutSeconds);
  };
  const many = (limit: number): undefined[] => Array.from({ length: 1 + random.below(limit) });
  const mutating = many(2).map((_, index) => ({
    name: `${random.pick(["a", "m", "z"])}${index}`,
    webhooks: many(2).map(() => add(true, mutation(random, subject))),
  }));
  const validating = random.some(["v"], 0.6).map((name) => ({
    name,
    webhooks: [
      add(
        false,
        random.chance(0.3)
          ? { response: random.pick(DENIALS) }
          : random.chance(0.3)
            ? random.pick(FAILING)
            : { response: { warnings: ["validated"] } },
      ),
      ...random.some([0], 0.4).map(() => add(false, {})),
    ],
  }));
  const withPolicy = subject.policyPatches.length > 0 && random.chance(0.25);
  const after = [
    ...mutating.map(({ name }) => `DELETE ${GROUP}/mutatingwebhookconfigurations/${name}-\${id}`),
    ...validating.map(
      ({ name }) => `DELETE ${GROUP}/validatingwebhookconfigurations/${name}-\${id}`,
    ),
    ...(withPolicy
      ? [
          `DELETE ${GROUP}/mutatingadmissionpolicybindings/p-\${id}`,
          `DELETE ${GROUP}/mutatingadmissionpolicies/p-\${id}`,
        ]
      : []),
    ...(subject.definition ? removeDefinition : []),
  ];
  return {
    id,
    title: `webhooks on ${subject.plural}`,
    group: "K",
    webhooks: answers,
    after,
    steps: [
      ...(subject.definition
        ? establish(widgetDefinition(subject.definition.versions, subject.definition.rest))
        : []),
      ...subjectRequests(random, subject, 2),
      ...mutating.flatMap(({ name, webhooks }) => install("mutating", name, webhooks)),
      ...validating.flatMap(({ name, webhooks }) => install("validating", name, webhooks)),
      ...(withPolicy ? policy(random, subject) : []),
      ...subjectRequests(random, subject, 9),
      ...paths.map((path) => ({
        received: `/${path}`,
        count: 4,
        ignore: ["/received/*/review/request/userInfo"],
      })),
    ],
  };
}
