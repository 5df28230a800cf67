/**
 * The kinds of a project to CustomResourceDefinitions.
 *
 * @module
 */
import type { JsonObject } from "../../kube/object.ts";
import type { ColumnModel, KindModel } from "../model.ts";
import { schemaOf } from "./schema.ts";

/** All versions of one kind, in the order in which Kubernetes prefers them. */
export interface VersionedKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly versions: readonly KindModel[];
}

/** The kinds, each with its versions, by group and plural. */
export function groupVersions(kinds: readonly KindModel[]): VersionedKind[] {
  const groups = new Map<string, KindModel[]>();
  for (const kind of kinds) {
    const key = `${kind.group}/${kind.kind}`;
    groups.set(key, [...(groups.get(key) ?? []), kind]);
  }
  return [...groups.values()]
    .flatMap((models) => {
      const versions = models.sort((a, b) => compareVersions(a.version, b.version));
      const [first] = versions;
      return first
        ? [{ group: first.group, kind: first.kind, plural: first.plural, versions }]
        : [];
    })
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

const nameOf = ({ group, plural }: VersionedKind): string => `${group}_${plural}`;

/** Where the CRD of a kind is written. */
export function crdPath(kind: VersionedKind): string {
  return `config/crd/bases/${nameOf(kind)}.yaml`;
}

/** The CustomResourceDefinition of a kind. What several versions say of it is taken from the preferred one. */
export function crdOf({ group, plural, versions }: VersionedKind): JsonObject {
  const [kind] = versions;
  if (!kind) return {};
  const annotations = Object.assign(
    {},
    ...versions.map((version) => version.annotations),
  ) as object;
  const labels = Object.assign({}, ...versions.map((version) => version.labels)) as object;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: group === "" ? plural : `${plural}.${group}`,
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
    },
    spec: {
      ...conversionOf(versions),
      group,
      names: {
        ...(kind.categories.length > 0 ? { categories: kind.categories } : {}),
        kind: kind.kind,
        listKind: kind.listKind,
        plural,
        ...(kind.shortNames.length > 0 ? { shortNames: kind.shortNames } : {}),
        singular: kind.singular,
      },
      scope: kind.scope,
      versions: versions.map((version) => versionOf(version, versions.length === 1)),
    },
  };
}

function conversionOf(versions: readonly KindModel[]): JsonObject {
  const conversion = versions.find((version) => version.conversion)?.conversion;
  return conversion ? { conversion } : {};
}

function versionOf(kind: KindModel, alone: boolean): JsonObject {
  const { scale } = kind;
  const subresources = {
    ...(scale
      ? {
          scale: {
            specReplicasPath: scale.spec,
            statusReplicasPath: scale.status,
            ...(scale.selector === undefined ? {} : { labelSelectorPath: scale.selector }),
          },
        }
      : {}),
    ...(kind.statusSubresource ? { status: {} } : {}),
  };
  return {
    ...(kind.columns.length > 0 ? { additionalPrinterColumns: kind.columns.map(columnOf) } : {}),
    ...(kind.deprecated === false ? {} : { deprecated: true }),
    ...(typeof kind.deprecated === "string" ? { deprecationWarning: kind.deprecated } : {}),
    name: kind.version,
    schema: { openAPIV3Schema: schemaOf(kind.type) },
    ...(kind.selectable.length > 0
      ? { selectableFields: kind.selectable.map(({ jsonPath }) => ({ jsonPath })) }
      : {}),
    served: kind.served,
    storage: kind.storage ?? alone,
    ...(Object.keys(subresources).length > 0 ? { subresources } : {}),
  };
}

function columnOf({ name, jsonPath, type, format, description, priority }: ColumnModel): object {
  return {
    ...(description === undefined ? {} : { description }),
    ...(format === undefined ? {} : { format }),
    jsonPath,
    name,
    ...(priority === undefined ? {} : { priority }),
    type,
  };
}

/** Stable versions first, the highest first; then beta, then alpha; then other names (Kubernetes' order). */
function compareVersions(a: string, b: string): number {
  const [x, y] = [a, b].map((version) => {
    const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
    if (!match) return [0, 0, 0] as const;
    const stage = match[2] === undefined ? 3 : match[2] === "beta" ? 2 : 1;
    return [stage, Number(match[1]), Number(match[3] ?? 0)] as const;
  });
  if (!x || !y) return 0;
  return y[0] - x[0] || y[1] - x[1] || y[2] - x[2] || (a < b ? -1 : 1);
}
