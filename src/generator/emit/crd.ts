/** The kinds of a project to CustomResourceDefinitions. */
import type { JsonObject } from "../../kube/object.ts";
import type { ColumnModel, ConversionModel, KindModel } from "../model.ts";
import { schemaOf } from "./schema.ts";
import { SERVICE_ADDRESS } from "./webhook-service.ts";
import { present } from "../../present.ts";

/** All versions of one kind, in the order in which Kubernetes prefers them. */
export interface VersionedKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly versions: readonly KindModel[];
  /** The converters that name one of them, or of which it could not be read what they name. */
  readonly converters: readonly ConversionModel[];
}

/** The kinds, each with its versions and what converts them, by group and plural. */
export function groupVersions(
  kinds: readonly KindModel[],
  conversions: readonly ConversionModel[],
): VersionedKind[] {
  const groups = new Map<string, KindModel[]>();
  for (const kind of kinds) {
    const key = `${kind.group}/${kind.kind}`;
    groups.set(key, [...(groups.get(key) ?? []), kind]);
  }
  return [...groups.values()]
    .flatMap((models) => {
      const versions = models.sort((a, b) => compareVersions(a.version, b.version));
      const [first] = versions;
      if (!first) return [];
      const { group, kind, plural } = first;
      const converters = conversions.filter(({ hub, spoke }) => {
        const named = [hub, spoke].filter((one) => one !== undefined);
        return named.length === 0 || named.some((one) => one.group === group && one.kind === kind);
      });
      return [{ group, kind, plural, versions, converters }];
    })
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

const nameOf = ({ group, plural }: VersionedKind): string => `${group}_${plural}`;

/** The path of a kind's CRD. */
export function crdPath(kind: VersionedKind): string {
  return `config/crd/bases/${nameOf(kind)}.yaml`;
}

/** The CustomResourceDefinition of a kind. What several versions say of it is taken from the preferred one. */
export function crdOf({ group, plural, versions, converters }: VersionedKind): JsonObject {
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
      ...conversionOf(versions, converters),
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

/**
 * The conversion of a CRD with `@ConversionWebhook`; its names are kubebuilder's, and kustomize
 * changes them. The operator writes the path, which an apply of the manifest then leaves alone.
 */
const WEBHOOK_CONVERSION: JsonObject = {
  strategy: "Webhook",
  webhook: {
    clientConfig: { service: SERVICE_ADDRESS },
    conversionReviewVersions: ["v1"],
  },
};

function conversionOf(
  versions: readonly KindModel[],
  converters: readonly ConversionModel[],
): JsonObject {
  const said = versions.find((version) => version.conversion)?.conversion;
  const conversion = converters.length > 0 ? WEBHOOK_CONVERSION : said;
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
            ...present({ labelSelectorPath: scale.selector }),
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
    ...present({ description, format }),
    jsonPath,
    name,
    ...present({ priority }),
    type,
  };
}

/**
 * Orders versions as Kubernetes does: stable versions first, the highest first; then beta, then
 * alpha; then other names.
 */
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
