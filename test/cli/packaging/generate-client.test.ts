import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { mergePatch, type ResourceType, type KubeObject } from "../../../src/index.ts";
import { clientFor, installCrds, startControlPlane } from "../../../src/testing.ts";
import { ENTRIES } from "../../support/compiled.ts";
import { programOfFiles } from "../../support/parsed-once.ts";
import { copyExampleTo } from "../../support/example.ts";
import { emptyFolder, filesIn, newProject, runCli } from "../support/run-cli.ts";

function project(name: string): string {
  const root = emptyFolder();
  copyExampleTo(root, name);
  mkdirSync(join(root, "node_modules"), { recursive: true });
  return root;
}

const CONSUMER = `import { createClient, findCondition, loadClusterConfig } from "tsop";
import { SampleDB, type SampleDBSpec } from "@acme/sampledb-client";
import { SampleDB as OfV1 } from "@acme/sampledb-client/db/v1";

const client = createClient(loadClusterConfig());
export async function use(): Promise<string> {
  const key = { namespace: "default", name: "shop" };
  const made: SampleDB = await client.create(SampleDB, {
    metadata: key,
    spec: { backup: { to: "s3://backups/shop" } },
  });
  const spec: SampleDBSpec = made.spec;
  await client.apply(OfV1, { metadata: key, spec: { storage: "2Gi" } });
  for (const { status } of await client.list(SampleDB, { namespace: "default" })) {
    if (findCondition(status?.conditions, "Ready")?.status === "True") return spec.version;
  }
  const stream = await client.watch(SampleDB);
  for await (const events of stream) {
    for (const event of events) if (event.type === "ADDED") return event.object.spec.backup.to;
  }
  // @ts-expect-error -- there is no such field
  return made.spec.backups;
}
`;

/** What the compiler says of a program that uses the package, and of the package itself. */
function complaints(root: string, folder: string): string[] {
  mkdirSync(join(root, "consumer/node_modules/@acme"), { recursive: true });
  symlinkSync(
    join(root, folder),
    join(root, "consumer/node_modules/@acme/sampledb-client"),
    "junction",
  );
  const file = join(root, "consumer/use.ts");
  writeFileSync(file, CONSUMER);
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    types: [],
    allowImportingTsExtensions: true,
    experimentalDecorators: true,
    paths: { tsop: [ENTRIES["tsop"] ?? ""] },
  };
  const program = programOfFiles([file], options);
  const own = program
    .getSourceFiles()
    .filter(({ fileName }) => fileName === file || fileName.includes(`/${folder}/`));
  expect(own.length).toBe(3);
  return own
    .flatMap((one) => [
      ...program.getSyntacticDiagnostics(one),
      ...program.getSemanticDiagnostics(one),
    ])
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

describe("tsop generate client", { timeout: 120_000 }, () => {
  it("S3-08 writes a package that compiles in another program, which makes, lists, changes and deletes objects", async () => {
    const root = project("sampledb");
    const flags = ["--name", "@acme/sampledb-client", "--output-dir", "dist/client"];
    expect(await runCli(root, ["generate", "client", ...flags])).toMatchObject({
      code: 0,
      err: "",
    });
    expect(complaints(root, "dist/client")).toEqual([]);

    const url = pathToFileURL(join(root, "dist/client/db/v1.js")).href;
    const { SampleDB } = (await import(url)) as {
      SampleDB: ResourceType<KubeObject & { spec: object }>;
    };
    await using cluster = await startControlPlane({ listen: false });
    await installCrds(cluster, join(root, "config/crd/bases"));
    const client = clientFor(cluster);
    const key = { namespace: "default", name: "shop" };
    await client.create(SampleDB, { metadata: key, spec: { backup: { to: "s3://b" } } });
    await client.patch(SampleDB, key, mergePatch({ spec: { storage: "3Gi" } }));
    const [found] = await client.list(SampleDB, { namespace: "default" });
    expect(found?.spec).toMatchObject({ storage: "3Gi", version: "16" });
    await client.delete(SampleDB, key);
    expect(await client.find(SampleDB, key)).toBeUndefined();
  });

  it("has a module for each served version, and the stored ones at its root", async () => {
    const root = project("gateway");
    expect(await runCli(root, ["generate", "client"])).toMatchObject({ code: 0, err: "" });
    const { exports, peerDependencies } = JSON.parse(
      readFileSync(join(root, "client/package.json"), "utf8"),
    ) as { exports: Record<string, object>; peerDependencies: Record<string, string> };
    const versions = Object.keys(exports).filter((path) => /\/v\d/.test(path));
    expect(versions.length).toBeGreaterThan(1);
    for (const path of versions) {
      expect(readFileSync(join(root, "client", `${path}.d.ts`), "utf8")).toContain("ResourceType<");
    }
    expect(readFileSync(join(root, "client/index.d.ts"), "utf8").match(/export/g)).toHaveLength(1);
    expect(Object.keys(peerDependencies)).toEqual(["tsop"]);
  });

  it("keeps the package's name when it is run again, so that --check needs no --name", async () => {
    const root = project("gateway");
    const named = ["generate", "client", "--name", "@acme/gateway-client"];
    expect(await runCli(root, named)).toMatchObject({ code: 0, err: "" });
    const before = filesIn(join(root, "client"));
    expect(await runCli(root, ["generate", "client", "--check"])).toMatchObject({ code: 0 });
    expect(await runCli(root, ["generate", "client"])).toMatchObject({ code: 0 });
    expect(filesIn(join(root, "client"))).toEqual(before);
    const renamed = ["generate", "client", "--name", "other", "--check"];
    expect(await runCli(root, renamed)).toMatchObject({ code: 3 });
  });

  it("names apart the part of a kind and a kind that is called like it, in all versions", async () => {
    const root = await newProject();
    for (const [version, kind] of [
      ["v1", "Foo"],
      ["v1", "FooSpec"],
      ["v2", "Foo"],
    ] as const) {
      const named = ["--group", "web", "--version", version, "--kind", kind];
      expect((await runCli(root, ["create", "api", ...named])).code).toBe(0);
    }
    for (const argv of [["manifests"], ["generate", "client"]]) {
      expect(await runCli(root, argv)).toMatchObject({ code: 0, err: "" });
    }
    const declared = (path: string): string[] =>
      readFileSync(join(root, "client", path), "utf8")
        .match(/(?<=^export interface )\w+/gm)
        ?.sort() ?? [];
    expect(declared("web/v1.d.ts")).toEqual([
      ...["Foo", "FooSpec", "FooSpecPart", "FooSpecSpec", "FooSpecStatus", "FooStatus"],
    ]);
    expect(declared("web/v2.d.ts")).toEqual(["Foo", "FooSpecPart", "FooStatus"]);
    const index = readFileSync(join(root, "client/index.d.ts"), "utf8");
    const exported = [...index.matchAll(/(?<=[{,] )(?:type )?(\w+)/g)].map(([, name]) => name);
    expect(new Set(exported).size).toBe(exported.length);
    expect(exported).toContain("FooSpecPart");
  });

  it("changes nothing the second time, tells of drift, and leaves alone what it did not write", async () => {
    const root = project("sampledb");
    mkdirSync(join(root, "client"));
    writeFileSync(join(root, "client/README.md"), "ours\n");
    const first = await runCli(root, ["generate", "client"]);
    expect(first.err).toContain("kept client/README.md was changed by hand");
    expect(readFileSync(join(root, "client/README.md"), "utf8")).toBe("ours\n");
    const before = filesIn(root);
    expect((await runCli(root, ["generate", "client"])).code).toBe(0);
    expect((await runCli(root, ["generate", "client", "--check"])).code).toBe(0);
    expect(filesIn(root)).toEqual(before);

    const kind = join(root, "src/api/v1/sampledb.ts");
    const text = readFileSync(kind, "utf8");
    writeFileSync(kind, text.replace("storage: Quantity", "color?: string;\n  storage: Quantity"));
    const drift = await runCli(root, ["generate", "client", "--check"]);
    expect(drift.code).toBe(3);
    expect(drift.err).toContain("the client does not match the kinds");
    const dry = await runCli(root, ["generate", "client", "--dry-run", "--diff"]);
    expect(dry.out).toContain("+  color?: string;");
    expect(readFileSync(join(root, "client/db/v1.d.ts"), "utf8")).not.toContain("color");
  });

  it("is told of a name that npm does not take, and of a project without kinds", async () => {
    const root = project("configmonitor");
    const name = await runCli(root, ["generate", "client", "--name", "Web Client"]);
    expect(name).toMatchObject({ code: 2 });
    expect(name.err).toContain("Web Client is not a name that npm takes for a package");
    const none = await runCli(root, ["generate", "client"]);
    expect(none).toMatchObject({ code: 2 });
    expect(none.err).toContain("no kinds of its own");
  });
});
