/**
 * The parts list of a bundled operator: the npm packages whose code is in it.
 *
 * @see https://cyclonedx.org/docs/1.6/json/
 */
import { dirname, join, resolve } from "node:path";
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { readIfThere } from "../project/plan.ts";

/** The operator that the list is of. */
export interface ListedOperator {
  readonly name: string;
  readonly version: string;
}

/**
 * The list as CycloneDX JSON; the same bytes for the same bundle.
 *
 * @param inputs - the files of the bundle, relative to `root`
 */
export async function billOfMaterials(
  root: string,
  inputs: readonly string[],
  { name, version }: ListedOperator,
): Promise<string> {
  const components = new Map<string, JsonObject>();
  const known = new Map<string, Promise<JsonObject | undefined>>();
  for (const input of inputs) {
    const component = await packageAbove(dirname(resolve(root, input)), resolve(root), known);
    if (component) components.set(String(component["bom-ref"]), component);
  }
  const sorted = [...components].sort(([one], [other]) => (one < other ? -1 : 1));
  const main = `pkg:npm/${encodeURIComponent(name)}@${version}`;
  const list = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: { type: "application", "bom-ref": main, name, version, purl: main },
    },
    components: sorted.map(([, component]) => component),
    dependencies: [{ ref: main, dependsOn: sorted.map(([ref]) => ref) }],
  };
  return `${JSON.stringify(list, undefined, 2)}\n`;
}

/** The nearest package above the folder; none for the project's own files. */
function packageAbove(
  folder: string,
  root: string,
  known: Map<string, Promise<JsonObject | undefined>>,
): Promise<JsonObject | undefined> {
  const found = known.get(folder);
  if (found) return found;
  const above = dirname(folder);
  const reading =
    folder === root || above === folder
      ? Promise.resolve(undefined)
      : componentOf(folder).then((own) => own ?? packageAbove(above, root, known));
  known.set(folder, reading);
  return reading;
}

/** The package whose folder it is: one with a name, not a mark in a folder of a package. */
async function componentOf(folder: string): Promise<JsonObject | undefined> {
  const text = await readIfThere(join(folder, "package.json"));
  const facts: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!isJsonObject(facts)) return undefined;
  const { name, version, license } = facts;
  if (typeof name !== "string" || typeof version !== "string") return undefined;
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    ...(typeof license === "string" && { licenses: [licenseOf(license)] }),
    purl,
  };
}

/** npm takes sentences, too, which are not expressions of SPDX. */
const licenseOf = (license: string): JsonObject =>
  /^(SEE |UNLICENSED)/.test(license) ? { license: { name: license } } : { expression: license };
