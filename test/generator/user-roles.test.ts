import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
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

const rolesOf = (root: string): string[] =>
  Object.keys(filesIn(root)).filter((path) => path.startsWith("config/rbac/kinds/"));
const listOf = (root: string): string => readFileSync(join(root, LIST), "utf8");

describe("roles for the users of a kind", () => {
  it("are those of kubebuilder, and reach the cluster's own roles where that is asked for", async () => {
    const root = await project(kind("Page", ', userRoles: "aggregated"'));
    expect(rolesOf(root)).toEqual([
      "config/rbac/kinds/kustomization.yaml",
      "config/rbac/kinds/page_admin_role.yaml",
      "config/rbac/kinds/page_editor_role.yaml",
      "config/rbac/kinds/page_viewer_role.yaml",
    ]);
    const files = filesIn(root);
    expect(parse(files["config/rbac/kinds/page_editor_role.yaml"] ?? "")).toEqual({
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
    expect(files["config/rbac/kinds/page_admin_role.yaml"]).toContain("- '*'");
    expect(files["config/rbac/kinds/page_viewer_role.yaml"]).toContain("aggregate-to-view");
  });

  it("carry no labels where they are to be bound by hand", async () => {
    const root = await project(kind("Page", ', userRoles: "separate", statusSubresource: false'));
    const text = filesIn(root)["config/rbac/kinds/page_viewer_role.yaml"];
    expect(text).not.toContain("labels");
    expect(text).not.toContain("/status");
  });

  it("are in the project's list while there are any, and gone when no kind asks for them", async () => {
    const root = await project(kind("Page", ', userRoles: "separate"'));
    expect(listOf(root)).toBe(
      "# mine\nresources:\n  - service_account.yaml # who it is\n  - kinds\n",
    );
    await write(root, kind("Page", ""));
    expect(rolesOf(root)).toEqual([]);
    expect(listOf(root)).toBe("# mine\nresources:\n  - service_account.yaml # who it is\n");
  });

  it("are named by the group too where two kinds have one name", async () => {
    const asks = ', userRoles: "separate"';
    const root = await project(kind("Page", asks), kind("Page", asks, "shop"));
    expect(rolesOf(root)).toContain("config/rbac/kinds/shop.example.com_page_admin_role.yaml");
    expect(filesIn(root)["config/rbac/kinds/web.example.com_page_admin_role.yaml"]).toContain(
      "name: web.example.com-page-admin-role",
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
