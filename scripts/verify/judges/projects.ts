/** The judged projects: fresh projects with every part, and the examples. */
import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Part, PARTS } from "../../../src/cli/project/part-names.ts";
import { runCli } from "../../../test/cli/support/run-cli.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const METRICS_CERTS: Part = "metrics-certs";
const IMAGE = "registry.example.com/team/operator:v1.2.3";

/** A project in a temporary folder, with its chart. */
export interface JudgedProject {
  readonly name: string;
  readonly folder: string;
  /** The prefix of the names of all its objects. */
  readonly projectName: string;
}

async function tsop(cwd: string, ...argv: string[]): Promise<void> {
  const { code, out, err } = await runCli(cwd, argv);
  if (code !== 0) throw new Error(`tsop ${argv.join(" ")} in ${cwd}: ${out}\n${err}`);
}

const KIND = ["--group", "web", "--version", "v1", "--kind", "Page"];

async function freshProject(
  temporary: string,
  name: string,
  init: readonly string[],
  webhooks: boolean,
): Promise<JudgedProject> {
  const folder = join(temporary, name);
  mkdirSync(folder);
  const line = "init --domain example.com --project-name shop --no-install";
  await tsop(folder, ...line.split(" "), ...init);
  const fields = ["--field", "title:string=hello", "--field", "size:int?"];
  await tsop(folder, "create", "api", ...KIND, ...fields);
  if (webhooks) await tsop(folder, "create", "webhook", ...KIND, "--defaulting", "--validation");
  await tsop(folder, "edit", "--enable", PARTS.join(","));
  if (webhooks) await tsop(folder, "edit", "--certificates", "cert-manager");
  await tsop(folder, "manifests");
  return { name, folder, projectName: "shop" };
}

function exampleProject(temporary: string, name: string): JudgedProject {
  const folder = join(temporary, `example-${name}`);
  const isOwn = (path: string): boolean => !/[\\/](node_modules|dist|\.tsop)$/.test(path);
  cpSync(join(root, "examples", name), folder, { recursive: true, filter: isOwn });
  return { name: `examples/${name}`, folder, projectName: name };
}

/** Makes the bundle without the metrics' certificate of cert-manager, a kind that OLM does not install. */
async function makeBundle(folder: string): Promise<void> {
  const hasCertificate = existsSync(join(folder, "config", "metrics-certs"));
  if (hasCertificate) await tsop(folder, "edit", "--disable", METRICS_CERTS);
  await tsop(folder, "bundle", "--image", IMAGE);
  if (hasCertificate) await tsop(folder, "edit", "--enable", METRICS_CERTS);
}

/** Makes all of them, with their charts and bundles. */
export async function judgedProjects(temporary: string): Promise<JudgedProject[]> {
  const examples = readdirSync(join(root, "examples")).filter((name) =>
    existsSync(join(root, "examples", name, "PROJECT")),
  );
  const projects = [
    await freshProject(temporary, "fresh", [], false),
    await freshProject(temporary, "webhooks", [], true),
    await freshProject(temporary, "namespaced", ["--namespaced"], false),
    ...examples.map((name) => exampleProject(temporary, name)),
  ];
  for (const { folder } of projects) {
    await tsop(folder, "chart", "--image", IMAGE);
    await makeBundle(folder);
  }
  return projects;
}
