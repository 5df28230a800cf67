import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import type { ValuePath } from "../project/yaml/yaml-documents.ts";
import type { Examined, Manifest } from "./rule.ts";
import { listAt, objectAt, textAt } from "./values.ts";
import { tableOf } from "../../table.ts";

export interface PodTemplate {
  readonly manifest: Manifest;
  /** The path of the template; of a Pod, the object itself. */
  readonly path: ValuePath;
  readonly labels: JsonObject;
  readonly annotations: JsonObject;
  readonly spec: JsonObject;
  readonly containers: readonly JsonObject[];
}

const TEMPLATE = tableOf<ValuePath>({
  Pod: [],
  Deployment: ["spec", "template"],
  StatefulSet: ["spec", "template"],
  DaemonSet: ["spec", "template"],
  ReplicaSet: ["spec", "template"],
  Job: ["spec", "template"],
  CronJob: ["spec", "jobTemplate", "spec", "template"],
});

/** The pods of all objects of Kubernetes' own kinds that have some. */
export function podTemplates({ manifests }: Examined): PodTemplate[] {
  return manifests.flatMap((manifest) => {
    const path = TEMPLATE.get(manifest.kind);
    if (!path || !/^(v1|apps\/.*|batch\/.*|extensions\/.*)$/.test(manifest.apiVersion)) return [];
    const spec = objectAt(manifest.value, [...path, "spec"]);
    return [
      {
        manifest,
        path,
        labels: objectAt(manifest.value, [...path, "metadata", "labels"]),
        annotations: objectAt(manifest.value, [...path, "metadata", "annotations"]),
        spec,
        containers: listAt(spec, ["containers"]).filter(isJsonObject),
      },
    ];
  });
}

/** The containers of a template, those that start before the others included, and where each is. */
export function* containersOf({
  spec,
  path,
}: PodTemplate): Generator<{ readonly container: JsonObject; readonly path: ValuePath }> {
  for (const field of ["initContainers", "containers"]) {
    for (const [index, container] of listAt(spec, [field]).entries()) {
      if (isJsonObject(container)) yield { container, path: [...path, "spec", field, index] };
    }
  }
}

export interface ContainerImage {
  readonly manifest: Manifest;
  /** Empty where the container has none. */
  readonly image: string;
  readonly path: ValuePath;
  /** The container and its object, as messages name them. */
  readonly owner: string;
  /** Whether a kustomization renders the object, and so may set another image. */
  readonly isKustomized: boolean;
}

export function* containerImages(examined: Examined): Generator<ContainerImage> {
  for (const template of podTemplates(examined)) {
    const { manifest } = template;
    const isKustomized = examined.isKustomized(manifest.file);
    for (const { container, path } of containersOf(template)) {
      const name = textAt(container, ["name"]);
      yield {
        manifest,
        image: textAt(container, ["image"]),
        path: [...path, "image"],
        owner: `The container ${name} of ${manifest.kind} ${manifest.name}`,
        isKustomized,
      };
    }
  }
}

const PLACEHOLDER = /^(?:controller(?::latest)?|example\.com\/.*|<.*>|IMAGE(?::.*)?|TODO.*)$/;

/** Whether an image is the one of a scaffold or of documentation, which no registry has. */
export const isPlaceholder = (image: string): boolean => PLACEHOLDER.test(image);

/** Whether labels have all that a selector asks for. */
export const hasLabels = (labels: JsonObject, wanted: JsonObject): boolean =>
  Object.entries(wanted).every(([key, value]) => labels[key] === value);
