/** Pods that read a ConfigMap and are not replaced when it changes. */
import { isJsonObject } from "../../../kube/json.ts";
import { hasHashedName } from "../kustomizations.ts";
import type { Rule } from "../rule.ts";
import { listAt, textAt, valuesBelow } from "../values.ts";
import { podTemplates, type PodTemplate } from "../workloads.ts";

export const configWithoutRollout: Rule = {
  name: "config-without-rollout",
  about:
    "Pods of a workload read a ConfigMap of these manifests, and nothing in their template changes with it: a new configuration reaches them only when something restarts them, and whatever restarts them on an event misses events.",
  example:
    "kind: Deployment\nspec:\n  template:\n    spec:\n      volumes: [{ name: config, configMap: { name: settings } }]",
  *find(examined) {
    if (examined.project) return;
    const configMaps = new Set(
      examined.manifests
        .filter((manifest) => manifest.kind === "ConfigMap" && !hasHashedName(manifest))
        .map(({ name }) => name),
    );
    for (const template of podTemplates(examined)) {
      const { manifest, annotations } = template;
      if (!/^(?:Deployment|StatefulSet|DaemonSet)$/.test(manifest.kind)) continue;
      if (examined.isKustomized(manifest.file)) continue;
      if (Object.keys(annotations).some((key) => /checksum|hash|version|reload/i.test(key)))
        continue;
      const [name] = configMapsOf(template).filter((one) => configMaps.has(one));
      if (name === undefined) continue;
      yield {
        place: manifest.at([...template.path, "spec"]),
        message: `${manifest.kind} ${manifest.name} reads ConfigMap ${name}, and its pods stay when that changes.`,
        fix: "Put a hash of the ConfigMap into an annotation of the pods' template, or generate the ConfigMap with kustomize, whose names have one.",
      };
    }
  },
};

function configMapsOf({ spec, containers }: PodTemplate): string[] {
  const volumes = listAt(spec, ["volumes"]).map((volume) => textAt(volume, ["configMap", "name"]));
  const inEnv = containers.flatMap((container) =>
    [...valuesBelow(container)].flatMap(([path, value]) =>
      /^configMap(?:Key)?Ref$/.test(String(path.at(-1))) && isJsonObject(value)
        ? [textAt(value, ["name"])]
        : [],
    ),
  );
  return [...volumes, ...inEnv].filter((name) => name !== "");
}
