/**
 * Jobs and CronJobs: pods that end well or badly, policies for both, suspension, limits that change on the way.
 */
import type { Random } from "../../../../test/support/random.ts";
import type { Json, Scenario, Step } from "../scenario.ts";
import { atRest, eventsStep, PATHS, podReports, readOne, restScenario, write } from "./at-rest.ts";

/** A Job's controller gathers changes of pods for a second. */
const REST_MS = 3200;
const LISTS = [PATHS.jobs, PATHS.pods];
const JOB = `${PATHS.jobs}/j`;

const podSpec = (random: Random): Json => ({
  restartPolicy: random.chance(0.8) ? "Never" : "OnFailure",
  terminationGracePeriodSeconds: 0,
  automountServiceAccountToken: false,
  containers: [{ name: "c", image: "x:1" }],
});

function failurePolicy(random: Random, perIndex: boolean): Json {
  const actions = ["FailJob", "Ignore", "Count", ...(perIndex ? ["FailIndex"] : [])];
  return {
    rules: Array.from({ length: 1 + random.below(2) }, () =>
      random.chance(0.7)
        ? {
            action: random.pick(actions),
            onExitCodes: {
              ...(random.chance(0.3) ? { containerName: "c" } : {}),
              operator: random.pick(["In", "NotIn"]),
              values: random.pick([[1], [3], [1, 3], [42]]),
            },
          }
        : {
            action: random.pick(actions),
            onPodConditions: [
              { type: random.pick(["Ready", "DisruptionTarget"]), status: "False" },
            ],
          },
    ),
  };
}

function successPolicy(random: Random): Json {
  return {
    rules: Array.from({ length: 1 + random.below(2) }, () =>
      random.pick<Json>([
        { succeededCount: 1 },
        { succeededCount: 2 },
        { succeededIndexes: "0" },
        { succeededIndexes: "1-2" },
        { succeededIndexes: "0-2", succeededCount: 2 },
      ]),
    ),
  };
}

function jobSpec(random: Random): Json {
  const indexed = random.chance(0.45);
  const perIndex = indexed && random.chance(0.4);
  const spec: Json = {
    template: { metadata: { labels: { app: "a" } }, spec: podSpec(random) },
    parallelism: random.below(4),
    ...(indexed || random.chance(0.7) ? { completions: 1 + random.below(4) } : {}),
    ...(indexed ? { completionMode: "Indexed" } : {}),
    ...(random.chance(0.5) ? { backoffLimit: random.below(4) } : {}),
    ...(random.chance(0.15) ? { suspend: true } : {}),
    ...(random.chance(0.1) ? { ttlSecondsAfterFinished: random.pick([0, 3600]) } : {}),
    ...(random.chance(0.1) ? { activeDeadlineSeconds: random.pick([3600, 14]) } : {}),
    ...(random.chance(0.15)
      ? { podReplacementPolicy: random.pick(["Failed", "TerminatingOrFailed"]) }
      : {}),
    ...(perIndex ? { backoffLimitPerIndex: random.below(2) } : {}),
    ...(perIndex && random.chance(0.5) ? { maxFailedIndexes: random.below(3) } : {}),
    ...(indexed && random.chance(0.3) ? { successPolicy: successPolicy(random) } : {}),
  };
  if (random.chance(0.3)) {
    spec["podFailurePolicy"] = failurePolicy(random, perIndex);
    ((spec["template"] as Json)["spec"] as Json)["restartPolicy"] = "Never";
    delete spec["podReplacementPolicy"];
  }
  if (perIndex) ((spec["template"] as Json)["spec"] as Json)["restartPolicy"] = "Never";
  return spec;
}

const end = (random: Random, from: "Pending" | "Running"): Step[] => {
  const failed = random.chance(0.45);
  return podReports(
    "app=a",
    from,
    failed ? "Failed" : "Succeeded",
    failed ? random.pick([1, 1, 3, 42]) : 0,
  );
};

const ACTIONS: readonly ((random: Random) => Step[])[] = [
  (random) => end(random, "Pending"),
  (random) => end(random, "Pending"),
  (random) => end(random, "Pending"),
  (random) => [...end(random, "Pending"), { wait: REST_MS }, ...end(random, "Pending")],
  (random) => [...podReports("app=a", "Pending", random.chance(0.7) ? "Ready" : "Unready")],
  (random) => end(random, "Running"),
  (random) => [write("PATCH", JOB, { spec: { suspend: random.chance(0.5) } })],
  (random) => [write("PATCH", JOB, { spec: { parallelism: random.below(5) } })],
  (random) => [write("PATCH", JOB, { spec: { completions: 1 + random.below(4) } })],
  (random) => [
    write("PATCH", JOB, {
      spec: random.pick<Json>([
        { backoffLimit: 0 },
        { ttlSecondsAfterFinished: 0 },
        { activeDeadlineSeconds: 1 },
        { completions: 2, parallelism: 2 },
        { maxFailedIndexes: 0 },
      ]),
    }),
  ],
  (random) => [
    {
      request: `GET ${PATHS.pods}?labelSelector=app=a`,
      capture: {
        one: `/items/[status.phase=${random.pick(["Running", "Pending"])}]/metadata/name`,
      },
      only: "status",
    },
    { request: `DELETE ${PATHS.pods}/\${one}`, only: "status" },
  ],
];

/** A Job over several changes. */
export function jobScenario(random: Random, id: string): Scenario {
  const steps: Step[] = [
    write("POST", PATHS.jobs, { metadata: { name: "j" }, spec: jobSpec(random) }),
    ...atRest(LISTS, REST_MS),
  ];
  for (let count = 0; count < 5; count++) {
    steps.push(...random.pick(ACTIONS)(random), ...atRest(LISTS, REST_MS));
  }
  if (random.chance(0.25)) {
    const propagationPolicy = random.pick(["Orphan", "Background", "Foreground"]);
    steps.push(write("DELETE", JOB, { propagationPolicy }), ...atRest(LISTS, REST_MS));
  } else steps.push({ ...readOne(JOB), unordered: ["/body/status/conditions"] });
  steps.push(eventsStep());
  return restScenario(id, "a Job over several changes", steps);
}

/** A CronJob that has missed runs, with Jobs that end. */
export function cronJobScenario(random: Random, id: string): Scenario {
  const cron = `${PATHS.cronJobs}/c`;
  const lists = [PATHS.cronJobs, PATHS.jobs, PATHS.pods];
  const past = (): Json => ({ status: { lastScheduleTime: "2024-01-01T00:00:00Z" } });
  const hidden = { mask: ["-\\d{8}\\b"] };
  const rest = (): Step[] =>
    atRest(lists, REST_MS).map((step) =>
      step["mask"] === undefined
        ? step
        : { ...step, mask: [...(step["mask"] as string[]), ...hidden.mask] },
    );
  const steps: Step[] = [
    write("POST", PATHS.cronJobs, {
      metadata: { name: "c" },
      spec: {
        // Once a year, so that only what was missed is started.
        schedule: random.pick(["0 0 1 1 *", "@yearly", "0 12 29 2 *", "0 0 31 4 *"]),
        ...(random.chance(0.2) ? { timeZone: random.pick(["Europe/Berlin", "Etc/UTC"]) } : {}),
        ...(random.chance(0.6)
          ? { concurrencyPolicy: random.pick(["Allow", "Forbid", "Replace"]) }
          : {}),
        ...(random.chance(0.2)
          ? { startingDeadlineSeconds: random.pick([5, 100, 100_000_000]) }
          : {}),
        ...(random.chance(0.3) ? { successfulJobsHistoryLimit: random.below(2) } : {}),
        ...(random.chance(0.3) ? { failedJobsHistoryLimit: random.below(2) } : {}),
        ...(random.chance(0.2) ? { suspend: true } : {}),
        jobTemplate: {
          ...(random.chance(0.4)
            ? { metadata: { labels: { job: "l" }, annotations: { "example.com/a": "b" } } }
            : {}),
          spec: {
            template: { metadata: { labels: { app: "a" } }, spec: podSpec(random) },
            ...(random.chance(0.5) ? { backoffLimit: 0 } : {}),
          },
        },
      },
    }),
    ...rest(),
  ];
  const actions: readonly (() => Step[])[] = [
    () => [write("PATCH", `${cron}/status`, past())],
    () => [write("PATCH", `${cron}/status`, past())],
    () => end(random, "Pending"),
    () => end(random, "Pending"),
    () => [write("PATCH", cron, { spec: { suspend: random.chance(0.3) } })],
    () => [
      write("PATCH", cron, {
        spec: { concurrencyPolicy: random.pick(["Allow", "Forbid", "Replace"]) },
      }),
    ],
    () => [
      write("PATCH", cron, { spec: { successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 } }),
    ],
    () => [
      write("POST", PATHS.jobs, {
        metadata: { name: "hand", annotations: { "cronjob.kubernetes.io/instantiate": "manual" } },
        spec: { template: { metadata: { labels: { app: "a" } }, spec: podSpec(random) } },
      }),
    ],
    () => [
      {
        request: `GET ${PATHS.jobs}`,
        capture: { made: "/items/0/metadata/name" },
        only: "status",
      },
      write("DELETE", `${PATHS.jobs}/\${made}`, { propagationPolicy: "Background" }),
    ],
  ];
  for (let count = 0; count < 4; count++) steps.push(...random.pick(actions)(), ...rest());
  if (random.chance(0.3)) {
    const propagationPolicy = random.pick(["Orphan", "Background", "Foreground"]);
    steps.push(write("DELETE", cron, { propagationPolicy }), ...rest());
  }
  const events = eventsStep();
  steps.push({ ...events, mask: [...(events["mask"] as string[]), ...hidden.mask] });
  return restScenario(id, "a CronJob over several changes", steps);
}
