/**
 * Rights: roles and bindings at random, and what users, groups and service accounts may do with them; escalation,
 * impersonation, reviews and tokens.
 */
import type { Random } from "../../../test/support/random.ts";
import type { Json, Scenario, Step } from "./scenario.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const AUTHORIZATION = "/apis/authorization.k8s.io/v1";
const VERBS = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
  "bind",
  "escalate",
  "impersonate",
  "*",
];
const RESOURCES = [
  "configmaps",
  "secrets",
  "pods",
  "pods/log",
  "pods/*",
  "*",
  "deployments",
  "roles",
  "rolebindings",
  "clusterroles",
  "users",
  "groups",
  "serviceaccounts",
  "serviceaccounts/token",
  "userextras/scopes",
  "uids",
];
const GROUPS = ["", "apps", "*", "rbac.authorization.k8s.io", "authentication.k8s.io"];

function rule(random: Random, cluster: boolean): Json {
  if (cluster && random.chance(0.15))
    return {
      nonResourceURLs: random.some(["/healthz", "/metrics", "/version*", "*"], 0.6),
      verbs: random.some(["get", "post", "*"], 0.6),
    };
  return {
    apiGroups: random.some(GROUPS, 0.5),
    resources: random.some(RESOURCES, 0.25),
    verbs: random.some(VERBS, 0.35),
    ...(random.chance(0.25) ? { resourceNames: random.some(["a", "b", "u"], 0.6) } : {}),
  };
}

const rules = (random: Random, cluster: boolean): Json[] =>
  Array.from({ length: 1 + random.below(3) }, () => rule(random, cluster)).map((one) => ({
    ...one,
    verbs: (one["verbs"] as string[]).length > 0 ? one["verbs"] : ["get"],
    ...("resources" in one && (one["resources"] as string[]).length === 0
      ? { resources: ["configmaps"] }
      : {}),
    ...("apiGroups" in one && (one["apiGroups"] as string[]).length === 0
      ? { apiGroups: [""] }
      : {}),
    ...("nonResourceURLs" in one && (one["nonResourceURLs"] as string[]).length === 0
      ? { nonResourceURLs: ["/healthz"] }
      : {}),
  }));

/** Who asks: headers of an impersonation. */
function asker(random: Random): Json {
  const user = random.pick([
    "u-${id}",
    "u-${id}",
    "v-${id}",
    "system:serviceaccount:${ns}:sa",
    "system:anonymous",
  ]);
  return {
    "Impersonate-User": user,
    ...(random.chance(0.3)
      ? { "Impersonate-Group": random.pick(["g-${id}", "system:authenticated"]) }
      : {}),
    ...(random.chance(0.1) ? { "Impersonate-Extra-Scopes": "x" } : {}),
    ...(random.chance(0.1) ? { "Impersonate-Uid": "1" } : {}),
  };
}

const subjects = (random: Random): Json[] => {
  const some = random.some<Json>(
    [
      { kind: "User", name: "u-${id}", apiGroup: "rbac.authorization.k8s.io" },
      { kind: "Group", name: "g-${id}", apiGroup: "rbac.authorization.k8s.io" },
      { kind: "ServiceAccount", name: "sa", namespace: "${ns}" },
      {
        kind: "Group",
        name: "system:serviceaccounts:${ns}",
        apiGroup: "rbac.authorization.k8s.io",
      },
    ],
    0.5,
  );
  return some.length > 0
    ? some
    : [{ kind: "User", name: "u-${id}", apiGroup: "rbac.authorization.k8s.io" }];
};

function attributes(random: Random): Json {
  if (random.chance(0.2))
    return {
      nonResourceAttributes: {
        path: random.pick(["/healthz", "/version/x", "/metrics", "/api"]),
        verb: random.pick(["get", "post"]),
      },
    };
  return {
    resourceAttributes: {
      verb: random.pick(VERBS),
      group: random.pick(GROUPS),
      resource: random.pick([
        "configmaps",
        "secrets",
        "pods",
        "deployments",
        "roles",
        "users",
        "*",
      ]),
      ...(random.chance(0.8) ? { namespace: "${ns}" } : {}),
      ...(random.chance(0.4) ? { name: random.pick(["a", "b", "zz"]) } : {}),
      ...(random.chance(0.25) ? { subresource: random.pick(["log", "status", "token", "*"]) } : {}),
    },
  };
}

function question(random: Random): Step {
  const maps = "/api/v1/namespaces/${ns}/configmaps";
  const headers = asker(random);
  const role = (name: string): Json => ({ metadata: { name }, rules: rules(random, false) });
  const bind = (name: string): Json => ({
    metadata: { name },
    roleRef: {
      apiGroup: "rbac.authorization.k8s.io",
      kind: random.pick(["Role", "ClusterRole"]),
      name: random.pick(["r", "c-${id}", "view", "missing", "edit"]),
    },
    subjects: subjects(random),
  });
  const body = (kind: string, spec: Json): Json => ({
    apiVersion: "authorization.k8s.io/v1",
    kind,
    spec,
  });
  return random.pick<() => Step>([
    () => ({ request: `GET ${maps}/${random.pick(["a", "b"])}`, headers }),
    () => ({ request: `GET ${maps}`, headers, pick: ["/reason", "/message", "/kind"] }),
    () => ({
      request: `POST ${maps}`,
      headers,
      body: { metadata: { name: `n${random.below(5)}` } },
      pick: ["/reason", "/message", "/kind"],
    }),
    () => ({
      request: `DELETE ${maps}/a?dryRun=All`,
      headers,
      pick: ["/reason", "/message", "/kind"],
    }),
    () => ({
      request: `PATCH ${maps}/a?fieldManager=f`,
      headers: { ...headers, "Content-Type": "application/apply-patch+yaml" },
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { x: "y" } },
      pick: ["/reason", "/message", "/kind"],
    }),
    () => ({
      request: "GET /api/v1/namespaces/${ns}/pods/p/log",
      headers,
      pick: ["/reason", "/message"],
    }),
    () => ({
      request: `GET ${random.pick(["/healthz", "/metrics2", "/version/x", "/apis/none"])}`,
      headers,
      only: "status",
    }),
    () => ({
      request: `POST ${RBAC}/namespaces/\${ns}/roles?dryRun=All`,
      headers,
      body: role("new"),
      pick: ["/reason", "/message", "/details"],
    }),
    () => ({
      request: `PUT ${RBAC}/namespaces/\${ns}/roles/r?dryRun=All`,
      headers,
      body: role("r"),
      pick: ["/reason", "/message", "/details"],
    }),
    () => ({
      request: `POST ${RBAC}/clusterroles?dryRun=All`,
      headers,
      body: {
        ...role("new-${id}"),
        ...(random.chance(0.3)
          ? { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } }
          : {}),
      },
      pick: ["/reason", "/message", "/details"],
    }),
    () => ({
      request: `POST ${RBAC}/namespaces/\${ns}/rolebindings?dryRun=All`,
      headers,
      body: bind("newb"),
      pick: ["/reason", "/message", "/details"],
    }),
    () => ({
      request: `POST ${RBAC}/clusterrolebindings?dryRun=All`,
      headers,
      body: {
        ...bind("newb-${id}"),
        roleRef: {
          apiGroup: "rbac.authorization.k8s.io",
          kind: "ClusterRole",
          name: random.pick(["c-${id}", "cluster-admin", "view"]),
        },
      },
      pick: ["/reason", "/message", "/details"],
    }),
    () => ({
      request: `POST ${AUTHORIZATION}/selfsubjectaccessreviews`,
      headers,
      body: body("SelfSubjectAccessReview", attributes(random)),
    }),
    () => ({
      request: `POST ${AUTHORIZATION}/subjectaccessreviews`,
      body: body("SubjectAccessReview", {
        ...attributes(random),
        user: random.pick(["u-${id}", "v-${id}"]),
        groups: random.some(["g-${id}"]),
        ...(random.chance(0.1) ? { extra: { scopes: ["x"] } } : {}),
      }),
    }),
    () => ({
      request: `POST ${AUTHORIZATION}/namespaces/\${ns}/localsubjectaccessreviews`,
      body: {
        ...body("LocalSubjectAccessReview", { ...attributes(random), user: "u-${id}" }),
        metadata: { namespace: "${ns}" },
      },
    }),
    () => ({
      request: `POST ${AUTHORIZATION}/selfsubjectrulesreviews`,
      headers,
      body: body("SelfSubjectRulesReview", { namespace: "${ns}" }),
      unordered: ["/body/status/resourceRules", "/body/status/nonResourceRules"],
    }),
    () => ({
      request: "POST /apis/authentication.k8s.io/v1/selfsubjectreviews",
      headers,
      body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
    }),
    () => ({
      request: "POST /apis/authentication.k8s.io/v1/tokenreviews",
      body: {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenReview",
        spec: {
          token: random.pick(["${token}", "zz", "${token}x"]),
          ...(random.chance(0.4)
            ? {
                audiences: random.some(
                  ["https://kubernetes.default.svc.cluster.local", "aud"],
                  0.6,
                ),
              }
            : {}),
        },
      },
      ignore: ["/body/spec/token", "/body/status/user/extra", "/body/metadata"],
      mask: ["ey[A-Za-z0-9_.-]+"],
    }),
    () => ({
      request: `GET ${maps}/a`,
      headers: { Authorization: "Bearer ${token}", ...(random.chance(0.3) ? headers : {}) },
      identity: "none",
      pick: ["/reason", "/message", "/kind"],
    }),
    () => ({
      request: `GET ${maps}`,
      headers: { Authorization: random.pick(["Bearer zz", "Basic zz", "Bearer "]) },
      identity: "none",
      pick: ["/reason", "/message", "/kind"],
    }),
    () => ({
      request: "POST /api/v1/namespaces/${ns}/serviceaccounts/sa/token",
      headers,
      body: {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: {
          ...(random.chance(0.5)
            ? { expirationSeconds: random.pick([600, 60, 3600, 4294967297]) }
            : {}),
          ...(random.chance(0.4) ? { audiences: random.pick([["aud"], [], ["aud", "b"]]) } : {}),
          ...(random.chance(0.2)
            ? {
                boundObjectRef: {
                  kind: random.pick(["Pod", "Secret", "Odd"]),
                  apiVersion: "v1",
                  name: random.pick(["s", "zz"]),
                },
              }
            : {}),
        },
      },
      ignore: ["/body/status/token", "/body/metadata/managedFields"],
    }),
  ])();
}

/** A role and a cluster role with random rules, bound at random; then twenty questions. */
export function rightsScenario(random: Random, id: string): Scenario {
  const bind = (name: string, kind: string, role: string): Json => ({
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: role },
    subjects: subjects(random),
  });
  return {
    id,
    title: "who may do what",
    group: "L",
    after: [`DELETE ${RBAC}/clusterroles/c-\${id}`, `DELETE ${RBAC}/clusterrolebindings/cb-\${id}`],
    steps: [
      {
        request: "POST /api/v1/namespaces/${ns}/serviceaccounts",
        body: { metadata: { name: "sa" } },
        only: "status",
      },
      {
        request: "POST /api/v1/namespaces/${ns}/secrets",
        body: { metadata: { name: "s" } },
        only: "status",
      },
      ...["a", "b"].map((name) => ({
        request: "POST /api/v1/namespaces/${ns}/configmaps",
        body: { metadata: { name } },
        only: "status",
      })),
      {
        request: `POST ${RBAC}/namespaces/\${ns}/roles`,
        body: { metadata: { name: "r" }, rules: rules(random, false) },
        only: "status",
      },
      {
        request: `POST ${RBAC}/clusterroles`,
        body: { metadata: { name: "c-${id}" }, rules: rules(random, true) },
        only: "status",
      },
      {
        request: `POST ${RBAC}/namespaces/\${ns}/rolebindings`,
        body: bind("b", random.pick(["Role", "ClusterRole"]), "r"),
        only: "status",
      },
      {
        request: `POST ${RBAC}/namespaces/\${ns}/rolebindings`,
        body: bind("bc", "ClusterRole", random.pick(["c-${id}", "view"])),
        only: "status",
      },
      ...(random.chance(0.5)
        ? [
            {
              request: `POST ${RBAC}/clusterrolebindings`,
              body: bind("cb-${id}", "ClusterRole", "c-${id}"),
              only: "status",
            },
          ]
        : []),
      {
        request: "POST /api/v1/namespaces/${ns}/serviceaccounts/sa/token",
        body: {},
        capture: { token: "/status/token" },
        only: "status",
      },
      { wait: 1500 },
      ...Array.from({ length: 20 }, () => question(random)),
    ],
  };
}
