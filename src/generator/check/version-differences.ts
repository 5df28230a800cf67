/**
 * Versions of a kind that hold different fields, without a conversion between them.
 *
 * Without a conversion the API server only changes `apiVersion`. Fields that the stored version
 * does not have are pruned when an object is written through another one; fields that another one
 * does not have are pruned when it is read through that, and lost when it is written back.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/
 */
import { getField, sameJson } from "../../kube/json.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import type { VersionedKind } from "../emit/crd.ts";
import { schemaOf } from "../emit/schema.ts";
import type { Findings } from "../findings.ts";
import { conversionCommand } from "./conversions.ts";

/**
 * Notes the versions in which values of another would be lost.
 *
 * @param domain - of the project, which the flag `--group` leaves out
 */
export function checkVersionDifferences(
  { kind, versions, converters }: VersionedKind,
  findings: Findings,
  domain?: string,
): void {
  // Versions that a kind's converters leave out are reported there.
  if (converters.length > 0) return;
  if (versions.some(({ saidAt }) => saidAt.has("conversion"))) return;
  const used = versions.filter(({ served, storage }) => served || storage === true);
  const stored = used.find(({ storage }) => storage) ?? used[0];
  if (!stored) return;
  const fields = schemaOf(stored.type);
  for (const version of used) {
    if (version === stored || version.version === stored.version) continue;
    const difference = differenceOf(fields, schemaOf(version.type), "");
    if (difference === undefined) continue;
    const { path, where } = difference;
    const places = {
      stored: `only in ${stored.version}`,
      other: `only in ${version.version}`,
      both: `of another type in ${version.version} than in ${stored.version}`,
    };
    findings.error(
      version.at,
      "versions-not-converted",
      `${path === "" ? kind : path} is ${places[where]}, and ${kind} has no conversion, so its value is lost between the two.`,
      `Make the fields equal, or convert them: \`${conversionCommand(stored, version, domain)}\`. Use @Resource({ conversion: false }) if another tool converts them, or if the loss is intended.`,
    );
  }
}

interface Difference {
  readonly path: string;
  /** The version that has the field. */
  readonly where: "stored" | "other" | "both";
}

/** The keywords that decide which values a field can hold, beside the types of its parts. */
const SHAPE: readonly (keyof Schema)[] = [
  "type",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-int-or-string",
  "x-kubernetes-embedded-resource",
];

/** The first field in which two schemas hold different values; what they allow of a value is not compared. */
function differenceOf(stored: Schema, other: Schema, path: string): Difference | undefined {
  if (SHAPE.some((keyword) => !sameJson(stored[keyword] ?? null, other[keyword] ?? null))) {
    return { path, where: "both" };
  }
  const [mine, others] = [stored.properties ?? {}, other.properties ?? {}];
  for (const [name, schema] of Object.entries(mine)) {
    const at = path === "" ? name : `${path}.${name}`;
    const twin = getField(others, name);
    if (!twin) return { path: at, where: "stored" };
    const found = differenceOf(schema, twin, at);
    if (found) return found;
  }
  const added = Object.keys(others).find((name) => !Object.hasOwn(mine, name));
  if (added !== undefined) {
    return { path: path === "" ? added : `${path}.${added}`, where: "other" };
  }
  return (
    partDifference(stored.items, other.items, `${path}[*]`) ??
    partDifference(stored.additionalProperties, other.additionalProperties, `${path}{*}`)
  );
}

function partDifference(stored: unknown, other: unknown, path: string): Difference | undefined {
  if (isSchema(stored) && isSchema(other)) return differenceOf(stored, other, path);
  return isSchema(stored) === isSchema(other) ? undefined : { path, where: "both" };
}

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;
