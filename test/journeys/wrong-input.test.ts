/**
 * Twenty-two ways to go wrong. Each is told in clear words with a next step and the right exit code, and
 * leaves files and cluster as they were.
 */
import { existsSync, lstatSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startControlPlane, type ControlPlane } from "../../src/controlplane/control-plane.ts";
import type { SentObject } from "../../src/kube/object.ts";
import { emptyFolder, filesIn, newProject, runCli } from "../cli/support/run-cli.ts";
import { freePort } from "../support/deployed-operator.ts";
import { hasKubectl, Kubectl } from "../support/kubectl.ts";
import { Newcomer } from "./support/newcomer.ts";

const CREATE = ["create", "api", "--group", "web", "--version", "v1", "--kind"];

/** A project with the kind Page and its manifests. */
async function pageProject(): Promise<string> {
  const folder = await newProject();
  await runCli(folder, [...CREATE, "Page"]);
  const { code, err } = await runCli(folder, ["manifests"]);
  if (code !== 0) throw new Error(err);
  return folder;
}

/** Replaces a text in a file of the project; the text has to be there. */
function edit(folder: string, path: string, from: string | RegExp, to: string): void {
  const text = readFileSync(join(folder, path), "utf8");
  const edited = text.replace(from, to);
  if (edited === text) throw new Error(`${path} has no ${String(from)}`);
  writeFileSync(join(folder, path), edited);
}

interface Told {
  readonly code: number;
  /** What stands on stderr, each of them. */
  readonly says: readonly (string | RegExp)[];
}

/** Runs a command that has to fail, with words and a next step, and change no file. */
async function refused(folder: string, argv: readonly string[], told: Told): Promise<void> {
  const before = filesIn(folder);
  const { code, err } = await runCli(folder, argv);
  expect(code, err).toBe(told.code);
  for (const words of told.says) expect(err).toMatch(words);
  expect(err, "no stack, no defect").not.toMatch(/internal-error|^ +at /m);
  expect(filesIn(folder)).toEqual(before);
}

const PAGE = "src/api/v1/page.ts";
const MESSAGE = '  message: string = "hello";';

describe("wrong words on the command line", () => {
  it("1. a kind that cannot be one", async () => {
    const folder = await newProject();
    await refused(folder, [...CREATE, "my-web"], {
      code: 2,
      says: [
        'bad-kind: --kind "my-web": must begin with an upper-case letter',
        "fix For example: --kind MyWeb",
      ],
    });
  });

  it("2. a domain that cannot end an API group", async () => {
    await refused(emptyFolder(), ["init", "--domain", "Exa_mple", "--project-name", "a"], {
      code: 2,
      says: ['bad-domain: --domain "Exa_mple"', "fix For example: --domain example.com"],
    });
  });

  it("3. a kind that differs from another in its case only", async () => {
    const folder = await pageProject();
    await refused(folder, [...CREATE, "PAGE"], {
      code: 2,
      says: ["kind-exists: The project already has the kind Page", "--kind Page --version v2"],
    });
  });

  it("4. a flag or a command that does not exist, nearly right", async () => {
    const folder = await newProject();
    await refused(folder, [...CREATE, "Page", "--feild", "a:string"], {
      code: 2,
      says: ["unknown option '--feild'", "Did you mean --field?"],
    });
    await refused(folder, ["manifest"], { code: 2, says: ["Did you mean manifests?"] });
  });

  it("5. a value missing, and nobody there to be asked", async () => {
    await refused(await newProject(), ["create", "api", "--version", "v1"], {
      code: 2,
      says: ["missing-kind: --kind is missing", "fix For example: tsop create api"],
    });
  });
});

describe("wrong code", () => {
  it.each([
    [
      "6. a marker on a field of another type",
      '  @Minimum(1) message: string = "hello";',
      [
        "src/api/v1/page.ts:6:4 error marker-needs-number: @Minimum is on a string",
        "Use @MinLength",
      ],
    ],
    [
      "7. a type that does not exist",
      "  message!: Strin;",
      [
        "src/api/v1/page.ts:6:13 error unknown-type: There is no type Strin",
        "Did you mean string?",
      ],
    ],
    [
      "8. code that does not parse",
      "  message!: string = {;",
      [/^src\/api\/v1\/page\.ts:6:\d+ error syntax-error/, "Correct the line"],
    ],
  ])("%s", async (_title, line, says) => {
    const folder = await pageProject();
    edit(folder, PAGE, MESSAGE, line);
    edit(folder, PAGE, "{ CustomResource", "{ Minimum, CustomResource");
    for (const argv of [["manifests"], ["manifests", "--check"]]) {
      await refused(folder, argv, { code: 1, says: [...says, "nothing was written"] });
    }
  });

  it("9. the same kind twice", async () => {
    const folder = await pageProject();
    writeFileSync(join(folder, "src/api/v1/twin.ts"), readFileSync(join(folder, PAGE), "utf8"));
    await refused(folder, ["manifests"], {
      code: 1,
      says: [
        /^src\/api\/v1\/(page|twin)\.ts:\d+:\d+ error duplicate-kind: There is a Page of web\.example\.com\/v1 already/m,
        "Give one of them another kind, version or group",
      ],
    });
  });
});

describe("wrong files", () => {
  it.each([
    ["PROJECT", ["manifests"], /PROJECT:\d+:\d+ is not valid YAML: .*\.\n +fix Repair that line/],
    [
      "config/rbac/kustomization.yaml",
      ["deploy", "--render", "--image", "a:1"],
      /kustomization\.yaml:\d+:\d+ is not valid YAML/,
    ],
    [
      "config/default/kustomization.yaml",
      ["deploy", "--render", "--image", "a:1"],
      /kustomization\.yaml:\d+:\d+ is not valid YAML/,
    ],
  ])("10. broken YAML in %s", async (path, argv, says) => {
    const folder = await pageProject();
    writeFileSync(join(folder, path), "a: [\nb: {\n");
    await refused(folder, argv, { code: 1, says: [says, "fix "] });
  });

  it.each([
    ["layout: tsop/v9", "has the layout tsop/v9", "npm install tsop@latest"],
    ["layout:\n- go.kubebuilder.io/v4", 'has the layout ["go.kubebuilder.io/v4"]', "another tool"],
  ])("11. a PROJECT file of a newer version or another tool: %j", async (layout, says, fix) => {
    const folder = await pageProject();
    edit(folder, "PROJECT", "layout: tsop/v1", layout);
    await refused(folder, [...CREATE, "Post"], { code: 1, says: ["unknown-layout", says, fix] });
  });

  it("12. files in the way of a new project", async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, "README.md"), "mine\n");
    await refused(folder, ["init", "--domain", "example.com", "--project-name", "a"], {
      code: 2,
      says: ["file-exists: README.md is already there", "--force; nothing was written"],
    });
  });

  it("13. a place that cannot be written", async () => {
    const folder = await newProject();
    // Even root cannot make a folder where a file is.
    writeFileSync(join(folder, "test"), "a file\n");
    await refused(folder, [...CREATE, "Page"], {
      code: 1,
      says: [/(read|write)-failed: .*test/, "fix "],
    });
  });

  it("14. Windows' line ends: they are no drift, and they stay", async () => {
    const folder = await pageProject();
    const convert = (path: string): void => {
      const text = readFileSync(join(folder, path), "utf8");
      writeFileSync(join(folder, path), text.replaceAll("\n", "\r\n"));
    };
    for (const path of Object.keys(filesIn(folder))) convert(path);
    const before = filesIn(folder);
    expect((await runCli(folder, ["manifests", "--check"])).code).toBe(0);
    expect((await runCli(folder, [...CREATE, "Page"])).out).toContain("nothing to change");
    expect(filesIn(folder)).toEqual(before);
    expect(await runCli(folder, [...CREATE, "Post"])).toMatchObject({ code: 0, err: "" });
    const after = filesIn(folder);
    for (const path of ["PROJECT", "src/controllers/index.ts"]) {
      expect(after[path], path).toMatch(/[Pp]ost/);
      expect(after[path]?.replaceAll("\r\n", ""), path).not.toMatch(/[\r\n]/);
    }
  });

  it("15. a link instead of a file: inside of the project it is followed and stays, outside nothing is written", async () => {
    const folder = await pageProject();
    const elsewhere = join(emptyFolder(), "index.ts");
    writeFileSync(elsewhere, readFileSync(join(folder, "src/controllers/index.ts"), "utf8"));
    const link = join(folder, "src/controllers/index.ts");
    rmSync(link);
    symlinkSync(elsewhere, link);
    const refused = await runCli(folder, [...CREATE, "Post"]);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("outside-project")]);
    expect(readFileSync(elsewhere, "utf8")).not.toContain("setUpPost");
    expect(existsSync(join(folder, "src/api/v1/post.ts"))).toBe(false);

    const inside = join(folder, "controllers.ts");
    writeFileSync(inside, readFileSync(elsewhere, "utf8"));
    rmSync(link);
    symlinkSync(inside, link);
    expect((await runCli(folder, [...CREATE, "Post"])).code).toBe(0);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(inside, "utf8")).toContain("setUpPost(manager);");

    const project = join(emptyFolder(), "linked");
    symlinkSync(folder, project);
    expect((await runCli(project, ["manifests", "--check"])).code).toBe(3);
    expect((await runCli(project, ["manifests"])).code).toBe(0);
    expect((await runCli(folder, ["manifests", "--check"])).code).toBe(0);
  });
});

describe("a cluster that does not play along", () => {
  let cluster: ControlPlane;
  beforeAll(async () => {
    cluster = await startControlPlane();
  });
  afterAll(() => cluster.stop());

  const everything = (): Record<string, readonly SentObject[]> => ({
    crds: cluster.objects("customresourcedefinitions.apiextensions.k8s.io"),
    namespaces: cluster.objects("namespaces"),
    roles: cluster.objects("clusterroles.rbac.authorization.k8s.io"),
    deployments: cluster.objects("deployments.apps"),
  });

  it("16. a port in use", async () => {
    const folder = await pageProject();
    const { port } = new URL(cluster.url);
    for (const command of ["cluster", "dev"]) {
      await refused(folder, [command, "--port", port], {
        code: 1,
        says: [`port-in-use: Port ${port} of 127.0.0.1 is taken`, "fix Pass another port, or 0"],
      });
    }
  });

  it("17. no rights", async () => {
    const folder = await pageProject();
    writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfigFor({ user: "nobody" }));
    const before = everything();
    for (const command of [["install"], ["deploy", "--image", "shop:1"]]) {
      await refused(folder, [...command, "--kubeconfig", join(folder, "kubeconfig")], {
        code: 1,
        says: [/no-rights|forbidden/, "customresourcedefinitions.apiextensions.k8s.io", "fix "],
      });
    }
    expect(everything()).toEqual(before);
  });

  it.skipIf(!hasKubectl)("18. an object that violates its schema", async () => {
    const folder = await pageProject();
    edit(folder, PAGE, MESSAGE, '  mode: "fast" | "slow" = "fast";');
    writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig);
    const { code, err } = await runCli(folder, [
      "install",
      "--kubeconfig",
      join(folder, "kubeconfig"),
    ]);
    expect([code, err]).toEqual([0, ""]);
    const kubectl = new Kubectl(cluster.kubeconfig);
    const page = JSON.stringify({
      apiVersion: "web.example.com/v1",
      kind: "Page",
      metadata: { name: "one" },
      spec: { mode: "medium" },
    });
    const applied = await kubectl.run(["apply", "-f", "-"], page);
    kubectl.close();
    expect(applied.code).toBe(1);
    expect(applied.stderr).toContain(
      'The Page "one" is invalid: spec.mode: Unsupported value: "medium": supported values: "fast", "slow"',
    );
    expect(cluster.objects("pages.web.example.com")).toEqual([]);
  });

  it("19. nobody where the kubeconfig points", async () => {
    const folder = await pageProject();
    // A port that the system gives to nobody else when it is free again.
    const gone = await startControlPlane({ port: await freePort() });
    writeFileSync(join(folder, "kubeconfig"), gone.kubeconfig);
    await gone.stop();
    for (const command of [["install"], ["uninstall"], ["undeploy"]]) {
      await refused(folder, [...command, "--kubeconfig", join(folder, "kubeconfig")], {
        code: 1,
        says: ["connection-refused", gone.url, "fix Check that the API server runs there"],
      });
    }
  });
});

describe("what happens to processes", { timeout: 240_000 }, () => {
  let newcomer: Newcomer;
  beforeAll(async () => {
    newcomer = await Newcomer.arrive();
    await newcomer.succeed("npx tsop init shop --domain example.com");
    await newcomer.succeed(`npx tsop ${CREATE.join(" ")} Page`, join(newcomer.home, "shop"));
    await newcomer.succeed("npx tsop manifests", join(newcomer.home, "shop"));
  }, 300_000);
  afterAll(() => newcomer.leave());

  it("20. the control plane goes while the operator runs: it says so, and tries on", async () => {
    const folder = join(newcomer.home, "shop");
    const cluster = newcomer.start("tsop cluster --kubeconfig ../kubeconfig", folder);
    await cluster.waitFor(/ready in/);
    await newcomer.succeed("npx tsop install --kubeconfig ../kubeconfig", folder);
    const before = newcomer.filesIn(folder);
    const operator = newcomer.start("tsop run --kubeconfig ../kubeconfig", folder);
    await operator.waitFor(/controller started/);
    await cluster.stop("SIGKILL");
    const told = await operator.waitFor(/cannot watch pages/);
    expect(told).toMatch(/error cannot watch pages\.web\.example\.com: .*ECONNREFUSED.*Check that/);
    expect(await operator.stop()).toMatchObject({ code: 0 });
    expect(newcomer.filesIn(folder)).toEqual(before);
  });

  it("21. Ctrl-C while files are written: all of them or none", async () => {
    const folder = join(newcomer.home, "shop");
    for (const kind of ["Anna", "Bert", "Cleo"]) {
      const before = newcomer.filesIn(folder);
      const create = newcomer.start(`tsop ${CREATE.join(" ")} ${kind}`, folder);
      await create.waitFor(new RegExp(`^${kind} web`));
      await create.stop();
      const after = newcomer.filesIn(folder);
      expect(Object.keys(after).filter((path) => path.includes(".tsop-"))).toEqual([]);
      if (after["PROJECT"] === before["PROJECT"]) expect(after).toEqual(before);
      else {
        // The first kind of a project adds one file more, the list of the samples.
        const added = Object.keys(after).filter((path) => path.includes(kind.toLowerCase()));
        expect(added.length).toBe(4);
      }
    }
  });

  it("22. a reader that stops reading", async () => {
    const line = "set -e; npx tsop --help | head -1; npx tsop --version | true";
    expect(await newcomer.run(line)).toMatchObject({ code: 0, err: "" });
  });
});
