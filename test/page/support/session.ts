/** What a page is told in tests: a small shop in which something goes wrong, and a cluster of many objects. */
import type {
  PageEvent,
  PageMessage,
  PageObject,
  PageQueue,
  PageReconcile,
  PageRight,
  PageStatus,
} from "../../../src/cli/page/protocol.ts";

const BEGAN_MS = Date.UTC(2026, 2, 14, 15, 9, 26, 535);
const INSTANCE = "first-start";

interface ObjectDraft {
  readonly resource: string;
  readonly kind: string;
  readonly name: string;
  readonly parent?: string;
  readonly status?: PageStatus;
  readonly message?: string;
}

function object({ status = "Current", message, ...rest }: ObjectDraft): PageObject {
  const said = message ?? (status === "Current" ? "Resource is current" : "");
  return {
    uid: uidOf(rest),
    namespace: "shop",
    createdMs: BEGAN_MS,
    status,
    message: said,
    ...rest,
  };
}

const uidOf = ({ kind, name }: Pick<ObjectDraft, "kind" | "name">): string => `${kind}-${name}`;

/** What one MyWeb owns. */
function web(name: string, pods: number, failing = 0): PageObject[] {
  const owner = `MyWeb-${name}`;
  const set = `${name}-7d4b9c`;
  const ready = pods - failing;
  const late: Partial<PageObject> =
    failing > 0 ? { status: "InProgress", message: `Available: ${ready}/${pods}` } : {};
  return [
    object({ resource: "mywebs.example.com", kind: "MyWeb", name, ...late }),
    object({ resource: "configmaps", kind: "ConfigMap", name: `${name}-page`, parent: owner }),
    object({ resource: "services", kind: "Service", name, parent: owner }),
    object({ resource: "deployments.apps", kind: "Deployment", name, parent: owner, ...late }),
    object({
      resource: "replicasets.apps",
      kind: "ReplicaSet",
      name: set,
      parent: `Deployment-${name}`,
      ...late,
    }),
    ...Array.from({ length: pods }, (_, index) =>
      object({
        resource: "pods",
        kind: "Pod",
        name: `${set}-${(index * 7919 + 12_345).toString(36)}`,
        parent: `ReplicaSet-${set}`,
        ...(index < failing && {
          status: "Failed",
          message: "Containers in CrashLoop state: server",
        }),
      }),
    ),
  ];
}

const REF = { kind: "MyWeb", resource: "mywebs.example.com", namespace: "shop" };
const DEPLOYMENT = { kind: "Deployment", resource: "deployments.apps", namespace: "shop" };

function entry(number: number, change: Partial<PageReconcile>): PageReconcile {
  return {
    number,
    id: `162957-${number}`,
    instance: INSTANCE,
    controller: "myweb",
    kind: REF.kind,
    resource: REF.resource,
    namespace: "shop",
    name: "catalog",
    atMs: BEGAN_MS + number * 830,
    durationMs: 12.4 + ((number * 37) % 90),
    causes: [],
    failures: 0,
    queueDepth: 0,
    reads: [{ from: "cache", object: { ...REF, name: "catalog" }, found: 1, times: 1 }],
    writes: [],
    outcome: "success",
    ...change,
  };
}

/** Text that would do harm where it is not shown as text. */
export const HOSTILE = `<img src=x onerror="window.harmed=1"><script>window.harmed=2</script>`;

const PLACE = "/home/ada/shop/src/controllers/myweb-controller.ts:41:9";

function reconciles(strange: string): PageReconcile[] {
  const quiet = Array.from({ length: 24 }, (_, index) =>
    entry(10 + index, {
      name: index % 2 === 0 ? "catalog" : "checkout",
      causes: [{ type: "event", text: `update of Pod shop/catalog-7d4b9c-${index}` }],
    }),
  );
  return [
    entry(1, {
      durationMs: 558.1,
      causes: [
        {
          type: "event",
          text: "create of MyWeb shop/catalog",
          object: { ...REF, name: "catalog", resourceVersion: "206" },
        },
      ],
      writes: [
        {
          verb: "apply",
          object: { ...DEPLOYMENT, name: "catalog", resourceVersion: "208" },
          afterMs: 20.3,
          durationMs: 14,
          changes: [
            { path: "spec.replicas", after: 3 },
            { path: "spec.template.spec.containers[name=server].image", after: "shop/web:1.4" },
          ],
        },
        {
          verb: "apply",
          object: { kind: "Service", resource: "services", namespace: "shop", name: "catalog" },
          afterMs: 36,
          durationMs: 9,
          changes: [{ path: "spec.ports", after: [{ port: 80 }] }],
        },
      ],
    }),
    ...quiet,
    entry(40, {
      durationMs: 40.8,
      causes: [
        {
          type: "event",
          text: "update of MyWeb shop/catalog",
          object: { ...REF, name: "catalog", resourceVersion: "241" },
          changes: [{ path: "spec.image", before: "shop/web:1.4", after: "shop/web:1.5-rc1" }],
        },
      ],
      writes: [
        {
          verb: "apply",
          object: { ...DEPLOYMENT, name: "catalog", resourceVersion: "242" },
          afterMs: 3.1,
          durationMs: 11,
          changes: [
            {
              path: "spec.template.spec.containers[name=server].image",
              before: "shop/web:1.4",
              after: "shop/web:1.5-rc1",
            },
          ],
        },
        {
          verb: "patch",
          object: { ...REF, name: "catalog", resourceVersion: "243" },
          subresource: "status",
          afterMs: 21,
          durationMs: 6,
          changes: [
            { path: "status.readyReplicas", before: 3, after: 2 },
            { path: "status.conditions[type=Ready].status", before: "True", after: "False" },
          ],
        },
      ],
    }),
    entry(41, {
      causes: [
        {
          type: "event",
          text: "update of Deployment shop/catalog",
          object: { ...DEPLOYMENT, name: "catalog", resourceVersion: "242" },
          writtenBy: "162957-40",
          changes: [{ path: "status.unavailableReplicas", before: 0, after: 1 }],
        },
      ],
      writes: [
        {
          verb: "patch",
          object: { ...REF, name: "catalog", resourceVersion: "251" },
          subresource: "status",
          afterMs: 2.2,
          durationMs: 5,
          changes: [{ path: "status.observedGeneration", before: 1, after: 2 }],
        },
      ],
      requeueAfterMs: 30_000,
      outcome: "requeue_after",
    }),
    entry(42, {
      name: "checkout",
      failures: 2,
      causes: [{ type: "retry", text: "retry after 1.6 s" }],
      outcome: "error",
      error: {
        message: `The page of shop/checkout cannot be fetched: ${strange}`,
        code: "page-away",
        place: PLACE,
        stack: `TsopError: The page of shop/checkout cannot be fetched\n    at WebReconciler.reconcile (${PLACE})\n    at async Controller.work`,
      },
    }),
  ];
}

const eventsWith = (strange: string): readonly PageEvent[] => [
  {
    uid: "event-1",
    type: "Normal",
    reason: "ScalingReplicaSet",
    message: "Scaled up replica set catalog-7d4b9c from 0 to 3",
    count: 1,
    lastMs: BEGAN_MS + 2000,
    source: "deployment-controller",
    kind: "Deployment",
    namespace: "shop",
    name: "catalog",
  },
  {
    uid: "event-2",
    type: "Warning",
    reason: "BackOff",
    message: `Back-off restarting failed container server ${strange}`,
    count: 7,
    lastMs: BEGAN_MS + 31_000,
    source: "kubelet",
    kind: "MyWeb",
    namespace: "shop",
    name: "catalog",
  },
];

const QUEUES: readonly PageQueue[] = [
  {
    instance: INSTANCE,
    controller: "myweb",
    inHand: ["shop/checkout"],
    depth: 2,
    waiting: [
      { key: "shop/catalog", atMs: BEGAN_MS + 62_000 },
      { key: "shop/search", atMs: BEGAN_MS + 340_000 },
    ],
  },
];

const RIGHTS: readonly PageRight[] = [
  ...["get", "list", "watch", "patch"].map((verb, index) => ({
    verb,
    resource: "deployments.apps",
    granted: "everywhere",
    used: index === 0 ? 0 : 4 * index,
    refused: 0,
  })),
  { verb: "delete", resource: "deployments.apps", granted: "everywhere", used: 0, refused: 0 },
  { verb: "list", resource: "mywebs.example.com", granted: "everywhere", used: 1, refused: 0 },
  { verb: "watch", resource: "mywebs.example.com", granted: "everywhere", used: 1, refused: 0 },
  {
    verb: "patch",
    resource: "mywebs.example.com",
    subresource: "status",
    granted: "everywhere",
    used: 17,
    refused: 0,
  },
  {
    verb: "create",
    resource: "selfsubjectaccessreviews.authorization.k8s.io",
    used: 9,
    refused: 0,
  },
  { verb: "list", resource: "secrets", used: 3, refused: 3 },
];

const HEAD: readonly PageMessage[] = [
  {
    type: "title",
    title: {
      name: "shop",
      place: "tsop dev",
      root: "/home/ada/shop",
      hasObjects: true,
      kinds: ["MyWeb"],
    },
  },
  { type: "operator", operator: { state: "running" } },
];

/**
 * A shop of three pages, one of which does not start, and one of which cannot be fetched.
 *
 * @param strange - what a Secret is called, an event says, and an error says
 */
export function shop(strange = HOSTILE): PageMessage[] {
  const objects = [
    ...web("catalog", 3, 1),
    ...web("checkout", 2),
    ...web("search", 40),
    object({ resource: "secrets", kind: "Secret", name: strange, parent: "MyWeb-search" }),
  ];
  return [
    ...HEAD,
    { type: "objects", all: true, changed: objects, gone: [] },
    { type: "events", all: true, events: eventsWith(strange) },
    { type: "reconciles", all: true, entries: reconciles(strange) },
    { type: "queues", nowMs: BEGAN_MS + 36_000, queues: QUEUES },
    { type: "rights", rights: RIGHTS },
  ];
}

/** That many objects, ten for each page, and a thousand reconciles. */
export function crowd(count: number): PageMessage[] {
  const objects = Array.from({ length: Math.ceil(count / 10) }, (_, index) =>
    web(`page-${String(index).padStart(4, "0")}`, 5, index % 9 === 0 ? 1 : 0),
  );
  const entries = Array.from({ length: 1000 }, (_, index) => {
    const [, last] = reconciles("").filter(({ writes }) => writes.length > 0);
    return entry(index + 1, { ...last, name: `page-${String(index % 500).padStart(4, "0")}` });
  });
  return [
    ...HEAD,
    { type: "objects", all: true, changed: objects.flat().slice(0, count), gone: [] },
    { type: "reconciles", all: true, entries },
  ];
}

/** A session of which nothing is known yet. */
export function beginning(): PageMessage[] {
  return [...HEAD, { type: "objects", all: true, changed: [], gone: [] }];
}
