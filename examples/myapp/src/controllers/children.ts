/**
 * What a MyApp consists of. Pure: the same MyApp gives the same objects.
 */
import { dependent, type Dependent, type Intent } from "tsop";
import { Deployment, Service, StatefulSet } from "tsop/k8s";
import type { MyApp } from "../api/v1/myapp.ts";

/** All kinds that a MyApp consists of. */
export const KINDS = [Service, StatefulSet, Deployment];

/** The database, if there is one, is ready before the application starts. */
export function partsOf(app: MyApp): Dependent[] {
  const database = app.spec.database.enabled
    ? [
        dependent(Service, serviceFor(app, "database", 5432), { after: [] }),
        dependent(StatefulSet, databaseFor(app), { after: [] }),
      ]
    : [];
  return [
    ...database,
    dependent(Service, serviceFor(app, "web", 8080), { after: [] }),
    dependent(Deployment, webFor(app), { after: database }),
  ];
}

/** The name of the application itself. */
export const webName = ({ metadata: { name } }: MyApp): string => name;

const databaseName = ({ metadata: { name } }: MyApp): string => `${name}-database`;

type Part = "web" | "database";

function serviceFor(app: MyApp, part: Part, port: number): Intent<Service> {
  return {
    metadata: metadataFor(app, part),
    spec: { selector: labelsFor(app, part), ports: [{ name: part, port }] },
  };
}

function webFor(app: MyApp): Intent<Deployment> {
  const { replicas, version, database } = app.spec;
  const labels = labelsFor(app, "web");
  const container = {
    name: "web",
    image: `registry.example.com/myapp:${version}`,
    ports: [{ name: "web", containerPort: 8080 }],
    env: database.enabled ? [{ name: "DATABASE_HOST", value: databaseName(app) }] : [],
  };
  return {
    metadata: metadataFor(app, "web"),
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}

function databaseFor(app: MyApp): Intent<StatefulSet> {
  const labels = labelsFor(app, "database");
  const container = {
    name: "database",
    image: "postgres:17",
    ports: [{ name: "database", containerPort: 5432 }],
    volumeMounts: [{ name: "data", mountPath: "/var/lib/postgresql/data" }],
  };
  return {
    metadata: metadataFor(app, "database"),
    spec: {
      replicas: 1,
      serviceName: databaseName(app),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: {
            accessModes: ["ReadWriteOnce"],
            resources: { requests: { storage: app.spec.database.storage } },
          },
        },
      ],
    },
  };
}

function labelsFor({ metadata: { name } }: MyApp, part: Part): Record<string, string> {
  return {
    "app.kubernetes.io/name": "myapp",
    "app.kubernetes.io/instance": name,
    "app.kubernetes.io/component": part,
  };
}

const metadataFor = (app: MyApp, part: Part): { name: string; labels: Record<string, string> } => ({
  name: part === "web" ? webName(app) : databaseName(app),
  labels: labelsFor(app, part),
});
