/** The code of docs/webhooks.md and docs/versions.md does what the pages say: it is run as it stands. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, it } from "vitest";
import { mergePatch, type KubeObject, type Manager } from "../../src/index.ts";
import { clientFor, type ControlPlane } from "../../src/testing.ts";
import { newProject, runCli } from "../cli/support/run-cli.ts";
import { ROOT } from "../support/compiled.ts";
import { codeOf } from "./support/code-blocks.ts";

const KUSTOMIZATION = `namespace: shop-system
namePrefix: shop-
resources:
  - ../crd
  - ../rbac
  - ../webhook
  - ../manager
`;
const KUBECONFIG = `apiVersion: v1
kind: Config
current-context: here
clusters: [{ name: here, cluster: { server: "http://127.0.0.1:1" } }]
users: [{ name: me, user: {} }]
contexts: [{ name: here, context: { cluster: here, user: me } }]
`;

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});

/** Has `tsop manifests` read the code of a page, and runs it in that project's folder; gives what it declares. */
async function runPage(page: string, names: readonly string[]): Promise<Record<string, unknown>> {
  const code = codeOf(readFileSync(join(ROOT, "docs", `${page}.md`), "utf8"));
  const project = await newProject();
  writeFileSync(join(project, "src/page.ts"), code);
  writeFileSync(join(project, "config/default/kustomization.yaml"), KUSTOMIZATION);
  const made = await runCli(project, ["manifests"]);
  expect([made.code, made.err]).toEqual([0, ""]);

  const before = process.cwd();
  process.chdir(project);
  undo.push(() => {
    process.chdir(before);
  });
  const kubeconfig = process.env["KUBECONFIG"];
  process.env["KUBECONFIG"] = join(project, "kubeconfig");
  writeFileSync(join(project, "kubeconfig"), KUBECONFIG);
  undo.push(() => {
    if (kubeconfig === undefined) delete process.env["KUBECONFIG"];
    else process.env["KUBECONFIG"] = kubeconfig;
  });
  // Beside the sources, so that the test runner takes it for one of them.
  const folder = join(ROOT, ".cache/pages");
  const file = join(folder, `${page}.ts`);
  mkdirSync(folder, { recursive: true });
  const sources: Record<string, string> = { tsop: "index", "tsop/testing": "testing" };
  const imported = code.replaceAll(
    /from "(tsop(?:\/testing)?)"/g,
    (_all, name: string) => `from "../../src/${sources[name] ?? ""}.ts"`,
  );
  writeFileSync(file, `${imported}\nexport const declared = { ${names.join(", ")} };\n`);
  undo.push(() => {
    rmSync(file);
  });
  const module = (await import(pathToFileURL(file).href)) as { declared: Record<string, unknown> };
  return module.declared;
}

it("docs/webhooks.md: the validator of the page refuses what the page says", async () => {
  const { cluster, manager, MyWeb } = (await runPage("webhooks", [
    "cluster",
    "manager",
    "MyWeb",
  ])) as { cluster: ControlPlane; manager: Manager; MyWeb: new () => KubeObject };
  undo.push(() => cluster.stop());
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  undo.push(async () => {
    stop.abort();
    await running;
  });
  const client = clientFor(cluster);
  const key = { namespace: "default", name: "one" };
  const webs = await client.dynamic("web.example.com/v1", MyWeb.name);
  await client.create(webs, { metadata: key, spec: { replicas: 5 } });
  const lowered = (replicas: number) => client.patch(webs, key, mergePatch({ spec: { replicas } }));
  await expect(lowered(3)).rejects.toThrow(
    "spec.replicas: Invalid value: 3: may be lowered by one at a time",
  );
  await lowered(4);
});

it("docs/versions.md: the conversion of the page loses nothing, and keeps what the page says", async () => {
  const { losesNothing, manager } = (await runPage("versions", ["losesNothing", "manager"])) as {
    losesNothing: () => Promise<void>;
    manager: Manager;
  };
  await losesNothing();
  expect(manager.webhooks).toBeDefined();
});
