/** Pods that read a ConfigMap and are not replaced when it changes. */
import { isJsonObject } from "../../../kube/json.ts";
import { hasHashedName } from "../kustomizations.ts";
import type { Rule } from "../rule.ts";
import { listAt, textAt, valuesBelow } from "../values.ts";
import { podTemplates, type PodTemplate } from "../workloads.ts";

export const configWithoutRollout: Rule = {
  name: "config-without-rollout",
  about:
    "Pods of a workload read a ConfigMap of these manifests, but their template does not change with it. They get a new configuration only after a restart, and restarting them on watch events misses events.",
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
        message: `${manifest.kind} ${manifest.name} reads ConfigMap ${name}, but its pods are not replaced when the ConfigMap changes.`,
        fix: "Put a hash of the ConfigMap into an annotation of the pod template, or generate the ConfigMap with kustomize, which adds a hash to the name.",
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
