/**
 * The ClusterServiceVersion of a bundle: what OLM installs, and what a catalogue shows of it.
 *
 * @see https://olm.operatorframework.io/docs/concepts/crds/clusterserviceversion/
 */
import { TsopError } from "../../../errors.ts";
import { isJsonObject } from "../../../kube/json.ts";
import type { JsonObject, ManifestObject } from "../../../kube/object.ts";
import type { PackageFacts } from "../../project/package-facts.ts";
import type { Crd } from "../../project/crd.ts";
import { ownedKinds, wordsOf } from "./crd-descriptors.ts";
import { operatorContainer, type OperatorDeployment } from "../../project/operator-deployment.ts";
import { imagesOf } from "./olm-deployment.ts";
import type { OperatorRights } from "./operator-rights.ts";
import { present } from "../../../present.ts";

/** The install modes, in OLM's order. */
const INSTALL_MODES = [
  "OwnNamespace",
  "SingleNamespace",
  "MultiNamespace",
  "AllNamespaces",
] as const;

/** One way of installing the operator. */
export type InstallMode = (typeof INSTALL_MODES)[number];

export interface VersionSource {
  readonly projectName: string;
  /** The bundle's version: a semantic one. */
  readonly version: string;
  readonly facts: PackageFacts;
  /** The user's own part of it; what it says stays. */
  readonly base: JsonObject | undefined;
  readonly settings: VersionSettings;
  readonly installModes: ReadonlySet<InstallMode>;
  readonly deployments: readonly OperatorDeployment[];
  readonly rights: Pick<OperatorRights, "clusterPermissions" | "permissions">;
  readonly webhooks: readonly JsonObject[];
  readonly crds: readonly Crd[];
  readonly samples: readonly ManifestObject[];
  readonly namespace: string | undefined;
  /** The tsop that writes it. */
  readonly builder: string;
}

/** The settings of the command line; they win over the user's file. */
export interface VersionSettings {
  readonly description?: string;
  readonly maturity?: string;
  /** The name of the version that this one follows. */
  readonly replaces?: string;
  readonly icon?: { readonly base64data: string; readonly mediatype: string };
}

/** The fields that follow from the objects, whatever the user's file says. */
const COMPUTED = ["version", "install", "webhookdefinitions", "customresourcedefinitions"];

/** @throws TsopError `bundle-install-mode` when the user's file promises what the operator cannot do */
export function clusterServiceVersion(source: VersionSource): JsonObject {
  const { projectName, version, facts, settings, deployments, rights, webhooks } = source;
  const base = isJsonObject(source.base) ? source.base : {};
  const own = objectAt(base, "spec");
  const owned = ownedWith(source.crds, objectAt(own, "customresourcedefinitions"));
  const images = relatedImages(deployments, own["relatedImages"]);
  const { description, maturity, replaces, icon } = settings;
  const fromFile = Object.entries(own).filter(([field]) => !COMPUTED.includes(field));
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: {
      name: `${projectName}.v${version}`,
      namespace: "placeholder",
      ...labelsOf(base),
      annotations: {
        capabilities: "Basic Install",
        "operatorframework.io/suggested-namespace": source.namespace ?? `${projectName}-system`,
        ...objectAt(objectAt(base, "metadata"), "annotations"),
        "alm-examples": JSON.stringify(examplesOf(source.samples, owned), undefined, 2),
        containerImage: (deployments[0] && operatorContainer(deployments[0])?.image) ?? "",
        "operators.operatorframework.io/builder": source.builder,
        "operators.operatorframework.io/project_layout": "tsop/v1",
      },
    },
    spec: {
      displayName: wordsOf(projectName),
      description: facts.description,
      maturity: "alpha",
      keywords: facts.keywords.length > 0 ? facts.keywords : [projectName],
      links: facts.links,
      maintainers: facts.author === undefined ? [] : [facts.author],
      provider: { name: facts.author?.name ?? projectName },
      ...Object.fromEntries(fromFile),
      ...present({ description, maturity, replaces }),
      ...(icon !== undefined && { icon: [icon] }),
      version,
      installModes: installModes(source.installModes, own["installModes"]),
      customresourcedefinitions: {
        ...objectAt(own, "customresourcedefinitions"),
        owned,
      },
      install: {
        strategy: "deployment",
        spec: {
          deployments: deployments.map(({ metadata, spec }) => ({
            name: metadata.name,
            ...(metadata.labels && { label: metadata.labels }),
            spec,
          })),
          ...(rights.clusterPermissions.length > 0 && {
            clusterPermissions: rights.clusterPermissions,
          }),
          ...(rights.permissions.length > 0 && { permissions: rights.permissions }),
        },
      },
      relatedImages: images,
      ...(webhooks.length > 0 && { webhookdefinitions: webhooks }),
    },
  };
}

const objectAt = (object: JsonObject, field: string): JsonObject => {
  const value = object[field];
  return isJsonObject(value) ? value : {};
};

const itemsOf = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

function labelsOf(base: JsonObject): JsonObject {
  const { labels } = objectAt(base, "metadata");
  return labels === undefined ? {} : { labels };
}

/** The kinds that the operator owns, with what the user's file says of them. */
function ownedWith(crds: readonly Crd[], fromFile: JsonObject): JsonObject[] {
  const said = itemsOf(fromFile["owned"]);
  return crds.flatMap(ownedKinds).map((kind) => ({
    ...kind,
    ...said.find(({ name, version }) => name === kind["name"] && version === kind["version"]),
  }));
}

const examplesOf = (samples: readonly ManifestObject[], owned: readonly JsonObject[]): object[] =>
  samples.filter(({ apiVersion, kind }) => {
    const [group, version] = apiVersion.split("/");
    return owned.some(
      (one) =>
        one["kind"] === kind &&
        one["version"] === version &&
        String(one["name"]).endsWith(`.${group ?? ""}`),
    );
  });

/** All images, each once; where two containers have the same name, the later one's gets a number. */
function relatedImages(
  deployments: readonly OperatorDeployment[],
  fromFile: unknown,
): { name: string; image: string }[] {
  const images: { name: string; image: string }[] = [];
  const all = [
    ...deployments.flatMap(imagesOf),
    ...itemsOf(fromFile).map(({ name, image }) => ({ name: String(name), image: String(image) })),
  ];
  for (const { name, image } of all) {
    if (images.some((known) => known.image === image)) continue;
    const namesakes = images.filter((known) => known.name === name).length;
    images.push({ name: namesakes === 0 ? name : `${name}-${namesakes + 1}`, image });
  }
  return images;
}

function installModes(possible: ReadonlySet<InstallMode>, fromFile: unknown): object[] {
  const said = new Map(itemsOf(fromFile).map(({ type, supported }) => [type, supported === true]));
  return INSTALL_MODES.map((type) => {
    if (said.get(type) === true && !possible.has(type)) {
      throw new TsopError(
        "bundle-install-mode",
        `The file of the ClusterServiceVersion promises the install mode ${type}, and the operator supports ${[...possible].join(", ")}.`,
        "Set it to false there. Which namespaces an operator watches is a setting of the project: `tsop init --namespaced`.",
      );
    }
    return { type, supported: said.get(type) ?? possible.has(type) };
  });
}
