/**
 * The CRD of a kind, judged by the rules that the API server applies to it; its schemas are judged in `schema.ts`,
 * where their places are known.
 */
import { definitionErrors } from "../../kube/definition/definition-rules.ts";
import type { Definition } from "../../kube/definition/definition.ts";
import type { FieldError } from "../../kube/field-errors.ts";
import { parseJsonPath } from "../../kube/json-path.ts";
import type { JsonObject } from "../../kube/object.ts";
import { validateObjectMeta } from "../../kube/metadata.ts";
import { dns1123SubdomainErrors } from "../../kube/names.ts";
import { crdOf, type VersionedKind } from "../emit/crd.ts";
import type { Findings } from "../findings.ts";
import type { ColumnModel, KindModel, Position } from "../model.ts";
import { CONVERSION, shapeProblems } from "./object-shape.ts";

/** Notes the API server's refusals of the CRD, unless something was noted at that place already. */
export function checkDefinition(kind: VersionedKind, findings: Findings): void {
  const [first] = kind.versions;
  if (!first) return;
  for (const version of kind.versions) {
    const { conversion } = version;
    for (const { message, fix } of shapeProblems(conversion, CONVERSION, "conversion")) {
      findings.error(version.saidAt.get("conversion") ?? version.at, "wrong-option", message, fix);
    }
    for (const column of version.columns) checkColumn(column, findings);
  }
  for (const error of refusals(kind)) {
    const { at, option } = placeOf(error, kind.versions, first);
    if (findings.hasErrorAt(at)) continue;
    const code = option === "column" ? "wrong-column" : "wrong-option";
    findings.error(
      at,
      code,
      `The API server refuses ${option === "" ? kind.kind : option}: ${error.message}.`,
      fixOf(option),
    );
  }
}

/**
 * The API server's refusals of the CRD. A kind of which two classes claim to be stored is reported
 * elsewhere.
 */
function refusals(kind: VersionedKind): FieldError[] {
  // Conversions of other shapes are reported already, and are not in the form that the rules
  // expect.
  const versions = kind.versions.map(({ conversion, ...version }) =>
    conversion && shapeProblems(conversion, CONVERSION, "").length === 0
      ? { ...version, conversion }
      : version,
  );
  const crd = crdOf({ ...kind, versions }) as JsonObject & Definition;
  const stored = crd.spec.versions?.find(({ storage }) => storage)?.name;
  const definition: Definition = {
    ...crd,
    status: { storedVersions: stored === undefined ? [] : [stored] },
  };
  return [
    ...validateObjectMeta(crd.metadata, false, (name) => dns1123SubdomainErrors(name)),
    ...definitionErrors(definition, { judged: true }),
  ].filter(({ field }) => !field.startsWith("status.") && field !== "spec.versions");
}

const OPTIONS: readonly (readonly [start: string, option: string])[] = [
  // The annotation for the approval of a protected group.
  ["metadata.annotations[", "group"],
  ["metadata.labels", "labels"],
  ["metadata.annotations", "annotations"],
  ["metadata.name", "plural"],
  ["spec.group", "group"],
  ["spec.scope", "scope"],
  ["spec.names.plural", "plural"],
  ["spec.names.singular", "singular"],
  ["spec.names.kind", "kind"],
  ["spec.names.listKind", "listKind"],
  ["spec.names.shortNames", "shortNames"],
  ["spec.names.categories", "categories"],
  ["spec.conversion", "conversion"],
  ["spec.version", "version"],
];

/** The place in the source from which the field was made. */
function placeOf(
  { field }: FieldError,
  versions: readonly KindModel[],
  first: KindModel,
): { at: Position; option: string } {
  const index = /^spec\.versions\[(\d+)\]\./.exec(field);
  const version = (index && versions[Number(index[1])]) ?? first;
  // Fields that all versions have in common stand at the top.
  const rest = index ? field.slice(index[0].length) : field.replace(/^spec\./, "");
  const column = /^additionalPrinterColumns\[(\d+)\]/.exec(rest)?.[1];
  if (column !== undefined) {
    return { at: version.columns[Number(column)]?.at ?? version.at, option: "column" };
  }
  const selectable = /^selectableFields\[(\d+)\]/.exec(rest)?.[1];
  if (selectable !== undefined) {
    return { at: version.selectable[Number(selectable)]?.at ?? version.at, option: "selectable" };
  }
  if (rest.startsWith("subresources.scale")) {
    return { at: version.scale?.at ?? version.at, option: "@Scale" };
  }
  if (field === "metadata.name" && !version.saidAt.has("plural")) {
    return { at: version.saidAt.get("group") ?? version.at, option: "group" };
  }
  const option = index
    ? ({ name: "version", deprecationWarning: "deprecated" }[rest] ?? "")
    : (OPTIONS.find(([start]) => field.startsWith(start))?.[1] ?? "");
  const at =
    versions.map(({ saidAt }) => saidAt.get(option)).find((place) => place !== undefined) ??
    version.at;
  return { at: index ? (version.saidAt.get(option) ?? version.at) : at, option };
}

function fixOf(option: string): string {
  switch (option) {
    case "conversion":
      return 'Write { strategy: "Webhook", webhook: { clientConfig: { service: { name, namespace, path } }, conversionReviewVersions: ["v1"] } }, or { strategy: "None" }.';
    case "labels":
    case "annotations":
      return 'Use keys such as "shop.example.com/team"; values of labels are up to 63 letters, digits, "-", "_" and ".".';
    case "column":
      return "Name the column, and give it a path that starts with a dot, such as .status.phase.";
    default:
      return "Change it to a value that the API server accepts.";
  }
}

const INT32_MAX = 2 ** 31 - 1;

/**
 * Checks a column that the API server takes as it is, and then leaves out of every table together
 * with the columns after it.
 */
function checkColumn({ at, jsonPath, priority = 0 }: ColumnModel, findings: Findings): void {
  if (!Number.isInteger(priority) || Math.abs(priority) > INT32_MAX) {
    findings.error(
      at,
      "wrong-column",
      `The priority of a column is a whole number, got ${String(priority)}.`,
      "Use 0, or 1 for columns shown with -o wide.",
    );
  }
  try {
    parseJsonPath(jsonPath);
  } catch (error) {
    findings.error(
      at,
      "wrong-column",
      `The path ${jsonPath} of a column cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
      'Write a path such as .status.phase, or .status.conditions[?(@.type=="Ready")].status.',
    );
  }
}
