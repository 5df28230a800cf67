import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { KUBECTL_COMMANDS } from "../../src/cli/project/plugins/plugin-names.ts";
import { startControlPlane } from "../../src/controlplane/control-plane.ts";
import { applyCrds, CRD } from "../../src/testing/install-crds.ts";
import { clientFor } from "../../src/testing/access.ts";
import type { ManifestObject } from "../../src/kube/object.ts";
import { hasKubectl, Kubectl } from "../support/kubectl.ts";
import {
  emptyFolder,
  filesIn,
  newProject,
  projectAfter,
  runCli,
  type CliResult,
} from "./support/run-cli.ts";
import { typeErrors } from "./support/type-errors.ts";

const CHECKOUT = join(import.meta.dirname, "../..");
const PAGE = ["--group", "web", "--version", "v1", "--kind", "Page"];

async function succeed(root: string, ...argv: string[]): Promise<CliResult> {
  const result = await runCli(root, argv);
  expect([argv.join(" "), result.code, result.code === 0 ? "" : result.err]).toEqual([
    argv.join(" "),
    0,
    "",
  ]);
  return result;
}

const pages = (): Promise<string> =>
  projectAfter([["create", "api", ...PAGE]], "--license", "apache2");

/** The packages of this checkout, for what bundles; `dist` of it has to be there. */
function withPackages(root: string): void {
  mkdirSync(join(root, "node_modules"));
  symlinkSync(CHECKOUT, join(root, "node_modules/tsop"), "dir");
}

const text = (root: string, path: string): string => readFileSync(join(root, path), "utf8");

describe("tsop create plugin", { timeout: 120_000 }, () => {
  it("S3-01 scaffolds a plugin of kubectl, a webhook, a kind and a controller, and all of it compiles", async () => {
    const root = await pages();
    await succeed(root, "create", "webhook", ...PAGE, "--validation");
    await succeed(
      root,
      "create",
      "controller",
      "--group",
      "apps",
      "--version",
      "v1",
      "--kind",
      "Deployment",
    );
    const { out } = await succeed(root, "create", "plugin", "my-pages", ...PAGE);
    expect(out).toContain("kubectl my-pages of Page web.example.com/v1");
    const files = filesIn(root);
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining([
        "src/api/v1/page.ts",
        "src/controllers/page-controller.ts",
        "src/controllers/deployment-controller.ts",
        "src/webhooks/page-validator.ts",
        "src/plugins/my-pages/main.ts",
        "src/plugins/my-pages/plugin.ts",
        "test/my-pages-plugin.test.ts",
      ]),
    );
    // kubectl reads dashes of a program's name as spaces.
    expect(JSON.parse(files["package.json"] ?? "")).toMatchObject({
      bin: {
        "kubectl-my_pages": "dist/plugins/kubectl-my_pages",
        "kubectl_complete-my_pages": "dist/plugins/kubectl_complete-my_pages",
      },
    });
    expect(typeErrors(root)).toEqual([]);
    expect((await succeed(root, "list")).out).toContain("plugins      kubectl my-pages");
    expect((await succeed(root, "completion-words", "plugin")).out).toBe("my-pages");
  });

  it.each(["scheduler", "cni", "device-plugin"])(
    "S3-01 says no to a %s, and what to do instead",
    async (thing) => {
      const { code, err } = await runCli(await newProject(), ["create", thing, "mine", "--any"]);
      expect(code).toBe(2);
      expect(err).toMatch(/tsop cannot scaffold a .*: .*(Go|node)/);
      expect(err).toMatch(/tsop create (webhook|controller|api)/);
      expect(err).toContain("https://");
    },
  );

  it("leaves the operator's role as it is: what a plugin does is done by its user", async () => {
    const root = await pages();
    await succeed(root, "manifests");
    const before = text(root, "config/rbac/role.yaml");
    await succeed(root, "create", "plugin", "pages");
    await succeed(root, "manifests");
    expect(text(root, "config/rbac/role.yaml")).toBe(before);
    // A folder of that name which is no plugin is the operator's own code.
    const own = join(root, "src/plugins/own");
    mkdirSync(own);
    writeFileSync(
      join(own, "lister.ts"),
      'import { type Client } from "tsop";\nimport { Secret } from "tsop/k8s";\nexport const all = (client: Client): Promise<Secret[]> => client.list(Secret);\n',
    );
    await succeed(root, "manifests");
    expect(text(root, "config/rbac/role.yaml")).toContain("secrets");
  });

  it("shows what it would do, keeps what the user wrote, and is deleted without a trace", async () => {
    const root = await pages();
    const before = filesIn(root);
    const planned = await succeed(root, "create", "plugin", "pages", "--dry-run", "--diff");
    expect(planned.out).toContain("+export const plugin = kubectlPlugin({");
    expect(filesIn(root)).toEqual(before);
    await succeed(root, "create", "plugin", "pages");
    expect((await succeed(root, "upgrade", "--dry-run")).out).toContain("nothing to change");
    const path = join(root, "src/plugins/pages/plugin.ts");
    writeFileSync(path, `${readFileSync(path, "utf8")}\n// mine\n`);
    await succeed(root, "create", "plugin", "pages");
    expect(readFileSync(path, "utf8")).toContain("// mine");
    const refused = await runCli(root, ["delete", "plugin", "pages"]);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.err).toContain(
      "src/plugins/pages/plugin.ts would be deleted, but you changed it",
    );
    await succeed(root, "delete", "plugin", "pages", "--force");
    expect(filesIn(root)).toEqual(before);
    expect((await runCli(root, ["delete", "plugin", "pages"])).err).toContain(
      "PROJECT has no plugin pages",
    );
  });

  it.each([
    ["kubectl-webs", "the program is called kubectl-webs"],
    ["Webs", "lower-case letters"],
    ["get", "is a kubectl command"],
  ])("refuses the name %s", async (name, problem) => {
    const { code, err } = await runCli(await pages(), ["create", "plugin", name]);
    expect(code).toBe(2);
    expect(err).toContain(problem);
  });

  it("asks for the kind where the project has none or several", async () => {
    const root = await newProject();
    expect((await runCli(root, ["create", "plugin", "webs"])).err).toContain(
      "The project does not have a kind for the plugin to show.",
    );
    await succeed(root, "create", "api", ...PAGE);
    await succeed(root, "create", "api", "--group", "web", "--version", "v1", "--kind", "Site");
    expect((await runCli(root, ["create", "plugin", "webs"])).err).toContain(
      "--kind is missing: the project has --group web --version v1 --kind Page, --group",
    );
    await succeed(root, "create", "plugin", "sites", "--kind", "Site");
    const apps = ["--group", "apps", "--version", "v1", "--kind", "Deployment"];
    await succeed(root, "create", "plugin", "rollouts", ...apps);
    const core = ["--group", "core", "--version", "v1", "--kind", "Node"];
    await succeed(root, "create", "plugin", "machines", ...core);
    expect(typeErrors(root)).toEqual([]);
  });
});

describe.skipIf(!hasKubectl || !existsSync(join(CHECKOUT, "dist/plugin.js")))(
  "the program of a plugin",
  { timeout: 120_000 },
  () => {
    it("is one file that kubectl runs and completes, wherever it lies", async () => {
      const root = await pages();
      withPackages(root);
      await succeed(root, "create", "plugin", "my-pages");
      await succeed(root, "manifests");
      expect((await succeed(root, "build")).out).toMatch(/kubectl-my_pages +\d+ kB/);
      const built = join(root, "dist/plugins");
      expect(statSync(join(built, "kubectl-my_pages")).mode & 0o111).toBe(0o111);
      // Without a package around it, and in one whose files are CommonJS modules.
      const alone = emptyFolder();
      cpSync(built, alone, { recursive: true });
      const common = emptyFolder();
      cpSync(built, common, { recursive: true });
      writeFileSync(join(common, "package.json"), '{ "type": "commonjs" }');
      await using cluster = await startControlPlane();
      const crd = parse(
        text(root, "config/crd/bases/web.example.com_pages.yaml"),
      ) as ManifestObject;
      await applyCrds(cluster, [{ ...crd, kind: CRD.kind }]);
      const client = clientFor(cluster);
      const Page = await client.dynamic("web.example.com/v1", "Page");
      await client.create(
        Page,
        Object.assign({ metadata: { name: "one", namespace: "default" } }, { spec: {} }),
      );
      const kubectl = new Kubectl(cluster.kubeconfig);
      try {
        for (const folder of [built, alone, common]) {
          const env = { PATH: [folder, process.env["PATH"]].join(delimiter) };
          const listed = await kubectl.run(["my-pages", "list"], "", env);
          expect(listed).toMatchObject({ code: 0, stderr: "" });
          expect(listed.stdout).toMatch(/^NAME +STATUS +AGE\none /);
          const missing = await kubectl.run(["my-pages", "describe", "two"], "", env);
          expect(missing).toMatchObject({ code: 1, stdout: "" });
          const words = ["__complete", "my-pages", "describe", ""];
          expect((await kubectl.run(words, "", env)).stdout).toBe("one\n:4\n");
        }
        const version = execFileSync(join(alone, "kubectl-my_pages"), ["--version"]);
        expect(version.toString()).toBe("0.1.0\n");
        const help = await kubectl.output(["--help"]);
        const commands = [...help.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map(([, name = ""]) => name);
        expect(commands.length).toBeGreaterThan(40);
        expect(commands.filter((name) => !KUBECTL_COMMANDS.has(name))).toEqual([]);
      } finally {
        kubectl.close();
      }
      await succeed(root, "delete", "plugin", "my-pages");
      await succeed(root, "build");
      expect(existsSync(built)).toBe(false);
    });

    it.each(["../../../outside", "v1", "1.0.0/a"])(
      "is not packed for krew with the version %s",
      async (version) => {
        const root = await pages();
        withPackages(root);
        await succeed(root, "create", "plugin", "pages");
        const file = join(root, "package.json");
        const said = JSON.parse(readFileSync(file, "utf8")) as object;
        writeFileSync(file, JSON.stringify({ ...said, version, repository: "github:acme/web" }));
        const { code, err } = await runCli(root, ["krew"]);
        expect(code).toBe(2);
        expect(err).toContain("error krew-version");
        expect(existsSync(join(root, "dist"))).toBe(false);
      },
    );

    it("is packed for krew, with a manifest that says where it is and what it has to be", async () => {
      const root = await pages();
      withPackages(root);
      await succeed(root, "create", "plugin", "pages");
      const missing = await runCli(root, ["krew"]);
      expect(missing).toMatchObject({ code: 2 });
      expect(missing.err).toContain("The download address of the archive is missing.");
      const file = join(root, "package.json");
      const said = JSON.parse(readFileSync(file, "utf8")) as object;
      writeFileSync(file, JSON.stringify({ ...said, repository: "github:acme/web-operator" }));
      await succeed(root, "krew", "--dry-run");
      expect(existsSync(join(root, "dist"))).toBe(false);
      await succeed(root, "krew");
      const archive = join(root, "dist/krew/kubectl-pages-v0.1.0.tar.gz");
      const listed = execFileSync("tar", ["-tvzf", archive], { encoding: "utf8" });
      expect(listed).toMatch(/^-rwxr-xr-x .* kubectl-pages$/m);
      expect(listed).toMatch(/^-rw-r--r-- .* LICENSE$/m);
      const digest = createHash("sha256").update(readFileSync(archive)).digest("hex");
      expect(parse(text(root, "dist/krew/pages.yaml"))).toMatchObject({
        apiVersion: "krew.googlecontainertools.github.com/v1alpha2",
        kind: "Plugin",
        metadata: { name: "pages" },
        spec: {
          version: "v0.1.0",
          homepage: "https://github.com/acme/web-operator",
          shortDescription: "Show Page objects and their conditions",
          platforms: [
            {
              uri: "https://github.com/acme/web-operator/releases/download/v0.1.0/kubectl-pages-v0.1.0.tar.gz",
              sha256: digest,
              bin: "kubectl-pages",
            },
          ],
        },
      });
    });
  },
);
