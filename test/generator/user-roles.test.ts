import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import type { ClusterRole } from "../../src/k8s.ts";
import { emptyFolder, filesIn, runCli } from "../cli/support/run-cli.ts";

const LIST = "config/rbac/kustomization.yaml";
const kind = (name: string, options: string, group = "web"): string => `
@Resource({ group: "${group}.example.com", version: "v1"${options} })
export class ${name} extends CustomResource<{ text?: string }, { seen?: string }> {}
`;

/** A project with these classes, its manifests written. */
async function project(...classes: string[]): Promise<string> {
  const root = emptyFolder();
  mkdirSync(join(root, "src"));
  mkdirSync(join(root, "config/rbac"), { recursive: true });
  writeFileSync(join(root, "PROJECT"), "layout: tsop/v1\nprojectName: web\ndomain: example.com\n");
  writeFileSync(join(root, LIST), "# mine\nresources:\n  - service_account.yaml # who it is\n");
  await write(root, ...classes);
  return root;
}

async function write(root: string, ...classes: string[]): Promise<void> {
  const head = 'import { CustomResource, Resource } from "tsop";\n';
  classes.forEach((text, index) => writeFileSync(join(root, `src/kind${index}.ts`), head + text));
  const { code, err } = await runCli(root, ["manifests"]);
  expect([code, err]).toEqual([0, ""]);
}

const textOf = (root: string): string | undefined => filesIn(root)["config/rbac/user_roles.yaml"];
const rolesOf = (root: string): ClusterRole[] =>
  parseAllDocuments(textOf(root) ?? "").map((document) => document.toJS() as ClusterRole);
const namesOf = (root: string): (string | undefined)[] =>
  rolesOf(root).map(({ metadata }) => metadata.name);
const listOf = (root: string): string => readFileSync(join(root, LIST), "utf8");

describe("roles for the users of a kind", () => {
  it("are those of kubebuilder, and reach the cluster's own roles where that is asked for", async () => {
    const root = await project(kind("Page", ', userRoles: "aggregated"'));
    expect(namesOf(root)).toEqual(["page-admin-role", "page-editor-role", "page-viewer-role"]);
    const [admin, editor, viewer] = rolesOf(root);
    expect(editor).toEqual({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: {
        name: "page-editor-role",
        labels: { "rbac.authorization.k8s.io/aggregate-to-edit": "true" },
      },
      rules: [
        {
          apiGroups: ["web.example.com"],
          resources: ["pages"],
          verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
        },
        { apiGroups: ["web.example.com"], resources: ["pages/status"], verbs: ["get"] },
      ],
    });
    expect(admin?.rules?.[0]?.verbs).toEqual(["*"]);
    expect(viewer?.metadata.labels).toEqual({
      "rbac.authorization.k8s.io/aggregate-to-view": "true",
    });
  });

  it("carry no labels where they are to be bound by hand", async () => {
    const root = await project(kind("Page", ', userRoles: "separate", statusSubresource: false'));
    const text = textOf(root);
    expect(text).toContain("page-viewer-role");
    expect(text).not.toContain("labels");
    expect(text).not.toContain("/status");
  });

  it("are in the project's list while there are any, and gone when no kind asks for them", async () => {
    const root = await project(kind("Page", ', userRoles: "separate"'));
    expect(listOf(root)).toBe(
      "# mine\nresources:\n  - service_account.yaml # who it is\n  - user_roles.yaml\n",
    );
    await write(root, kind("Page", ""));
    expect(textOf(root)).toBeUndefined();
    expect(listOf(root)).toBe("# mine\nresources:\n  - service_account.yaml # who it is\n");
  });

  it("are named by the group too where two kinds have one name", async () => {
    const asks = ', userRoles: "separate"';
    const root = await project(kind("Page", asks), kind("Page", asks, "shop"));
    expect(namesOf(root)).toEqual(
      ["shop", "web"].flatMap((group) =>
        ["admin", "editor", "viewer"].map((user) => `${group}.example.com-page-${user}-role`),
      ),
    );
  });

  it("are refused by a name that is none", async () => {
    const root = await project();
    const text = kind("Page", ', userRoles: "agregated"');
    writeFileSync(
      join(root, "src/page.ts"),
      `import { CustomResource, Resource } from "tsop";${text}`,
    );
    const { code, err } = await runCli(root, ["manifests"]);
    expect(code).toBe(1);
    expect(err).toContain("Did you mean aggregated?");
  });
});
