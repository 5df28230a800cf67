import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { filesIn, projectAfter, runCli } from "./support/run-cli.ts";
import { typeErrors } from "./support/type-errors.ts";

const kind = (name: string): string[] => ["--group", "web", "--version", "v1", "--kind", name];
const PAGE = ["create", "api", ...kind("Page")];
const pathOf = (controller: string): string => `src/controllers/${controller}-controller.ts`;

async function succeed(root: string, ...argv: string[]): Promise<void> {
  const { code, err } = await runCli(root, argv);
  expect([argv, code, err]).toEqual([argv, 0, ""]);
}

/** What authors do who would rather write each right beside its controller. */
function withMarkersOnly(root: string): void {
  const path = join(root, "PROJECT");
  writeFileSync(path, `${readFileSync(path, "utf8")}rbac: markers\n`);
}

interface Role {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string };
  readonly rules?: readonly Record<"apiGroups" | "resources" | "verbs", readonly string[]>[];
}

/** What the generated roles grant, one right a line; no code here reads a status on its own. */
function grantsIn(files: Readonly<Record<string, string>>): string[] {
  const roles = parseAllDocuments(files["config/rbac/role.yaml"] ?? "").map(
    (one) => one.toJS() as Role,
  );
  return roles.flatMap(({ kind: scope, metadata, rules }) =>
    (rules ?? []).flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) =>
          verbs
            .filter((verb) => verb !== "get" || !resource.endsWith("/status"))
            .map((verb) => `${scope} ${metadata.namespace ?? ""}: ${verb} ${resource}.${group}`),
        ),
      ),
    ),
  );
}

/** What is added to a project with a controller, the name of its controller, and what takes it out. */
const ADDED: readonly (readonly [string, string[], string, string[]])[] = [
  ["a kind", ["api", ...kind("Shelf")], "shelf", ["api", ...kind("Shelf")]],
  [
    "a kind of the cluster",
    ["api", ...kind("House"), "--scope", "Cluster"],
    "house",
    ["api", ...kind("House")],
  ],
  [
    "a kind that runs an image",
    ["api", ...kind("Runner"), "--image", "nginx"],
    "runner",
    ["api", ...kind("Runner")],
  ],
  [
    "a controller of a kind of Kubernetes",
    ["controller", "--group", "apps", "--version", "v1", "--kind", "Deployment"],
    "deployment",
    ["controller", "--group", "apps", "--version", "v1", "--kind", "Deployment"],
  ],
  [
    "a controller of a kind of Kubernetes that is in no namespace",
    ["controller", "--group", "core", "--version", "v1", "--kind", "Namespace"],
    "namespace",
    ["controller", "--group", "core", "--version", "v1", "--kind", "Namespace"],
  ],
];

describe.each([
  ["all namespaces", []],
  ["its own namespace", ["--namespaced"]],
])("create in a project of %s", { timeout: 120_000 }, (_where, flags) => {
  it.each(ADDED)("adds no @Rbac: %s", async (_what, create, controller, remove) => {
    const root = await projectAfter([PAGE], ...flags);
    await succeed(root, "manifests");
    const before = filesIn(root);

    await succeed(root, "create", ...create);
    await succeed(root, "manifests");
    const after = filesIn(root);
    expect(after[pathOf(controller)]).not.toContain("Rbac");

    // What the markers grant with which a controller is scaffolded where they are the role is granted here, too.
    const marked = await projectAfter([], ...flags);
    withMarkersOnly(marked);
    await succeed(marked, ...PAGE);
    await succeed(marked, "create", ...create);
    expect(filesIn(marked)[pathOf(controller)]).toContain("@Rbac(");
    await succeed(marked, "manifests");
    expect(grantsIn(after)).toEqual(expect.arrayContaining(grantsIn(filesIn(marked))));

    await succeed(root, "delete", ...remove);
    await succeed(root, "manifests");
    expect(filesIn(root)).toEqual(before);
  });

  it("adds code that compiles", async () => {
    const root = await projectAfter([PAGE], ...flags);
    for (const [, create] of ADDED) await succeed(root, "create", ...create);
    expect(typeErrors(root)).toEqual([]);
  });
});
