import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isPair, parse, parseAllDocuments, parseDocument, visit } from "yaml";
import { commandsBelow } from "../../src/cli/help.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { renderKustomization } from "../../src/cli/kustomize/render.ts";
import { emptyFolder, filesIn, newProject, runCli, testContext } from "./support/run-cli.ts";

/** Beside the files of the project: what they were when they were scaffolded. */
const RECORD = ".tsop/scaffold.json";
const INIT = ["init", "--domain", "example.com", "--no-install"];

describe("tsop init", () => {
  it("writes a project of at most twenty-seven files and says what comes next", async () => {
    const folder = emptyFolder();
    const { code, out } = await runCli(folder, [...INIT, "--project-name", "shop"]);
    expect(code).toBe(0);
    expect(out).toContain("tsop create api");
    const files = filesIn(folder);
    expect(files).toHaveProperty([RECORD]);
    expect(Object.keys(files).length - 1).toBeLessThanOrEqual(27);
    expect(files["PROJECT"]).toContain("projectName: shop\ndomain: example.com\n");
    const manifest = JSON.parse(files["package.json"] ?? "") as { dependencies: object };
    // From a source checkout, the dependency is the checkout.
    expect(manifest.dependencies).toEqual({ tsop: expect.stringMatching(/^file:\//) as string });
    expect(Object.values(files).join("")).not.toContain("{{");
  });

  it("writes what a forge needs: a workflow, updates of dependencies, a licence, and all commands for agents", async () => {
    const files = filesIn(await newProject("--license", "mit", "--owner", "Jane Doe"));
    const workflow = parse(files[".github/workflows/ci.yml"] ?? "") as {
      permissions: object;
      jobs: { check: { steps: { run?: string }[] } };
    };
    expect(workflow.permissions).toEqual({ contents: "read" });
    const { scripts } = JSON.parse(files["package.json"] ?? "") as {
      scripts: Record<string, string>;
    };
    const runs = workflow.jobs.check.steps.flatMap(({ run }) => run ?? []);
    expect(runs).toEqual(["npm ci", "npm run check", "npm test", "npm run build"]);
    for (const run of runs.slice(1)) expect(scripts).toHaveProperty(run.replace(/npm (run )?/, ""));
    expect(scripts["check"]).toContain("tsop manifests --check");
    expect(parse(files[".github/dependabot.yml"] ?? "")).toMatchObject({ version: 2 });
    expect(files["LICENSE"]).toMatch(/^MIT License\n\nCopyright \(c\) \d{4} Jane Doe\n/);
    expect(filesIn(await newProject())["LICENSE"]).toContain("Apache License");
    expect(filesIn(await newProject("--license", "none"))).not.toHaveProperty("LICENSE");
  });

  it("writes a container for editors on demand: with the Node of the image, and without privileges", async () => {
    expect(filesIn(await newProject())).not.toHaveProperty([".devcontainer/devcontainer.json"]);
    const root = await newProject("--dev-container");
    const files = filesIn(root);
    expect((await runCli(root, ["upgrade"])).out).toContain("nothing to change");
    const container = JSON.parse(files[".devcontainer/devcontainer.json"] ?? "") as object;
    const [, node] = /^FROM node:(\d+)/m.exec(files["Dockerfile"] ?? "") ?? [];
    expect(container).toEqual({
      name: "shop",
      image: `mcr.microsoft.com/devcontainers/javascript-node:${String(node)}`,
      features: {
        "ghcr.io/devcontainers/features/kubectl-helm-minikube:1": { minikube: "none" },
      },
      postCreateCommand: "npm install",
    });
  });

  it("names in AGENTS.md exactly the commands that there are", async () => {
    const files = filesIn(await newProject());
    const told = [...(files["AGENTS.md"] ?? "").matchAll(/^\| `tsop ([^`]+)`/gm)].map(
      ([, name]) => name,
    );
    const program = buildProgram(testContext(), () => undefined);
    const known = commandsBelow(program)
      .filter(({ command }) => command.commands.length === 0)
      .map(({ path }) => path);
    expect(told).toEqual(known);
    expect(told).toContain("create api");
    expect(told).toContain("plan");
  });

  it("makes the folder it is told, and names the project after it", async () => {
    const folder = emptyFolder();
    const { code } = await runCli(folder, ["init", "My_Shop", ...INIT.slice(1)]);
    expect(code).toBe(0);
    expect(filesIn(join(folder, "My_Shop"))["PROJECT"]).toContain("projectName: my-shop");
  });

  it("keeps author, licence and namespaced mode where they belong", async () => {
    const folder = await newProject(
      "--owner",
      'A "quoted" name',
      "--license",
      "mit",
      "--namespaced",
    );
    const files = filesIn(folder);
    expect(JSON.parse(files["package.json"] ?? "")).toMatchObject({
      author: 'A "quoted" name',
      license: "MIT",
    });
    expect(files["PROJECT"]).toContain("namespaced: true");
    expect(files["config/rbac/service_account.yaml"]).toContain("kind: RoleBinding");
    expect(files["config/manager/manager.yaml"]).toContain("name: WATCH_NAMESPACE");
    expect(files["src/main.ts"]).toContain("cache: { namespaces }");
  });

  it("refuses a folder that already is a project, and one with files in the way", async () => {
    const folder = await newProject();
    const before = filesIn(folder);
    const again = await runCli(folder, INIT);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining("already-a-project")]);
    expect(filesIn(folder)).toEqual(before);

    const other = emptyFolder();
    writeFileSync(join(other, "README.md"), "mine\n");
    writeFileSync(join(other, "notes.txt"), "mine\n");
    const blocked = await runCli(other, [...INIT, "--project-name", "shop"]);
    expect(blocked.code).toBe(2);
    expect(blocked.err).toContain("README.md is already there");
    expect(blocked.err).toContain("--force");
    expect(filesIn(other)).toEqual({ "README.md": "mine\n", "notes.txt": "mine\n" });
    const forced = await runCli(other, [...INIT, "--project-name", "shop", "--force"]);
    expect(forced.code).toBe(0);
    expect(filesIn(other)["README.md"]).toContain("# shop");
  });

  it("writes nothing on a dry run, not even the folder, and shows the lines on --diff", async () => {
    const folder = emptyFolder();
    const { code, out } = await runCli(folder, [
      "init",
      "sub",
      ...INIT.slice(1),
      "--dry-run",
      "--diff",
    ]);
    expect(code).toBe(0);
    expect(out).toContain("create PROJECT");
    expect(out).toContain("+domain: example.com");
    expect(filesIn(folder)).toEqual({});
  });

  it.each(["true", "null", "y", "on", "off"])(
    "writes the name %s so that every reader takes it as text",
    async (name) => {
      const folder = emptyFolder();
      expect((await runCli(folder, [...INIT, "--project-name", name])).code).toBe(0);
      const files = filesIn(folder);
      for (const [path, text] of Object.entries(files)) {
        if (!path.endsWith(".yaml") && path !== "PROJECT") continue;
        // kubectl reads YAML 1.1.
        for (const version of ["1.1", "1.2"] as const) {
          for (const document of parseAllDocuments(text, { version })) {
            visit(document, {
              Scalar: (_, { value, source }, path) => {
                const pair = path.at(-1);
                const isFlag = isPair(pair) && /^(runAsNonRoot|readOnly.*)$/.test(String(pair.key));
                if (source === name && !isFlag)
                  expect([path, version, value]).toEqual([path, version, name]);
              },
            });
          }
        }
      }
      const created = await runCli(folder, [
        "create",
        "api",
        "--group",
        name,
        "--version",
        "v1",
        "--kind",
        "Page",
      ]);
      expect(created.code, created.err).toBe(0);
      const rendered = await renderKustomization(join(folder, "config/manager"));
      const labels = rendered.map(({ metadata }) => metadata.labels?.["app.kubernetes.io/name"]);
      expect(new Set(labels)).toEqual(new Set([name]));
    },
  );

  it.each(["1.5", "0x1", "1e3", "on", "null", "2020-01-01", "1.2.3", "012"])(
    "writes the domain %s so that later commands read it as text",
    async (domain) => {
      const folder = emptyFolder();
      const flags = ["--domain", domain, "--no-install", "--project-name", "shop"];
      expect((await runCli(folder, ["init", ...flags])).code).toBe(0);
      const text = filesIn(folder)["PROJECT"] ?? "";
      for (const version of ["1.1", "1.2"] as const) {
        expect(parseDocument(text, { version }).get("domain")).toBe(domain);
      }
      const created = await runCli(folder, [
        "create",
        "api",
        "--group",
        "web",
        "--version",
        "v1",
        "--kind",
        "Page",
      ]);
      expect(created.code, created.err).toBe(0);
    },
  );

  it("says the way into the folder as a shell takes it", async () => {
    const folder = emptyFolder();
    const { out } = await runCli(folder, ["init", "My Proj's", ...INIT.slice(1)]);
    expect(out).toContain(String.raw`  cd 'My Proj'\''s'`);
  });

  it("says why the packages were not installed, and leaves the project", async () => {
    const folder = emptyFolder();
    const programs = emptyFolder();
    const npm = join(programs, "npm");
    writeFileSync(npm, "#!/bin/sh\necho npm error no such registry >&2\nexit 7\n", { mode: 0o755 });
    const argv = ["init", "--domain", "example.com", "--project-name", "shop"];
    const { code, err } = await runCli(folder, argv, {
      env: { PATH: `${programs}:/bin:/usr/bin` },
    });
    expect(code).toBe(1);
    expect(err).toContain("exited with code 7:\n    npm error no such registry");
    expect(err).toContain(`Run \`npm install\` in ${folder}`);
    expect(filesIn(folder)["PROJECT"]).toContain("shop");
  });

  it("asks nobody when nobody is there", async () => {
    const { code, err } = await runCli(emptyFolder(), [
      "init",
      "--no-install",
      "--project-name",
      "a",
    ]);
    expect([code, err]).toEqual([2, expect.stringContaining("tsop init --domain example.com")]);
  });
});

describe("tsop create api", () => {
  const CREATE = ["create", "api", "--group", "web", "--version", "v1", "--kind", "Page"];

  it("writes a test that may take longer than eventually tries, so that its assertion is what is shown", async () => {
    const folder = await newProject();
    await runCli(folder, CREATE);
    const text = filesIn(folder)["test/page-controller.test.ts"] ?? "";
    const timeout = Number(
      /describe\("Page", \{ timeout: ([\d_]+) \}/.exec(text)?.[1]?.replaceAll("_", ""),
    );
    const eventuallyTries = 4000;
    expect(timeout).toBeGreaterThan(2 * eventuallyTries);
  });

  it("adds a kind with all that belongs to it, at most 32 files in all", async () => {
    const folder = await newProject();
    const { code } = await runCli(folder, [
      ...CREATE,
      "--field",
      "title:string",
      "--field",
      "size:quantity=1Gi",
    ]);
    expect(code).toBe(0);
    const files = filesIn(folder);
    expect(Object.keys(files).length - 1).toBeLessThanOrEqual(32);
    expect(files["src/api/v1/page.ts"]).toContain("title!: string;");
    expect(files["src/api/v1/page.ts"]).toContain('size: Quantity = "1Gi";');
    expect(files["src/controllers/index.ts"]).toContain("setUpPage(manager);");
    expect(files["config/samples/web_v1_page.yaml"]).toBe(
      "apiVersion: web.example.com/v1\nkind: Page\nmetadata:\n  name: page-sample\nspec:\n  title: example\n  size: 1Gi\n",
    );
    expect(files["config/samples/kustomization.yaml"]).toContain("  - web_v1_page.yaml\n");
    expect(files["src/api/v1/page.ts"]).toContain('userRoles: "separate"');
    expect(files["src/api/v1/page.ts"]).toContain(
      '@PrintColumn("Age", (page: Page) => page.metadata.creationTimestamp)\n',
    );
    expect(files["PROJECT"]).toContain("kind: Page");
    expect(Object.values(files).join("")).not.toContain("{{");
  });

  it("changes nothing the second time, and leaves the user's edits alone", async () => {
    const folder = await newProject();
    await runCli(folder, CREATE);
    writeFileSync(join(folder, "src/api/v1/page.ts"), "// mine\n");
    const before = filesIn(folder);
    const again = await runCli(folder, CREATE);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining("nothing to change")]);
    expect(filesIn(folder)).toEqual(before);
    await runCli(folder, [...CREATE, "--force"]);
    expect(filesIn(folder)["src/api/v1/page.ts"]).toContain("class Page");
  });

  it("lists every sample, also those that were there before the list", async () => {
    const folder = await newProject();
    await runCli(folder, CREATE);
    rmSync(join(folder, "config/samples/kustomization.yaml"));
    await runCli(
      folder,
      CREATE.map((word) => (word === "Page" ? "Book" : word)),
    );
    expect(filesIn(folder)["config/samples/kustomization.yaml"]).toMatch(
      /resources:\n {2}- web_v1_page.yaml\n {2}- web_v1_book.yaml\n$/,
    );
  });

  it("works from a folder below the project", async () => {
    const folder = await newProject();
    mkdirSync(join(folder, "src/deep"));
    expect((await runCli(join(folder, "src/deep"), CREATE)).code).toBe(0);
    expect(filesIn(folder)["src/api/v1/page.ts"]).toBeDefined();
  });

  it("adds a version to a kind without a second controller", async () => {
    const folder = await newProject();
    await runCli(folder, CREATE);
    const main = filesIn(folder)["src/main.ts"];
    const { code } = await runCli(
      folder,
      CREATE.map((word) => (word === "v1" ? "v2" : word)),
    );
    const files = filesIn(folder);
    expect(code).toBe(0);
    expect(files["src/api/v2/page.ts"]).toBeDefined();
    expect(files["src/main.ts"]).toBe(main);
  });

  it("makes the type alone with --no-controller", async () => {
    const folder = await newProject();
    await runCli(folder, [...CREATE, "--no-controller"]);
    const files = filesIn(folder);
    expect(files["src/controllers/page-controller.ts"]).toBeUndefined();
    expect(files["src/controllers/index.ts"]).not.toContain("setUpPage");
    expect(files["PROJECT"]).toContain("controller: false");
  });

  it.each([
    [["--kind", "page"], "bad-kind"],
    [["--version", "1"], "bad-version"],
    [["--plural", "Pages"], "bad-plural"],
    [["--field", "a:strin"], "bad-field"],
    [["--group", "Web"], "bad-group"],
    [["--no-controller", "--no-resource"], "nothing-to-create"],
  ])("refuses %j and writes nothing", async (flags, code) => {
    const folder = await newProject();
    const before = filesIn(folder);
    const result = await runCli(folder, [...CREATE, ...flags]);
    expect([result.code, result.err]).toEqual([2, expect.stringContaining(`${code}:`)]);
    expect(result.err).toContain("fix ");
    expect(filesIn(folder)).toEqual(before);
  });

  it("leaves the other versions alone when the file of the first is the user's own by now", async () => {
    const folder = await newProject();
    await runCli(folder, CREATE);
    await runCli(folder, CREATE.with(CREATE.indexOf("v1"), "v2"));
    writeFileSync(join(folder, "src/api/v1/page.ts"), "// mine\n");
    const before = filesIn(folder);
    expect(await runCli(folder, CREATE)).toMatchObject({ code: 0 });
    expect(filesIn(folder)).toEqual(before);
  });

  it("gives a kind of a name that another group has files and functions of their own", async () => {
    const folder = await newProject();
    await runCli(folder, CREATE);
    const shop = ["create", "api", "--group", "shop", "--version", "v1", "--kind", "Page"];
    for (let time = 0; time < 2; time += 1) {
      expect(await runCli(folder, shop)).toMatchObject({ code: 0, err: "" });
    }
    const files = filesIn(folder);
    expect(files["src/api/v1/page-shop.ts"]).toContain('group: "shop.example.com"');
    expect(files["src/controllers/page-shop-controller.ts"]).toContain(
      'from "../api/v1/page-shop.ts"',
    );
    expect(files["src/controllers/page-shop-controller.ts"]).toContain('.named("page-shop")');
    expect(files["src/controllers/index.ts"]).toContain(
      "  setUpPage(manager);\n  setUpShopPage(manager);\n",
    );
    expect(await runCli(folder, ["manifests"])).toMatchObject({ code: 0, err: "" });
  });

  it("says what to do outside a project", async () => {
    const { code, err } = await runCli(emptyFolder(), CREATE);
    expect([code, err]).toEqual([2, expect.stringContaining("tsop init --domain")]);
  });
});
