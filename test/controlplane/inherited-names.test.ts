/**
 * Names that every JavaScript object inherits are names like all others: each request is answered as the same one with a
 * name that nothing inherits.
 */
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { StatusError } from "../../src/index.ts";
import { clientFor, startControlPlane } from "../../src/testing.ts";

const IN_DEFAULT = "/api/v1/namespaces/default";
const LABELLED = (name: string, word: string) => ({
  name,
  labels: { [word]: "x" },
  annotations: { [word]: "y" },
});

/** A CustomResourceDefinition whose kind, fields, list keys and rules have the name. */
function definition(word: string): object {
  const text = { type: "string" };
  const spec = {
    type: "object",
    required: [word],
    properties: {
      [word]: { ...text, format: word, maxLength: 20 },
      [`n${word}`]: { type: "integer" },
      defaulted: { type: "object", properties: { [word]: { ...text, default: "standard" } } },
      nullable: { type: "object", properties: { [word]: { ...text, nullable: true } } },
      list: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": [word],
        items: { type: "object", required: [word], properties: { [word]: text, value: text } },
      },
      map: { type: "object", additionalProperties: text },
      open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      fixed: {
        type: "object",
        properties: {
          [word]: { ...text, "x-kubernetes-validations": [{ rule: "oldSelf == self" }] },
        },
      },
    },
    "x-kubernetes-validations": [
      {
        rule: `!has(self.map) || !('${word}' in self.map) || self.map['${word}'] == self.${word}`,
        messageExpression: `'not ' + self.${word}`,
        fieldPath: `.${word}`,
      },
    ],
  };
  const status = { type: "object", properties: { [word]: { type: "integer" } } };
  const plural = `${word.toLowerCase()}s`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural, kind: word },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          additionalPrinterColumns: [{ name: word, type: "string", jsonPath: `.spec.${word}` }],
          selectableFields: [{ jsonPath: `.spec.${word}` }],
          subresources: {
            status: {},
            scale: { specReplicasPath: `.spec.n${word}`, statusReplicasPath: `.status.${word}` },
          },
          schema: { openAPIV3Schema: { type: "object", properties: { spec, status } } },
        },
      ],
    },
  };
}

type Request = readonly [method: "GET" | "POST" | "PATCH" | "PUT", path: string, body?: object];

/** Requests about objects of the kind of `definition`. */
function customRequests(word: string): Request[] {
  const path = `/apis/example.com/v1/namespaces/default/${word.toLowerCase()}s`;
  const object = (name: string, spec: object) => ({
    apiVersion: "example.com/v1",
    kind: word,
    metadata: { name },
    spec,
  });
  const whole = {
    [word]: "x",
    [`n${word}`]: 3,
    defaulted: { [word]: null },
    nullable: { [word]: null },
    open: { [word]: 1 },
    map: { [word]: "x" },
    fixed: {},
    list: [{ [word]: "1" }],
  };
  return [
    ["POST", path, object("empty", {})],
    ["POST", path, object("long", { [word]: "longer than twenty letters" })],
    ["POST", path, object("unequal", { [word]: "x", map: { [word]: "y" } })],
    ["POST", path, object("keyless", { [word]: "x", list: [{ value: "1" }] })],
    ["POST", path, object("twice", { [word]: "x", list: [{ [word]: "1" }, { [word]: "1" }] })],
    ["POST", path, object("bare", { [word]: "x", defaulted: {}, nullable: {}, open: {} })],
    ["POST", path, object("one", whole)],
    ["PATCH", `${path}/one`, { spec: { fixed: { [word]: "1" } } }],
    ["PATCH", `${path}/one`, { spec: { fixed: { [word]: "2" } } }],
    ["PATCH", `${path}/one/status`, { status: { [word]: 5 } }],
    ["GET", `${path}/one/scale`],
    ["GET", `${path}?fieldSelector=spec.${word}=x`],
    ["PATCH", `${path}/one?fieldManager=m&force=true`, object("one", whole)],
    ["PATCH", `${path}/one?fieldManager=m&force=true`, object("one", { [word]: "x" })],
    [
      "PUT",
      `${path}/one?fieldValidation=Strict`,
      object("one", { [word]: "x", open: {}, [`${word}s`]: 1 }),
    ],
  ];
}

/** Requests about built-in kinds, with the name wherever a user may write one. */
function builtInRequests(word: string): Request[] {
  const lower = word.toLowerCase();
  const selector = {
    matchLabels: { [word]: "x" },
    matchExpressions: [{ key: word, operator: word, values: [word] }],
  };
  const amounts = { [word]: "1", [`example.com/${word}`]: "1" };
  const container = { name: "one", image: "two" };
  const template = { metadata: { labels: { [word]: "x" } }, spec: { containers: [container] } };
  const target = { kind: word, name: lower };
  const of = (apiVersion: string, kind: string, rest: object) => ({
    apiVersion,
    kind,
    metadata: LABELLED("one", word),
    ...rest,
  });
  return [
    ["POST", `${IN_DEFAULT}/secrets`, of("v1", "Secret", { type: word, data: { [word]: "YQ==" } })],
    ["POST", `${IN_DEFAULT}/configmaps`, of("v1", "ConfigMap", { data: { [word]: "1" } })],
    ["GET", `${IN_DEFAULT}/configmaps?labelSelector=!${word}`],
    ["GET", `${IN_DEFAULT}/configmaps?labelSelector=${word}`],
    ["GET", `${IN_DEFAULT}/configmaps?fieldSelector=${word}=x`],
    [
      "POST",
      `${IN_DEFAULT}/resourcequotas`,
      of("v1", "ResourceQuota", { spec: { scopes: [word] } }),
    ],
    [
      "POST",
      `${IN_DEFAULT}/resourcequotas`,
      of("v1", "ResourceQuota", {
        spec: {
          hard: { ...amounts, [`count/${lower}`]: "2", [`requests.${word}`]: "1" },
          scopeSelector: { matchExpressions: [{ scopeName: word, operator: "Exists" }] },
        },
      }),
    ],
    [
      "POST",
      `${IN_DEFAULT}/limitranges`,
      of("v1", "LimitRange", {
        spec: {
          limits: [
            { type: word, max: amounts },
            { type: "Container", default: { [`example.com/${word}`]: "1" }, min: { [word]: "2" } },
          ],
        },
      }),
    ],
    [
      "POST",
      `${IN_DEFAULT}/pods`,
      of("v1", "Pod", {
        spec: {
          ...{ dnsPolicy: word, os: { name: word }, nodeSelector: { [word]: "x" } },
          securityContext: {
            sysctls: [{ name: word, value: "1" }],
            seccompProfile: { type: word },
          },
          tolerations: [{ key: word, effect: word, operator: word }],
          volumes: [{ name: lower, emptyDir: { medium: word } }],
          containers: [
            {
              ...container,
              ports: [{ containerPort: 1, protocol: word }],
              env: [{ name: word, valueFrom: { resourceFieldRef: { resource: word } } }],
              resources: { limits: amounts, requests: { [`example.com/${word}s`]: "1" } },
              securityContext: { capabilities: { add: [word] }, procMount: word },
            },
          ],
        },
      }),
    ],
    [
      "POST",
      `${IN_DEFAULT}/pods`,
      of("v1", "Pod", {
        spec: {
          serviceAccountName: "default",
          automountServiceAccountToken: false,
          nodeSelector: { [word]: "x" },
          topologySpreadConstraints: [
            {
              topologyKey: word,
              maxSkew: 1,
              whenUnsatisfiable: "DoNotSchedule",
              labelSelector: { matchLabels: { [word]: "x" } },
            },
          ],
          containers: [{ ...container, resources: { limits: { [`example.com/${word}`]: "1" } } }],
        },
      }),
    ],
    ["GET", `${IN_DEFAULT}/pods/one/${word}`],
    [
      "POST",
      `${IN_DEFAULT}/services`,
      of("v1", "Service", {
        spec: {
          type: word,
          trafficDistribution: word,
          ipFamilies: [word],
          ports: [{ port: 1, protocol: word }],
        },
      }),
    ],
    [
      "POST",
      "/apis/batch/v1/namespaces/default/cronjobs",
      of("batch/v1", "CronJob", {
        spec: {
          ...{ timeZone: word, concurrencyPolicy: word, schedule: `${word} * * * ${word}` },
          jobTemplate: { spec: { completionMode: word, template } },
        },
      }),
    ],
    [
      "POST",
      "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
      of("autoscaling/v2", "HorizontalPodAutoscaler", {
        spec: { maxReplicas: 2, scaleTargetRef: target, metrics: [{ type: word }] },
      }),
    ],
    [
      "POST",
      "/apis/apps/v1/namespaces/default/deployments",
      of("apps/v1", "Deployment", { spec: { strategy: { type: word }, selector, template } }),
    ],
    [
      "POST",
      "/apis/certificates.k8s.io/v1/certificatesigningrequests",
      of("certificates.k8s.io/v1", "CertificateSigningRequest", {
        spec: { request: "YQ==", signerName: `example.com/${lower}`, usages: [word] },
      }),
    ],
    [
      "POST",
      `${IN_DEFAULT}/serviceaccounts/default/token`,
      of("authentication.k8s.io/v1", "TokenRequest", {
        spec: { boundObjectRef: { kind: word, apiVersion: "v1", name: "one" } },
      }),
    ],
    [
      "POST",
      "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
      of("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", {
        spec: {
          matchConstraints: {
            resourceRules: [
              {
                operations: [word],
                apiGroups: [word],
                apiVersions: ["v1"],
                resources: [word],
                scope: word,
              },
            ],
          },
          variables: [{ name: word, expression: `object.${word}` }],
          validations: [{ expression: `variables.${word} == ${word}()`, reason: word }],
        },
      }),
    ],
    [
      "POST",
      "/apis/authorization.k8s.io/v1/subjectaccessreviews",
      of("authorization.k8s.io/v1", "SubjectAccessReview", {
        spec: {
          user: "system:node:one",
          groups: ["system:nodes"],
          resourceAttributes: { verb: "get", resource: word, group: word, name: "one" },
        },
      }),
    ],
    ["GET", `/apis/${lower}`],
    ["GET", `/openapi/v3/${word}`],
    ["GET", `/${word}`],
  ];
}

/** The answers to all requests about the name, with `NAME` in its place and without what differs from run to run. */
async function answers(word: string): Promise<string[]> {
  await using cluster = await startControlPlane({ listen: false });
  const client = clientFor(cluster);
  const ask = async ([method, target, body]: Request): Promise<string> => {
    const [path = "", search] = target.split("?");
    const query = Object.fromEntries(new URLSearchParams(search));
    const contentType =
      method !== "PATCH"
        ? "application/json"
        : query["fieldManager"]
          ? "application/apply-patch+yaml"
          : "application/merge-patch+json";
    const told = await client.raw({ method, path, query, ...(body && { body, contentType }) }).then(
      (answer) => `${answer.status} ${answer.text()}`,
      (error: unknown) => {
        if (!(error instanceof StatusError)) throw error;
        return `${error.code} ${error.message}`;
      },
    );
    return `${method} ${target} ${told}`
      .replaceAll(word, "NAME")
      .replaceAll(word.toLowerCase(), "NAME")
      .replaceAll(/"(uid|resourceVersion|creationTimestamp|time|ca\.crt)":"[^"]*"/g, "");
  };
  const told = [
    await ask([
      "POST",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      definition(word),
    ]),
  ];
  const served = `/apis/example.com/v1/namespaces/default/${word.toLowerCase()}s`;
  await eventually(() => client.raw({ path: served }));
  for (const request of [...customRequests(word), ...builtInRequests(word)])
    told.push(await ask(request));
  return told;
}

describe("a name that objects inherit", () => {
  it.each([
    ["constructor", "conztructor"],
    ["toString", "toZtring"],
    ["valueOf", "valueOg"],
    ["hasOwnProperty", "hasOwnPzoperty"],
  ])("%s is answered as any other", async (inherited, other) => {
    const expected = await answers(other);
    expect(expected.join("\n")).not.toMatch(/ 500 |native code/);
    expect(await answers(inherited)).toEqual(expected);
  });
});
