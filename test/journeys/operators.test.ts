/**
 * The example operators on the sources of this checkout: their types, manifests and tests; deployed with their roles alone,
 * at work, and undeployed.
 */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
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

const root = fileURLToPath(new URL("../..", import.meta.url));
const namespace = "default";
const BYTES = 1024 * 1024;
/** What the chart of operator-sdk gives an operator. */
const MEBIBYTES = 128;
const patience = { timeoutMs: 60_000 };

/** An example, what its sample leads to, and how many tests it has. */
interface Operator {
  readonly name: string;
  readonly sample: string;
  readonly tests: number;
  /** Where it needs more memory than others. */
  readonly mebibytes?: number;
  /** Changes the copy of the example before it is deployed. */
  readonly prepare?: (folder: string) => void;
  readonly look: (client: Client) => Promise<void>;
}

const OPERATORS: Operator[] = [
  {
    name: "helloworld",
    sample: "myapp_v1_helloworld.yaml",
    tests: 3,
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
    tests: 5,
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
    tests: 5,
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
    tests: 6,
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
    tests: 8,
    // Its packages are as large as tsop, and for the stack of an error Node reads the map of all sources.
    mebibytes: 256,
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
    tests: 11,
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
  const { name, sample, tests, mebibytes, look, prepare } = operator;
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

  it("passes its own types and tests", async () => {
    const alias = ["k8s", "testing"].map((entry) => ({
      find: `tsop/${entry}`,
      replacement: join(root, `src/${entry}.ts`),
    }));
    const all = [...alias, { find: "tsop", replacement: join(root, "src/index.ts") }];
    const settings = `export default ${JSON.stringify({ resolve: { alias: all } })};\n`;
    writeFileSync(join(example.folder, "vitest.config.mjs"), settings);
    const run = async (program: string, ...args: string[]): Promise<string> => {
      const argv = [join(root, "node_modules", program), ...args];
      const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: example.folder });
      return stdout;
    };
    expect(await run("typescript/bin/tsc")).toBe("");
    const told = await run("vitest/vitest.mjs", "run", "--reporter=json");
    expect(JSON.parse(told)).toMatchObject({ success: true, numPassedTests: tests });
  });

  it("works with its role alone and within its memory, and is gone when it is undeployed", async () => {
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
    if (process.platform !== "win32") {
      expect(deployed.residentBytes()).toBeLessThan((mebibytes ?? MEBIBYTES) * BYTES);
    }

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
