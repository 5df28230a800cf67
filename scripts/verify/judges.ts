import { execa } from "execa";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAllDocuments, stringify } from "yaml";
import { startControlPlane } from "../../src/controlplane/control-plane.ts";
import { clientFolder, Kubectl } from "../../test/support/kubectl.ts";
import { defineVerification } from "../programs/program.ts";
import type { Tally } from "../programs/tally.ts";
import { judgedProjects, type JudgedProject } from "./judges/projects.ts";
import { schemaLocation, writeSchemas } from "./judges/schemas.ts";
import { buildTools, foreignCrds, type Tool } from "./judges/tools.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cache = join(root, ".cache/judges");
/** Values of the chart that are rendered beside the default ones. */
const CHART_VALUES: readonly (readonly string[])[] = [
  [],
  ["--set", `namePrefix=other,replicaCount=3,image.digest=sha256:${"0".repeat(64)}`],
  ["--set", "metrics.enabled=false,networkPolicy.enabled=false,rbac.userRoles=false"],
];

/** Tests that kube-score rates as critical, and whose failure has a reason. */
const IGNORED_TESTS = [
  // OpenShift gives each namespace users of its own, and refuses pods that name another: the image names one.
  "container-security-context-user-group-id",
  // An image with a tag or digest stays the same; a restart should not need the registry.
  "container-image-pull-policy",
];

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: object;
}

async function ask(
  program: string,
  args: readonly string[],
  input = "",
): Promise<{ failed: boolean; output: string }> {
  const { failed, all } = await execa(program, args, { input, reject: false, all: true });
  return { failed, output: all };
}

const objectsOf = (yaml: string): Rendered[] =>
  parseAllDocuments(yaml)
    .map((document) => document.toJS() as Rendered | null)
    .filter((object) => object !== null);

/** The checkers, and their tools. */
class Judges {
  readonly #tools: ReadonlyMap<Tool, string>;
  readonly #kubectl: Kubectl;
  readonly #helm = join(clientFolder(), "helm");
  readonly #schemas: string;
  readonly #temporary: string;
  readonly #tally: Tally;

  constructor(
    tools: ReadonlyMap<Tool, string>,
    kubectl: Kubectl,
    schemas: string,
    temporary: string,
    tally: Tally,
  ) {
    this.#tools = tools;
    this.#kubectl = kubectl;
    this.#schemas = schemas;
    this.#temporary = temporary;
    this.#tally = tally;
  }

  async judge(project: JudgedProject): Promise<void> {
    const { folder, name } = project;
    const rendered = await this.#kubectl.output(["kustomize", join(folder, "config/default")]);
    await this.#manifests(name, "config/default", rendered);
    await this.#samples(project);
    const dry = ["apply", "--server-side", "--validate=strict", "--dry-run=server", "-f", "-"];
    // Objects in a namespace need the namespace to exist, even for a dry run.
    const namespaces = objectsOf(rendered).filter(({ kind }) => kind === "Namespace");
    await this.#kubectl.run(
      ["apply", "--server-side", "-f", "-"],
      namespaces.map((one) => stringify(one)).join("---\n"),
    );
    const { code, stderr } = await this.#kubectl.run(dry, rendered);
    this.#say(
      "control plane",
      name,
      `${objectsOf(rendered).length} objects`,
      code === 0 ? "" : stderr,
    );
    await this.#chart(project);
    await this.#bundle(project);
    const workflow = join(folder, ".github/workflows/ci.yml");
    if (existsSync(workflow)) await this.#run("actionlint", name, "the workflow", [workflow]);
    await this.#rules(project, objectsOf(rendered));
  }

  async #manifests(name: string, what: string, yaml: string): Promise<void> {
    const args = ["-strict", "-summary", "-schema-location", schemaLocation(this.#schemas), "-"];
    await this.#run("kubeconform", name, `${what}, ${objectsOf(yaml).length} objects`, args, yaml);
  }

  async #samples({ name, folder }: JudgedProject): Promise<void> {
    const samples = join(folder, "config/samples");
    const files = readdirSync(samples).filter((file) => !file.startsWith("kustomization"));
    const texts = files.map((file) => readFileSync(join(samples, file), "utf8"));
    await this.#manifests(name, "samples", texts.join("\n---\n"));
  }

  async #score(name: string, what: string, yaml: string): Promise<void> {
    await this.#run(
      "kube-score",
      name,
      what,
      ["score", "-o", "ci", ...IGNORED_TESTS.flatMap((test) => ["--ignore-test", test]), "-"],
      yaml,
      (output) =>
        output
          .split("\n")
          .filter((line) => line.startsWith("[CRITICAL]"))
          .join("\n"),
    );
  }

  async #chart({ name, folder, projectName }: JudgedProject): Promise<void> {
    const chart = join(folder, "chart");
    const lint = await ask(this.#helm, ["lint", "--strict", chart]);
    this.#say("helm lint", name, "the chart", lint.failed ? lint.output : "");
    for (const values of CHART_VALUES) {
      const args = ["template", projectName, chart, "--namespace", "there", ...values];
      const { failed, output } = await ask(this.#helm, args);
      const what = `chart ${values.at(-1) ?? "as it is"}`;
      if (failed) this.#say("helm template", name, what, output);
      else {
        await this.#manifests(name, what, output);
        // A part that a user switches off is not a finding about the chart.
        if (values.length === 0) await this.#score(name, what, output);
      }
    }
  }

  async #bundle({ name, folder }: JudgedProject): Promise<void> {
    const program = this.#tools.get("operator-verify");
    if (program === undefined) return;
    // The exit code is 0 whatever it finds.
    const { output } = await ask(program, ["manifests", join(folder, "bundle/manifests")]);
    const findings = output.split("\n").filter((line) => /level=(?:error|fatal)/.test(line));
    this.#say("operator-verify", name, "the bundle", findings.join("\n"));
  }

  async #rules({ name, projectName }: JudgedProject, objects: readonly Rendered[]): Promise<void> {
    const rules = objects.find(({ kind }) => kind === "PrometheusRule");
    if (!rules) return;
    const file = join(this.#temporary, "rules.yaml");
    writeFileSync(file, stringify(rules.spec));
    await this.#run("promtool", name, "alert rules", ["check", "rules", file]);
    if (projectName !== "shop") return;
    const tests = readFileSync(join(root, "scripts/judges/rules.test.yaml"), "utf8");
    writeFileSync(join(this.#temporary, "tests.yaml"), tests);
    await this.#run("promtool", name, "tests of the alert rules", [
      "test",
      "rules",
      join(this.#temporary, "tests.yaml"),
    ]);
  }

  async #run(
    tool: Tool,
    project: string,
    what: string,
    args: readonly string[],
    input = "",
    findings: (output: string) => string = (output) => output,
  ): Promise<void> {
    const program = this.#tools.get(tool);
    if (program === undefined) return;
    const { failed, output } = await ask(program, args, input);
    this.#say(tool, project, what, failed ? findings(output) : "");
  }

  #say(judge: string, project: string, what: string, findings: string): void {
    this.#tally.count(findings === "");
    console.log(`${findings === "" ? "well" : "FOUND"}  ${judge}: ${project}, ${what}`);
    if (findings !== "") console.log(findings.replaceAll(/^/gm, "       "));
  }
}

export const program = defineVerification({
  about:
    "Asks kubeconform, kube-score, actionlint, promtool, helm and others about fresh projects and the examples.",
  compares: "verdicts",
  needs: ["a build", "Go", "helm", "kubectl", "the network"],
  options: {},
  run: async ({ tally }) => {
    const tools = await buildTools(cache);
    const temporary = mkdtempSync(join(tmpdir(), "tsop-judges-"));
    const cluster = await startControlPlane({ controllers: "off" });
    const kubectl = new Kubectl(cluster.kubeconfig);
    try {
      const projects = await judgedProjects(temporary);
      for (const { folder } of projects) {
        const own = join(folder, "config/crd");
        if (!existsSync(own)) continue;
        await kubectl.run(["apply", "--server-side", "--force-conflicts", "-k", own]);
      }
      const crds = (await foreignCrds()).flatMap(({ folder, files }) =>
        readdirSync(folder)
          .filter((file) => files.test(file))
          .map((file) => join(folder, file)),
      );
      await kubectl.output(["apply", "--server-side", ...crds.flatMap((file) => ["-f", file])]);
      await kubectl.output(["wait", "--for=condition=Established", "crd", "--all"]);
      const schemas = join(temporary, "schemas");
      console.log(`${await writeSchemas(kubectl, schemas)} schemas`);
      const judges = new Judges(tools, kubectl, schemas, temporary, tally);
      for (const project of projects) await judges.judge(project);
    } finally {
      kubectl.close();
      await cluster.stop();
      rmSync(temporary, { recursive: true, force: true });
    }
  },
});
