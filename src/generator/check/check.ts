/**
 * Refusals of the API server, found before anything is written and reported at their place in the
 * source.
 */
import { dns1035LabelErrors, dns1123SubdomainErrors } from "../../kube/names.ts";
import { checkDefinition } from "./definition.ts";
import { checkSchema } from "./schema.ts";
import { checkVersionDifferences } from "./version-differences.ts";
import type { VersionedKind } from "../emit/crd.ts";
import type { Findings } from "../findings.ts";
import type { KindModel, Position, TypeModel } from "../model.ts";

/**
 * Notes all mistakes in the kinds, beyond those that were noted when they were read.
 *
 * @param domain - of the project, where it is known
 */
export function checkKinds(
  kinds: readonly VersionedKind[],
  findings: Findings,
  domain?: string,
): void {
  for (const kind of kinds) {
    checkVersions(kind, findings);
    checkVersionDifferences(kind, findings, domain);
    let size = 0;
    const approved = kind.versions.some(
      ({ annotations }) => annotations["api-approved.kubernetes.io"] !== undefined,
    );
    for (const version of kind.versions) {
      checkNames(version, approved, findings);
      checkBounds(version.type, findings);
      size += checkSchema(version, findings);
      checkMarks(version, findings);
    }
    checkDefinition(kind, findings);
    checkSize(kind, size, findings);
  }
}

/** The limit of an annotation, into which client-side `kubectl apply` copies the whole object. */
const SIZE_BUDGET_BYTES = 256 * 1024;

function checkSize({ kind, versions }: VersionedKind, size: number, findings: Findings): void {
  const [first] = versions;
  if (!first || size <= SIZE_BUDGET_BYTES) return;
  findings.warn(
    first.at,
    "crd-too-large",
    `The schemas of ${kind} are ${Math.ceil(size / 1024)} KiB of JSON; \`kubectl apply\` without --server-side takes 256.`,
    "Remove unused fields of embedded types with Pick or Omit, or apply it with --server-side, as tsop does.",
  );
}

const at = (kind: KindModel, option: string): Position => kind.saidAt.get(option) ?? kind.at;

function checkVersions({ versions, kind }: VersionedKind, findings: Findings): void {
  const [first] = versions;
  if (!first) return;
  const names = new Map<string, KindModel>();
  for (const version of versions) {
    const twin = names.get(version.version);
    if (twin) {
      const { file, line } = twin.at;
      findings.error(
        at(version, "version"),
        "duplicate-kind",
        `There is a ${kind} of ${version.group}/${version.version} already, at ${file}:${line}.`,
        "Give one of them another kind, version or group.",
      );
    }
    names.set(version.version, version);
    if (version.plural !== first.plural || version.scope !== first.scope) {
      findings.error(
        at(version, version.plural === first.plural ? "scope" : "plural"),
        "versions-differ",
        `The versions of ${kind} differ in their plural or scope, which they share.`,
        `Use plural "${first.plural}" and scope "${first.scope}", as ${first.version} does.`,
      );
    }
  }
  const stored = versions.filter((version) => version.storage ?? versions.length === 1);
  // Of two classes for one version, one has to be deleted; then the other may be the only one.
  if (stored.length !== 1 && names.size === versions.length) {
    findings.error(
      at(first, "storage"),
      "storage-version",
      `${kind} has ${stored.length} versions in which it is stored; it needs one.`,
      "Put storage: true on one of its versions.",
    );
  }
  if (!versions.some(({ served }) => served)) {
    findings.warn(
      at(first, "served"),
      "no-served-version",
      `No version of ${kind} is served.`,
      "Remove served: false from one of them.",
    );
  }
}

function checkNames(kind: KindModel, approved: boolean, findings: Findings): void {
  const label = (option: string, value: string): void => {
    for (const message of value === "" ? [] : dns1035LabelErrors(value)) {
      findings.error(
        at(kind, option),
        "wrong-name",
        `The ${option} "${value}" is not a valid Kubernetes name: ${message}.`,
        "Use lower-case letters, digits and dashes, beginning with a letter.",
      );
    }
  };
  label("version", kind.version);
  label("plural", kind.plural);
  label("singular", kind.singular);
  label("kind", kind.kind.toLowerCase());
  label("listKind", kind.listKind.toLowerCase());
  kind.shortNames.forEach((name) => label("shortNames", name));
  kind.categories.forEach((name) => label("categories", name));
  const isName = dns1123SubdomainErrors(kind.group).length === 0;
  // A missing option is reported already.
  if (kind.saidAt.has("group") && !(isName && kind.group.includes("."))) {
    findings.error(
      at(kind, "group"),
      "wrong-group",
      `The group "${kind.group}" is not a DNS name with a dot in it.`,
      'Use a name below your own domain, such as "shop.example.com".',
    );
  }
  if (kind.kind === kind.listKind) {
    findings.error(
      at(kind, "listKind"),
      "wrong-name",
      "A kind and its list cannot have one name.",
      `Use ${kind.kind}List.`,
    );
  }
  if (/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(kind.group) && !approved) {
    findings.error(
      at(kind, "group"),
      "protected-group",
      `The group "${kind.group}" belongs to the Kubernetes project.`,
      "Use your own domain, or add the annotation api-approved.kubernetes.io.",
    );
  }
}

const PAIRS = [
  ["minimum", "maximum"],
  ["minLength", "maxLength"],
  ["minItems", "maxItems"],
  ["minProperties", "maxProperties"],
] as const;

/** Schemas that no value satisfies: the API server takes them, and then refuses every object. */
function checkBounds(type: TypeModel, findings: Findings): void {
  const { schema, saidAt } = type;
  for (const [lower, upper] of PAIRS) {
    const [least, most] = [schema[lower], schema[upper]];
    if (least === undefined || most === undefined || least <= most) continue;
    findings.error(
      saidAt.get(upper) ?? type.at,
      "bounds-crossed",
      `No value is at least ${least} and at most ${most}.`,
      "Fix one of the two bounds.",
    );
  }
  const wrong =
    schema.enum?.filter((value) => value !== null && !hasType(value, schema.type)) ?? [];
  if (wrong.length > 0) {
    // The API server takes such a value, which then no object can have.
    const none = wrong.length === schema.enum?.length;
    findings[none ? "error" : "warn"](
      saidAt.get("enum") ?? type.at,
      "enum-of-wrong-type",
      `The value ${JSON.stringify(wrong[0])} is not of the field's type, ${schema.type ?? ""}.`,
      "Correct the value, or the field's type.",
    );
  }
  if (schema.enum && schema.nullable) {
    findings.warn(
      saidAt.get("enum") ?? type.at,
      "null-in-enum",
      "The API server rejects null in a field with an enumeration, even if the enumeration contains null.",
      'Write a union as the type, such as "a" | "b" | null, which becomes a rule.',
    );
  }
  if (schema.enum?.length === 0) {
    findings.error(
      saidAt.get("enum") ?? type.at,
      "enum-empty",
      "The field and its type have no value in common.",
      "Name at least one value that both allow.",
    );
  }
  for (const { type: inner } of type.properties ?? []) checkBounds(inner, findings);
  if (type.items) checkBounds(type.items, findings);
  if (type.values) checkBounds(type.values, findings);
}

function hasType(value: unknown, type: string | undefined): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    default:
      return true;
  }
}

/** Columns and selectable fields, which the API server takes as they are and then shows nothing for. */
function checkMarks(kind: KindModel, findings: Findings): void {
  const names = new Set<string>();
  for (const column of kind.columns) {
    if (names.has(column.name)) {
      findings.warn(
        column.at,
        "duplicate-column",
        `There are two columns named ${column.name}.`,
        "Give one of them another name.",
      );
    }
    names.add(column.name);
  }
  const [ninth] = kind.selectable.slice(8);
  if (ninth) {
    findings.error(
      ninth.at,
      "too-many-selectable",
      "A kind has at most 8 selectable fields.",
      "Remove the ones that are not used in field selectors.",
    );
  }
  if (kind.deprecated !== false && typeof kind.deprecated === "string") {
    const text = kind.deprecated;
    if (text === "" || text.length > 256 || /[\n\r\t]/.test(text)) {
      findings.error(
        at(kind, "deprecated"),
        "wrong-option",
        "The warning of a deprecated version is a line of 1 to 256 characters.",
        "Shorten it, or write deprecated: true.",
      );
    }
  }
}
