/**
 * The example operators on the sources of this checkout: their manifests; deployed with their roles alone, at work, and
 * undeployed. Their types and tests are in example.test.ts, their memory in `npm run bench -- idle-operator`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { mergePatch, type Client } from "../../src/index.ts";
import type { ManifestObject } from "../../src/kube/object.ts";
import {
  ClusterRole,
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  Namespace,
  PersistentVolumeClaim,
  Pod,
  Secret,
  StatefulSet,
} from "../../src/k8s.ts";
import { clientFor, eventually } from "../../src/testing.ts";
import { runCli } from "../cli/support/run-cli.ts";
import { DeployedOperator } from "../support/deployed-operator.ts";
import { exampleOnSources } from "../support/example.ts";

const namespace = "default";
const patience = { timeoutMs: 60_000 };

/** An example, and what its sample leads to. */
interface Operator {
  readonly name: string;
  readonly sample: string;
  /** Changes the copy of the example before it is deployed. */
  readonly prepare?: (folder: string) => void;
  readonly look: (client: Client) => Promise<void>;
}

const OPERATORS: Operator[] = [
  {
    name: "helloworld",
    sample: "myapp_v1_helloworld.yaml",
    look: async (client) => {
      const helloworld = await client.dynamic("myapp.example.com/v1", "HelloWorld");
      const key = { namespace, name: "hello" };
      await eventually(async () => {
        const { status } = (await client.get(helloworld, key)) as { status?: object };
        expect(status).toMatchObject({ readyReplicas: 3 });
      }, patience);
      await client.delete(helloworld, key);
      await eventually(async () => {
        expect(await client.find(Deployment, key)).toBeUndefined();
      }, patience);
    },
  },
  {
    name: "configmonitor",
    sample: "page.yaml",
    look: async (client) => {
      const deployment = { namespace, name: "frontend" };
      const generationOfRollout = (replicas: number): Promise<number> =>
        eventually(async () => {
          const { metadata, spec, status } = await client.get(Deployment, deployment);
          expect(Object.keys(spec?.template.metadata?.annotations ?? {})).toHaveLength(1);
          expect(status?.observedGeneration).toBe(metadata.generation);
          expect(status?.updatedReplicas).toBe(replicas);
          expect(status?.availableReplicas).toBe(replicas);
          return metadata.generation;
        }, patience);
      const before = await generationOfRollout(2);
      const config = { namespace, name: "page-config" };
      await client.patch(ConfigMap, config, mergePatch({ data: { MSG: "Welcome to Operators!" } }));
      await eventually(async () => {
        expect(await generationOfRollout(2)).toBe(before + 1);
      }, patience);
    },
  },
  {
    name: "myapp",
    sample: "app_v1_myapp.yaml",
    look: async (client) => {
      const myapp = await client.dynamic("app.example.com/v1", "MyApp");
      const key = { namespace, name: "my-application" };
      await eventually(async () => {
        const { status } = (await client.get(myapp, key)) as { status?: object };
        expect(status).toMatchObject({ phase: "Running", readyReplicas: 3 });
      }, patience);
      await client.delete(myapp, key);
      await eventually(async () => {
        expect(await client.find(Deployment, key)).toBeUndefined();
        expect(await client.list(StatefulSet, { namespace })).toEqual([]);
      }, patience);
    },
  },
  {
    name: "sampledb",
    sample: "db_v1_sampledb.yaml",
    look: async (client) => {
      const sampledb = await client.dynamic("db.example.com/v1", "SampleDB");
      const key = { namespace, name: "shop" };
      await eventually(async () => {
        const { status } = (await client.get(sampledb, key)) as { status?: object };
        expect(status).toMatchObject({ version: "16" });
      }, patience);
      await client.delete(sampledb, key);
      await eventually(async () => {
        expect(await client.find(sampledb, key)).toBeUndefined();
      }, patience);
      expect(await client.find(StatefulSet, key)).toBeUndefined();
      expect(await client.find(PersistentVolumeClaim, key)).toBeUndefined();
    },
  },
  {
    name: "mini-cert",
    sample: "certs_v1_certificate.yaml",
    // Nobody listens there: the example's own tests have an ACME server.
    prepare: (folder) => {
      const path = join(folder, "config/manager/manager.yaml");
      const text = readFileSync(path, "utf8");
      writeFileSync(
        path,
        text.replace(/--acme-directory=.*/, "--acme-directory=http://127.0.0.1:1"),
      );
    },
    look: async (client) => {
      const certificate = await client.dynamic("certs.example.com/v1", "Certificate");
      const key = { namespace, name: "shop" };
      await eventually(async () => {
        const { status } = (await client.get(certificate, key)) as { status?: object };
        const message: unknown = expect.stringContaining("The ACME server does not answer");
        const issuing: unknown = expect.objectContaining({ type: "Issuing", message });
        expect(status).toMatchObject({ conditions: [issuing] });
      }, patience);
      expect((await client.get(Secret, { namespace, name: "acme-account" })).type).toBe("Opaque");
      await client.delete(certificate, key);
    },
  },
  {
    name: "postgres",
    sample: "postgresql_v1_postgresqlcluster.yaml",
    // No containers run there: the example's own tests have a model of the databases.
    prepare: (folder) => {
      const path = join(folder, "config/manager/manager.yaml");
      const flags = "          args:\n";
      const text = readFileSync(path, "utf8");
      writeFileSync(path, text.replace(flags, `${flags}            - --simulate-instances\n`));
    },
    look: async (client) => {
      const postgres = await client.dynamic("postgresql.example.com/v1", "PostgreSQLCluster");
      const key = { namespace, name: "shop" };
      await eventually(async () => {
        const { status } = (await client.get(postgres, key)) as { status?: object };
        expect(status).toMatchObject({ readyInstances: 3, primary: { pod: "shop-1" } });
      }, patience);
      await client.delete(postgres, key);
      await eventually(async () => {
        expect(await client.find(postgres, key)).toBeUndefined();
        expect(await client.list(PersistentVolumeClaim, { namespace })).toEqual([]);
        expect(await client.list(Pod, { namespace })).toEqual([]);
      }, patience);
    },
  },
];

describe.each(OPERATORS)("examples/$name", { timeout: 240_000 }, (operator) => {
  const { name, sample, look, prepare } = operator;
  let example: { readonly folder: string; remove(): void };
  beforeAll(() => {
    example = exampleOnSources(name);
    prepare?.(example.folder);
  });
  afterAll(() => {
    example.remove();
  });

  it("has manifests that are as its code says", async () => {
    const { code, out, err } = await runCli(example.folder, ["manifests", "--check"]);
    expect({ code, out, err }).toEqual({ code: 0, out: "  nothing to change", err: "" });
  });

  it("works with its role alone, and is gone when it is undeployed", async () => {
    await using deployed = await DeployedOperator.deploy(example.folder, name);
    const client = clientFor(deployed.cluster);
    await deployed.untilReady(name);
    const text = readFileSync(join(example.folder, "config/samples", sample), "utf8");
    for (const document of parseAllDocuments(text)) {
      const object = document.toJS() as ManifestObject;
      const token = await client.dynamic(object.apiVersion, object.kind);
      await client.create(token, { ...object, metadata: { ...object.metadata, namespace } });
    }
    await look(client);
    expect(deployed.lines.filter((line) => /forbidden|may not /i.test(line))).toEqual([]);
    const argv = ["undeploy", "--kubeconfig", "admin"];
    expect(await runCli(example.folder, argv)).toMatchObject({ code: 0, err: "" });
    const all = [
      ...(await client.live.list(Namespace)),
      ...(await client.live.list(ClusterRole)),
      ...(await client.live.list(CustomResourceDefinition)),
    ];
    expect(all.filter(({ metadata }) => metadata.name.includes(name))).toEqual([]);
  });
});
