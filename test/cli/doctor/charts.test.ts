import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { emptyFolder, runCli } from "../support/run-cli.ts";

function chart(): string {
  const root = emptyFolder();
  mkdirSync(join(root, "chart/templates/crds"), { recursive: true });
  writeFileSync(join(root, "chart/Chart.yaml"), "apiVersion: v2\nname: x\nversion: 1.0.0\n");
  writeFileSync(
    join(root, "chart/templates/crds/a.yaml"),
    "{{- if .Values.x }}\na: b\n{{- end }}\n",
  );
  return root;
}

it.each(["chart", "chart/templates", "chart/templates/crds", "chart/templates/crds/a.yaml"])(
  "doctor %s says that Helm has to render the chart first",
  async (path) => {
    const { code, out, err } = await runCli(chart(), ["doctor", path]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(
      "is part of a Helm chart, whose templates are no manifests before Helm renders them",
    );
    expect(err).toContain("helm template my-release CHART > manifests.yaml");
  },
);
