/** A cloned project contains any kustomization: it takes nothing from outside, and neither all time nor all memory. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderKustomization } from "../../../src/cli/kustomize/render.ts";
import { emptyFolder } from "../support/run-cli.ts";

const SECRET = "apiVersion: v1\nkind: Secret\nmetadata: { name: a }\n";

function write(files: Readonly<Record<string, string>>): string {
  const folder = emptyFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe("a kustomization of a project", () => {
  it("takes no objects from folders outside of it, by a path or by a link", async () => {
    const folder = write({
      "outer/kustomization.yaml": "resources: [secret.yaml]",
      "outer/secret.yaml": SECRET,
      "project/PROJECT": "",
      "project/base/kustomization.yaml": "resources: [secret.yaml]",
      "project/base/secret.yaml": SECRET,
      "project/config/near/kustomization.yaml": "resources: [../../base]",
      "project/config/far/kustomization.yaml": "resources: [../../../outer]",
      "project/config/linked/kustomization.yaml": "resources: [../link]",
    });
    symlinkSync(join(folder, "outer"), join(folder, "project/config/link"));
    const config = join(folder, "project/config");
    expect(await renderKustomization(join(config, "near"))).toHaveLength(1);
    for (const name of ["far", "linked", "link"]) {
      await expect(renderKustomization(join(config, name))).rejects.toMatchObject({
        code: "kustomize-outside",
      });
    }
  });

  it("is refused if folders that are listed twice multiply", async () => {
    const names = Array.from({ length: 30 }, (_, index) => index);
    const folder = write(
      Object.fromEntries(
        names.map((name) => {
          const next = name === 29 ? "[]" : `[../k${name + 1}, ../k${name + 1}]`;
          return [`k${name}/kustomization.yaml`, `resources: ${next}\nnamePrefix: a-\n`];
        }),
      ),
    );
    await expect(renderKustomization(join(folder, "k0"))).rejects.toMatchObject({
      code: "kustomize-limit",
    });
  });

  const object =
    "apiVersion: example.com/v1\nkind: A\nmetadata: { name: a }\nspec: { a: { b: c } }\n";
  it.each([
    ["spec", (index: number) => `[spec.x${index}], options: { create: true }`],
    ["spec.a.b", () => '[spec.a.b], options: { delimiter: ",", index: -1 }'],
  ])("is refused if replacements of %s double it again and again", async (source, target) => {
    const replacements = Array.from(
      { length: 40 },
      (_, index) =>
        `- source: { kind: A, fieldPath: ${source} }\n  targets: [{ select: { kind: A }, fieldPaths: ${target(index)} }]\n`,
    );
    const folder = write({
      "object.yaml": object,
      "kustomization.yaml": `resources: [object.yaml]\nreplacements:\n${replacements.join("")}`,
    });
    await expect(renderKustomization(folder)).rejects.toMatchObject({ code: "kustomize-limit" });
  });
});
