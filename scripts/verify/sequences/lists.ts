/** Lists, watches and deletions: parameters in all combinations over a few objects. */
import type { Random } from "../../../test/support/random.ts";
import {
  establish,
  removeDefinition,
  widgetDefinition,
  type Json,
  type Scenario,
  type Step,
} from "./scenario.ts";

interface Resource {
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly body: (random: Random) => Json;
  readonly fields: readonly string[];
}

const WIDGETS: Resource = {
  path: "/apis/${group}/v1/namespaces/${ns}/widgets",
  apiVersion: "${group}/v1",
  kind: "Widget",
  body: (random) => ({ spec: { a: random.pick(["x", "y"]), n: random.below(3) } }),
  fields: [
    "metadata.name=b",
    "spec.a=x",
    "spec.n!=1",
    "metadata.namespace=${ns}",
    "spec.zz=1",
    "spec.a=x,spec.n=2",
    "status.x=1",
  ],
};
const CONFIG_MAPS: Resource = {
  path: "/api/v1/namespaces/${ns}/configmaps",
  apiVersion: "v1",
  kind: "ConfigMap",
  body: (random) => ({ data: { a: random.pick(["x", "y"]) } }),
  fields: [
    "metadata.name=b",
    "metadata.name!=a",
    "metadata.namespace=${ns}",
    "metadata.namespace!=${ns}",
    "data.a=x",
    "metadata.name=a,metadata.name=b",
    "metadata.name",
    "=",
    "",
  ],
};
const SECRETS: Resource = {
  path: "/api/v1/namespaces/${ns}/secrets",
  apiVersion: "v1",
  kind: "Secret",
  body: (random) => ({ type: random.pick(["Opaque", "example.com/t"]), stringData: { a: "x" } }),
  fields: ["type=Opaque", "type!=Opaque", "metadata.name=c", "type=Opaque,metadata.name=a"],
};
const SERVICES: Resource = {
  path: "/api/v1/namespaces/${ns}/services",
  apiVersion: "v1",
  kind: "Service",
  body: (random) => ({
    spec: {
      clusterIP: "None",
      ports: [{ port: 80 }],
      ...(random.chance(0.5) ? { selector: { a: "b" } } : {}),
    },
  }),
  fields: ["spec.clusterIP=None", "spec.type=ClusterIP", "spec.type=NodePort", "metadata.name=a"],
};
const JOBS: Resource = {
  path: "/apis/batch/v1/namespaces/${ns}/jobs",
  apiVersion: "batch/v1",
  kind: "Job",
  body: () => ({
    spec: {
      suspend: true,
      template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } },
    },
  }),
  fields: ["status.successful=0", "metadata.name=a"],
};
const EVENTS: Resource = {
  path: "/api/v1/namespaces/${ns}/events",
  apiVersion: "v1",
  kind: "Event",
  body: (random) => ({
    involvedObject: { kind: "Pod", name: random.pick(["p", "q"]), namespace: "${ns}" },
    reason: random.pick(["R", "S"]),
    type: random.pick(["Normal", "Warning"]),
    source: { component: "c" },
  }),
  fields: [
    "type=Warning",
    "involvedObject.name=p",
    "reason=R,type=Normal",
    "source=c",
    "reportingComponent=c",
  ],
};
const RESOURCES = [WIDGETS, CONFIG_MAPS, SECRETS, SERVICES, JOBS, EVENTS];

const LABELS = [
  "x=1",
  "x!=1",
  "x",
  "!x",
  "x in (1,2)",
  "x notin (1)",
  "x=1,y=2",
  "x in (1),!y",
  "y>1",
  "x==1",
  "x=",
  "x in ()",
  "in",
  "a b",
  "x=1,,y",
  "-x=1",
  "x=a b",
  "y<5",
  "y>a",
];

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
const PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
const accept = (value: string | undefined): Json =>
  value === undefined ? {} : { headers: { Accept: value } };
const ages = { mask: ["^\\d+[smhdy](\\d+[smh])?$"] };

function query(random: Random, resource: Resource, watch: boolean): string {
  const parts: string[] = [];
  const add = (share: number, name: string, values: readonly string[]): void => {
    if (random.chance(share))
      parts.push(
        `${name}=${encodeURIComponent(random.pick(values)).replaceAll("%24%7B", "${").replaceAll("%7D", "}")}`,
      );
  };
  add(0.3, "labelSelector", LABELS);
  add(0.3, "fieldSelector", resource.fields);
  add(watch ? 0.05 : 0.35, "limit", ["1", "2", "3", "500", "0", "-1", "a"]);
  add(
    0.4,
    "resourceVersion",
    ["0", "${rv0}", "${rv1}", "1", "", "abc", "99999999999"].slice(0, watch ? 2 : 6),
  );
  add(watch ? 0.2 : 0.3, "resourceVersionMatch", ["NotOlderThan", "Exact", "Odd"]);
  add(0.04, "continue", ["abc"]);
  if (watch) {
    add(0.4, "sendInitialEvents", ["true", "false"]);
    add(0.5, "allowWatchBookmarks", ["true", "false"]);
  } else {
    add(0.06, "sendInitialEvents", ["true", "false"]);
    add(0.06, "allowWatchBookmarks", ["true"]);
  }
  add(0.05, "pretty", ["true"]);
  add(0.05, "timeoutSeconds", ["30", "a"].slice(0, watch ? 1 : 2));
  add(0.04, "includeObject", ["Object", "None", "Metadata", "Odd"]);
  return parts.join("&");
}

const object = (random: Random, resource: Resource, name: string): Json => ({
  apiVersion: resource.apiVersion,
  kind: resource.kind,
  metadata: {
    name,
    labels: Object.fromEntries(
      Object.entries({
        x: random.pick(["1", "2"]),
        y: random.pick(["1", "2", "9", "a"]),
      }).filter(() => random.chance(0.6)),
    ),
    ...(random.chance(0.15) ? { finalizers: ["example.com/f"] } : {}),
  },
  ...resource.body(random),
});

function deletion(random: Random, resource: Resource, one: string): Step[] {
  const many = random.chance(0.35);
  const options = random.chance(0.6)
    ? {
        kind: "DeleteOptions",
        apiVersion: "v1",
        ...(random.chance(0.4)
          ? { propagationPolicy: random.pick(["Orphan", "Background", "Foreground", "Odd"]) }
          : {}),
        ...(random.chance(0.25) ? { gracePeriodSeconds: random.pick([0, 1, -1, 30]) } : {}),
        ...(random.chance(0.2) ? { dryRun: [random.pick(["All", "Some"])] } : {}),
        ...(random.chance(0.15) ? { orphanDependents: random.chance(0.5) } : {}),
        ...(random.chance(0.2)
          ? {
              preconditions: random.pick<Json>([
                { uid: "${uid}" },
                { uid: "11111111-1111-1111-1111-111111111111" },
                { resourceVersion: "${rv0}" },
                { resourceVersion: "1" },
                {},
              ]),
            }
          : {}),
      }
    : undefined;
  const search = [
    ...(random.chance(0.1) ? ["dryRun=All"] : []),
    ...(random.chance(0.15)
      ? [`propagationPolicy=${random.pick(["Background", "Foreground", "Orphan", "odd"])}`]
      : []),
    ...(random.chance(0.1) ? [`gracePeriodSeconds=${random.pick(["0", "x", "5"])}`] : []),
    ...(many ? [query(random, resource, false)] : []),
  ].filter(Boolean);
  return [
    { request: `GET ${one}`, capture: { uid: "/metadata/uid" }, only: "status" },
    {
      request: `DELETE ${many ? resource.path : one}${search.length > 0 ? `?${search.join("&")}` : ""}`,
      ...(options ? { body: options } : {}),
      ...accept(random.chance(0.1) ? random.pick([TABLE, PARTIAL]) : undefined),
      unordered: ["/body/items"],
      ...ages,
    },
  ];
}

/** Lists and watches of six kinds of objects, then deletions of all sorts. */
export function listScenario(random: Random, id: string): Scenario {
  const resource = random.pick(RESOURCES);
  const custom = resource === WIDGETS;
  const definition = widgetDefinition([
    {
      name: "v1",
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            spec: { type: "object", properties: { a: { type: "string" }, n: { type: "integer" } } },
          },
        },
      },
      selectableFields: [{ jsonPath: ".spec.a" }, { jsonPath: ".spec.n" }],
      additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: ".spec.a" }],
    },
  ]);
  const names = ["a", "b", "c", "d"];
  const views = (): Json =>
    accept(
      random.chance(0.25)
        ? random.pick([TABLE, PARTIAL_LIST, PARTIAL, `${TABLE},application/json`])
        : undefined,
    );
  const watches = Array.from({ length: 3 }, (_, index) => {
    const search = query(random, resource, true);
    return {
      watch: `w${index}`,
      request: `GET ${resource.path}?watch=${random.pick(["true", "1"])}${search ? `&${search}` : ""}`,
      ...accept(random.chance(0.2) ? random.pick([TABLE, PARTIAL]) : undefined),
    };
  });
  const changes = Array.from({ length: 3 }, (): Step => {
    const name = random.pick(names);
    return {
      request: `PATCH ${resource.path}/${name}`,
      body: {
        metadata: {
          labels: { x: random.pick(["1", "2", null]), y: random.pick(["2", "9", null]) },
        },
      },
      only: "status",
    };
  });
  return {
    id,
    title: `lists, watches and deletions of ${resource.kind}s`,
    group: "H",
    after: custom ? removeDefinition : [],
    steps: [
      ...(custom ? establish(definition) : []),
      {
        request: `POST ${resource.path}`,
        body: object(random, resource, "a"),
        capture: { rv0: "/metadata/resourceVersion" },
        only: "status",
      },
      ...names.slice(1).map((name) => ({
        request: `POST ${resource.path}`,
        body: object(random, resource, name),
        only: "status",
      })),
      {
        request: `PATCH ${resource.path}/c`,
        body: { metadata: { labels: { x: "1" } } },
        capture: { rv1: "/metadata/resourceVersion" },
        only: "status",
      },
      ...Array.from({ length: 8 }, (): Step => {
        const search = query(random, resource, false);
        return {
          request: `GET ${resource.path}${search ? `?${search}` : ""}`,
          ...views(),
          ...ages,
          ignore: ["/body/items/*/metadata/managedFields", "/body/metadata/continue"],
        };
      }),
      {
        request: `GET ${resource.path}?limit=${random.pick([1, 2])}${random.chance(0.4) ? "&labelSelector=x" : ""}`,
        capture: { more: "/metadata/continue" },
        pick: ["/items/0/metadata/name", "/items/1/metadata/name", "/metadata/remainingItemCount"],
      },
      {
        request: `GET ${resource.path}?limit=2&continue=\${more}${random.pick(["", "", "&resourceVersion=0", "&labelSelector=x", "&resourceVersionMatch=Exact"])}`,
        pick: [
          "/items/0/metadata/name",
          "/items/1/metadata/name",
          "/metadata/remainingItemCount",
          "/reason",
          "/message",
        ],
      },
      ...watches,
      ...changes,
      ...watches.map(({ watch }) => ({
        events: watch,
        count: 12,
        within: 700,
        ...ages,
        ignore: [
          "/events/*/object/metadata/managedFields",
          "/events/*/object/rows/0/object/metadata/managedFields",
        ],
      })),
      ...Array.from({ length: 4 }, () =>
        deletion(random, resource, `${resource.path}/${random.pick(names)}`),
      ).flat(),
      {
        request: `GET ${resource.path}`,
        ignore: ["/body/items/*/metadata/managedFields"],
        unordered: ["/body/items"],
      },
    ],
  };
}
