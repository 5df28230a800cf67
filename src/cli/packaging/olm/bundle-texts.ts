/** The files of a bundle that hold no objects: annotations, the scorecard's configuration, the Dockerfile. */
import { toYaml } from "../../../kube/text/yaml.ts";

/** The content of a bundle's annotations. */
export interface BundleLabels {
  readonly package: string;
  readonly channels: readonly string[];
  readonly defaultChannel: string;
  readonly builder: string;
}

const PREFIX = "operators.operatorframework.io";

/** The same pairs for `metadata/annotations.yaml` and for the labels of the image. */
function pairsOf({ package: name, channels, defaultChannel, builder }: BundleLabels): {
  [key: string]: string;
} {
  return {
    [`${PREFIX}.bundle.mediatype.v1`]: "registry+v1",
    [`${PREFIX}.bundle.manifests.v1`]: "manifests/",
    [`${PREFIX}.bundle.metadata.v1`]: "metadata/",
    [`${PREFIX}.bundle.package.v1`]: name,
    [`${PREFIX}.bundle.channels.v1`]: channels.join(","),
    [`${PREFIX}.bundle.channel.default.v1`]: defaultChannel,
    [`${PREFIX}.metrics.builder`]: builder,
    [`${PREFIX}.metrics.mediatype.v1`]: "metrics+v1",
    [`${PREFIX}.metrics.project_layout`]: "tsop/v1",
    [`${PREFIX}.test.mediatype.v1`]: "scorecard+v1",
    [`${PREFIX}.test.config.v1`]: "tests/scorecard/",
  };
}

/** The text of `metadata/annotations.yaml`. */
export const annotationsYaml = (labels: BundleLabels): string =>
  toYaml({ annotations: pairsOf(labels) });

/** The Dockerfile of the bundle's image. @param folder - of the bundle, relative to the project */
export function bundleDockerfile(labels: BundleLabels, folder: string): string {
  const lines = Object.entries(pairsOf(labels)).map(([key, value]) => `LABEL ${key}=${value}`);
  return `# The image of the bundle: docker build -f ${folder}.Dockerfile -t registry.example.com/${labels.package}-bundle:v1 .
FROM scratch

${lines.join("\n")}

COPY ${folder}/manifests /manifests/
COPY ${folder}/metadata /metadata/
COPY ${folder}/tests/scorecard /tests/scorecard/
`;
}

const SCORECARD_IMAGE = "quay.io/operator-framework/scorecard-test:v1.42.3";

/**
 * The text of `tests/scorecard/config.yaml`.
 *
 * @param options - whether every kind says which objects the operator makes for it: a test asks for that
 */
export function scorecardYaml(options: { readonly namesResources: boolean }): string {
  const test = (entrypoint: string, suite: string, name: string): object => ({
    entrypoint: ["scorecard-test", entrypoint],
    image: SCORECARD_IMAGE,
    labels: { suite, test: name },
    storage: { spec: { mountPath: {} } },
  });
  const olm = (name: string): object => test(name, "olm", `${name}-test`);
  return toYaml({
    apiVersion: "scorecard.operatorframework.io/v1alpha3",
    kind: "Configuration",
    metadata: { name: "config" },
    stages: [
      {
        parallel: true,
        tests: [
          test("basic-check-spec", "basic", "basic-check-spec-test"),
          olm("olm-bundle-validation"),
          olm("olm-crds-have-validation"),
          ...(options.namesResources ? [olm("olm-crds-have-resources")] : []),
          olm("olm-spec-descriptors"),
          olm("olm-status-descriptors"),
        ],
      },
    ],
    storage: { spec: { mountPath: {} } },
  });
}
