import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { filesIn, newProject, projectAfter, runCli, type CliResult } from "./support/run-cli.ts";

const PAGE = ["--group", "web", "--kind", "Page"];
const V1 = [...PAGE, "--version", "v1"];
const ALPHA = [...PAGE, "--version", "v1alpha1"];
const CONVERSION = ["--conversion", "--spoke", "v1alpha1"];

async function succeed(root: string, ...argv: string[]): Promise<CliResult> {
  const result = await runCli(root, argv);
  expect([argv.join(" "), result.code, result.code === 0 ? "" : result.err]).toEqual([
    argv.join(" "),
    0,
    "",
  ]);
  return result;
}

const text = (root: string, path: string): string => readFileSync(join(root, path), "utf8");
const edit = (root: string, path: string, change: (text: string) => string): void =>
  writeFileSync(join(root, path), change(text(root, path)));

/** Projects that were found to be so: `upgrade` reads no more than these files. */
const upToDate = new Set<string>();

/** Whatever a command of this tsop wrote, the scaffold is that of this tsop. */
async function expectNothingToUpgrade(root: string): Promise<void> {
  const state = JSON.stringify(filesIn(root));
  if (upToDate.has(state)) return;
  upToDate.add(state);
  const { out } = await succeed(root, "upgrade", "--dry-run");
  expect(out).toContain("nothing to change");
}

/** Each command, and after each the one that undoes it, in the opposite order. */
async function thereAndBack(
  root: string,
  steps: readonly (readonly [string[], string[]])[],
): Promise<void> {
  const states = [filesIn(root)];
  for (const [create] of steps) {
    await succeed(root, "create", ...create);
    await expectNothingToUpgrade(root);
    states.push(filesIn(root));
  }
  for (const [, remove] of [...steps].reverse()) {
    expect(filesIn(root)).toEqual(states.pop());
    await succeed(root, "delete", ...remove);
    expect(filesIn(root)).toEqual(states.at(-1));
    await expectNothingToUpgrade(root);
  }
}

const api = (named: string[], ...flags: string[]): [string[], string[]] => [
  ["api", ...named, ...flags],
  ["api", ...named],
];
const webhook = (named: string[], ...flags: string[]): [string[], string[]] => [
  ["webhook", ...named, ...flags],
  ["webhook", ...named],
];

const IMPORTED = '{ setUpPage } from "./controllers/page-controller.ts"';

describe("tsop delete", { timeout: 120_000 }, () => {
  it.each<[string, string[], (readonly [string[], string[]])[]]>([
    ["a kind", [], [api(V1)]],
    ["a kind with fields", [], [api(V1, "--field", "image:string=nginx", "--field", "size:int?")]],
    ["a kind of a namespaced project", ["--namespaced"], [api(V1), webhook(V1, "--validation")]],
    ["a kind without a controller", [], [api(V1, "--no-controller")]],
    ["a kind without roles for users", [], [api(V1, "--user-roles", "none")]],
    [
      "a controller that came later",
      [],
      [
        api(V1, "--no-controller"),
        [
          ["api", ...V1, "--no-resource"],
          ["controller", ...V1],
        ],
      ],
    ],
    ["several versions", [], [api(ALPHA), api([...PAGE, "--version", "v1beta1"]), api(V1)]],
    [
      "kinds of one name in several groups",
      [],
      [
        api(V1),
        api(["--group", "shop", "--kind", "Page", "--version", "v1"]),
        api(["--kind", "Page", "--version", "v1"]),
      ],
    ],
    [
      "a controller of a kind of Kubernetes",
      [],
      [
        [
          ["api", "--group", "apps", "--version", "v1", "--kind", "Deployment", "--no-resource"],
          ["controller", "--group", "apps", "--version", "v1", "--kind", "Deployment"],
        ],
        api(V1),
      ],
    ],
    [
      "webhooks of a kind of Kubernetes",
      [],
      [
        webhook(
          ["--group", "core", "--version", "v1", "--kind", "Pod"],
          "--defaulting",
          "--validation",
        ),
      ],
    ],
    [
      "webhooks one type after the other",
      [],
      [
        api(V1),
        [
          ["webhook", ...V1, "--validation"],
          ["webhook", ...V1, "--validation"],
        ],
        [
          ["webhook", ...V1, "--defaulting"],
          ["webhook", ...V1, "--defaulting"],
        ],
      ],
    ],
    ...["self-managed", "cert-manager", "secret"].map(
      (mode): [string, string[], (readonly [string[], string[]])[]] => [
        `all webhooks, with certificates of the mode ${mode}`,
        [],
        [
          api(ALPHA),
          api(V1),
          webhook(V1, "--defaulting", "--validation", ...CONVERSION, "--certificates", mode),
          api(["--group", "web", "--kind", "Shelf", "--version", "v1"]),
          webhook(["--group", "web", "--kind", "Shelf", "--version", "v1"], "--validation"),
        ],
      ],
    ),
    ["a conversion alone", [], [api(ALPHA), api(V1), webhook(V1, ...CONVERSION)]],
  ])("undoes the creation of %s to the byte", async (_what, flags, steps) => {
    await thereAndBack(await newProject(...flags), steps);
  });

  it("undoes to the byte what was created beside generated manifests", async () => {
    const root = await newProject();
    const bare = filesIn(root);
    await succeed(root, "create", "api", ...ALPHA);
    await succeed(root, "manifests");
    const one = filesIn(root);
    await succeed(root, "create", "api", ...V1);
    await succeed(root, "create", "webhook", ...V1, "--validation", ...CONVERSION);
    await succeed(root, "manifests");
    expect(filesIn(root)).toHaveProperty(["config/webhook/service.yaml"]);
    await succeed(root, "delete", "webhook", ...V1);
    await succeed(root, "delete", "api", ...V1);
    expect(filesIn(root)).toEqual(one);
    await succeed(root, "manifests", "--check");
    await succeed(root, "delete", "api", ...ALPHA);
    expect(filesIn(root)).toEqual(bare);
    expect(existsSync(join(root, "config/crd"))).toBe(false);
    expect(existsSync(join(root, "src/api"))).toBe(false);
  });

  it("takes webhooks and converters along with the version that they are for", async () => {
    const root = await projectAfter([["create", "api", ...V1]]);
    const one = filesIn(root);
    await succeed(root, "create", "api", ...ALPHA);
    await succeed(root, "create", "webhook", ...V1, ...CONVERSION);
    await succeed(root, "delete", "api", ...ALPHA);
    expect(filesIn(root)).toEqual(one);
    await succeed(root, "create", "webhook", ...V1, "--validation");
    await succeed(root, "delete", "api", ...V1);
    expect(filesIn(root)).toEqual(filesIn(await newProject()));
  });

  it.each<[string, (root: string) => void]>([
    [
      "YAML laid out by a formatter with other indentation",
      (root) => {
        for (const path of ["PROJECT", "config/default/kustomization.yaml"]) {
          edit(root, path, (yaml) => stringify(parse(yaml), { indent: 4, indentSeq: false }));
        }
      },
    ],
    [
      "YAML in braces",
      (root) => {
        const list = "config/default/kustomization.yaml";
        edit(root, list, (yaml) => `${JSON.stringify(parse(yaml), undefined, 2)}\n`);
      },
    ],
    [
      "comments, blank lines, odd spaces and no end of line",
      (root) => {
        edit(root, "PROJECT", (yaml) =>
          `\n# ours\n${yaml}certificates: self-managed   # mine\n`.replace(
            "\ncertificates",
            "\n\n# own\nx-own:   {a:   1}\n#",
          ),
        );
        edit(
          root,
          "config/default/kustomization.yaml",
          (yaml) =>
            `${yaml.replace("resources:", "resources: # all of it\n")}  # the last\n\nlabels:\n- pairs: {a:  "b"}`,
        );
      },
    ],
    [
      "a main.ts in another style",
      (root) =>
        edit(root, "src/main.ts", (main) =>
          main
            .replace(/"/g, "'")
            .replace(/;\n/g, "\n")
            .replace("await manager", "const own = 1 // mine\n\nawait manager")
            .replace(/,\n\}\)\n/g, "\n})\n"),
        ),
    ],
    [
      "a main.ts with the manager in a function",
      (root) =>
        edit(root, "src/main.ts", (main) =>
          main
            .replace(
              "const manager = ",
              "async function run(): Promise<void> {\n  const manager = ",
            )
            .replace(
              "await manager.start(setupSignalHandler());",
              "  /* now */ await manager.start(setupSignalHandler()); // on\n}\nawait run();",
            ),
        ),
    ],
    [
      "line ends of Windows",
      (root) => {
        for (const path of ["PROJECT", "src/main.ts", "config/default/kustomization.yaml"]) {
          edit(root, path, (lines) => lines.replaceAll("\n", "\r\n"));
        }
      },
    ],
  ])("undoes to the byte what was created in a project with %s", async (_what, change) => {
    const root = await newProject();
    change(root);
    await thereAndBack(root, [
      api(ALPHA),
      api(V1),
      webhook(V1, "--defaulting", "--validation", ...CONVERSION, "--certificates", "cert-manager"),
    ]);
  });

  it("gives back which version was stored, also where the user had said it", async () => {
    const root = await newProject();
    await succeed(root, "create", "api", ...ALPHA);
    const path = "src/api/v1alpha1/page.ts";
    edit(root, path, (source) =>
      source.replace('version: "v1alpha1"', 'storage: true, version: "v1alpha1"'),
    );
    await thereAndBack(root, [api(V1), webhook(V1, ...CONVERSION)]);
    expect(text(root, path)).toContain("storage: true,");
  });

  it.each([
    ["src/api/v1/page.ts", "delete api"],
    ["src/controllers/page-controller.ts", "delete controller"],
    ["test/page-controller.test.ts", "delete controller"],
    ["config/samples/web_v1_page.yaml", "delete api"],
    ["src/webhooks/page-validator.ts", "delete webhook"],
    ["config/default/manager_webhook_patch.yaml", "delete webhook"],
    ["config/network-policy/allow-webhook-traffic.yaml", "delete webhook"],
  ])("refuses to delete %s when the user changed it, unless forced", async (path, command) => {
    const root = await projectAfter([
      ["create", "api", ...V1],
      ["create", "webhook", ...V1, "--validation"],
    ]);
    appendFileSync(join(root, path), path.endsWith(".ts") ? "// mine\n" : "# mine\n");
    const before = filesIn(root);
    const argv = [...command.split(" "), ...V1];
    const { code, err } = await runCli(root, argv);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`file-changed: ${path} would be deleted`),
    ]);
    expect(filesIn(root)).toEqual(before);
    await succeed(root, ...argv, "--force");
    expect(filesIn(root)).not.toHaveProperty([path]);
  });

  it("takes no offence at what a formatter changed", async () => {
    const root = await newProject();
    const before = filesIn(root);
    await succeed(root, "create", "api", ...V1);
    edit(root, "config/samples/web_v1_page.yaml", (yaml) => stringify(parse(yaml), { indent: 4 }));
    edit(root, "src/controllers/page-controller.ts", (source) =>
      source
        .replaceAll('"', "'")
        .replace(/^(?!\s*\/\/)(.*);$/gm, "$1")
        .replace(/import \{[^}]*\}/, (all) => all.replace(/\s+/g, " ").replace(", }", " }")),
    );
    await succeed(root, "delete", "api", ...V1);
    expect(filesIn(root)).toEqual(before);
  });

  it("refuses when a file of the user imports what would go, with file and line", async () => {
    const root = await projectAfter([["create", "api", ...V1]]);
    writeFileSync(
      join(root, "src/own.ts"),
      '\nimport { Page } from "./api/v1/page.ts";\nexport { Page };\n',
    );
    const before = filesIn(root);
    const { code, err } = await runCli(root, ["delete", "api", ...V1]);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("src/own.ts:2 imports src/api/v1/page.ts"),
    ]);
    expect(filesIn(root)).toEqual(before);
  });

  it("finds the class and its controller where the user moved them", async () => {
    const root = await newProject();
    const before = filesIn(root);
    await succeed(root, "create", "api", ...V1);
    await succeed(root, "manifests");
    renameSync(join(root, "src/api/v1/page.ts"), join(root, "src/api/v1/leaf.ts"));
    renameSync(
      join(root, "src/controllers/page-controller.ts"),
      join(root, "src/controllers/leaf-controller.ts"),
    );
    edit(root, "src/controllers/leaf-controller.ts", (one) =>
      one.replace("v1/page.ts", "v1/leaf.ts"),
    );
    edit(root, "src/controllers/index.ts", (index) =>
      index.replace("page-controller", "leaf-controller"),
    );
    edit(root, "test/page-controller.test.ts", (test) =>
      test.replace("v1/page.ts", "v1/leaf.ts").replace("page-controller", "leaf-controller"),
    );
    const refused = await runCli(root, ["delete", "api", ...V1]);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining("src/controllers/leaf-controller.ts"),
    ]);
    await succeed(root, "delete", "api", ...V1, "--force");
    expect(filesIn(root)).toEqual(before);
  });

  it("says which class stays, as others are in its file", async () => {
    const root = await projectAfter([["create", "api", ...V1]]);
    edit(root, "src/api/v1/page.ts", (text) =>
      text.concat(
        '\n@Resource({ group: "web.example.com", version: "v1", plural: "leaves" })\nexport class Leaf extends CustomResource<PageSpec, PageStatus> {}\n',
      ),
    );
    const { code, err } = await runCli(root, ["delete", "api", ...V1, "--force"]);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("src/api/v1/page.ts keeps the class Page, since Leaf is there too"),
    ]);
    expect(existsSync(join(root, "src/api/v1/page.ts"))).toBe(true);
  });

  it("tells with --force, on a dry run too, which files import what goes", async () => {
    const root = await projectAfter([["create", "api", ...V1]]);
    writeFileSync(join(root, "src/own.ts"), 'export { Page } from "./api/v1/page.ts";\n');
    const { err } = await succeed(root, "delete", "api", ...V1, "--force", "--dry-run");
    expect(err).toContain("note src/own.ts:1 imports src/api/v1/page.ts, which is deleted");
  });

  it.each(["src/controllers/index.ts", "src/main.ts"])(
    "refuses a call in %s that the user changed, and one that it does not understand",
    async (path) => {
      const root = await projectAfter([["create", "api", ...V1]]);
      const isMain = path === "src/main.ts";
      if (isMain) {
        edit(root, path, (main) =>
          main
            .replace('{ setUpAll } from "./controllers/index.ts"', IMPORTED)
            .replace("setUpAll(manager)", "setUpPage(manager)"),
        );
        rmSync(join(root, "src/controllers/index.ts"));
      }
      edit(root, path, (text) => text.replace("setUpPage(manager)", "setUpPage(manager, 3)"));
      const changed = await runCli(root, ["delete", "controller", ...V1]);
      const told = new RegExp(
        `${path}:\\d+ would be deleted, but you changed it.*setUpPage\\(manager, 3\\)`,
      );
      expect([changed.code, changed.err]).toEqual([1, expect.stringMatching(told)]);
      edit(root, path, (text) =>
        text.replace("setUpPage(manager, 3);", "if (own) setUpPage(manager);"),
      );
      const foreign = await runCli(root, ["delete", "controller", ...V1, "--force"]);
      const unknown = new RegExp(`main-not-understood: ${path}:\\d+ uses \`setUpPage\``);
      expect([foreign.code, foreign.err]).toEqual([1, expect.stringMatching(unknown)]);
    },
  );

  it("writes nothing on a dry run, and says what would go", async () => {
    const root = await projectAfter([["create", "api", ...V1]]);
    const before = filesIn(root);
    const { out } = await succeed(root, "delete", "api", ...V1, "--dry-run", "--diff");
    expect(out).toContain("delete src/api/v1/page.ts");
    expect(out).toContain("-setUpPage(manager);");
    expect(filesIn(root)).toEqual(before);
  });

  it.each([
    [
      "a kind that is not there",
      ["api", ...V1],
      "It has --group web --version v1alpha1 --kind Page",
    ],
    [
      "a webhook that is not there",
      ["webhook", ...ALPHA, "--validation"],
      "no webhook for validation",
    ],
    ["no version", ["api", "--kind", "Page"], "--version is missing"],
  ])("refuses %s", async (_what, argv, message) => {
    const root = await newProject();
    await succeed(root, "create", "api", ...ALPHA);
    const { code, err } = await runCli(root, ["delete", ...argv]);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});
