/** Aggregated ClusterRoles: roles with labels that come, change and go, and roles made of them. */
import type { Random } from "../../../../test/support/random.ts";
import type { Json, Scenario, Step } from "../scenario.ts";
import { restScenario, write } from "./at-rest.ts";

const ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const NAMES = ["a", "b", "c", "d", "e"].map((name) => `\${id}-${name}`);
const [FIRST = "", SECOND = "", ...PLAIN] = NAMES;
const MADE = [FIRST, SECOND];

/** ClusterRoles over several changes. */
export function roleScenario(random: Random, id: string): Scenario {
  const rule = (): Json => ({
    apiGroups: [random.pick(["", "apps", "example.com"])],
    resources: random.pick([["pods"], ["pods", "services"], ["deployments"], ["*"]]),
    verbs: random.pick([["get"], ["get", "list"], ["*"]]),
  });
  const rules = (): Json[] => Array.from({ length: random.below(3) }, rule);
  const labels = (): Json =>
    random.pick<Json>([
      {},
      { "example.com/to": "${id}" },
      { "example.com/to": "${id}", tier: "x" },
      { "example.com/two": "${id}" },
    ]);
  // The first is made of the second, too, and never the other way round: no real server rests in a circle.
  const aggregation = (name: string): Json => ({
    clusterRoleSelectors: random.pick<Json[]>([
      ...(name === FIRST
        ? [
            [{ matchLabels: { "example.com/two": "${id}" } }],
            [
              { matchLabels: { "example.com/two": "${id}" } },
              { matchLabels: { "example.com/to": "${id}" } },
            ],
          ]
        : []),
      [{ matchLabels: { "example.com/to": "${id}" } }],
      [{ matchExpressions: [{ key: "example.com/to", operator: "In", values: ["${id}", "y"] }] }],
      [
        {
          matchLabels: { "example.com/to": "${id}" },
          matchExpressions: [{ key: "tier", operator: "DoesNotExist" }],
        },
      ],
    ]),
  });
  const role = (name: string): Step =>
    write("POST", ROLES, {
      metadata: {
        name,
        labels: name === FIRST ? {} : name === SECOND ? { "example.com/two": "${id}" } : labels(),
      },
      ...(MADE.includes(name) ? { aggregationRule: aggregation(name) } : {}),
      ...(random.chance(0.8) ? { rules: rules() } : {}),
    });
  const read = (): Step[] => [
    { wait: 1500 },
    ...NAMES.map((name) => ({
      request: `GET ${ROLES}/${name}`,
      ignore: ["/body/metadata/resourceVersion"],
    })),
  ];
  const actions: readonly (() => Step)[] = [
    () => role(random.pick(NAMES)),
    () => write("DELETE", `${ROLES}/${random.pick(NAMES)}`),
    () => write("PATCH", `${ROLES}/${random.pick(NAMES)}`, { rules: rules() }),
    () => write("PATCH", `${ROLES}/${random.pick(PLAIN)}`, { metadata: { labels: labels() } }),
    () => write("PATCH", `${ROLES}/${FIRST}`, { aggregationRule: aggregation(FIRST) }),
    () => write("PATCH", `${ROLES}/${SECOND}`, { aggregationRule: aggregation(SECOND) }),
    () => write("PATCH", `${ROLES}/${random.pick(MADE)}`, { aggregationRule: null }),
  ];
  const steps: Step[] = [...NAMES.map(role), ...read()];
  for (let count = 0; count < 6; count++) steps.push(random.pick(actions)(), ...read());
  return restScenario(
    id,
    "ClusterRoles made of others",
    steps,
    NAMES.map((name) => `DELETE ${ROLES}/${name}`),
  );
}
