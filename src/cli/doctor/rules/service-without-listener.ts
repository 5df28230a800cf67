/** Services that select no pod, or whose port no container listens on. */
import { isJsonObject } from "../../../kube/json.ts";
import { literalPattern } from "../../../kube/text/literal-pattern.ts";
import type { Found, Manifest, Rule } from "../rule.ts";
import { listAt, objectAt, textAt, textsAt } from "../values.ts";
import { containersOf, hasLabels, podTemplates, type PodTemplate } from "../workloads.ts";

export const serviceWithoutListener: Rule = {
  name: "service-without-listener",
  about:
    "A Service does not select any pod of these manifests, or their containers do not declare its target port. Connections are refused.",
  example:
    "kind: Service\nspec:\n  selector: { app: web }\n  ports: [{ port: 80, targetPort: http }] # no container has a port http",
  *find(examined) {
    const templates = podTemplates(examined);
    for (const manifest of examined.manifests) {
      const selector = objectAt(manifest.value, ["spec", "selector"]);
      if (manifest.kind !== "Service" || Object.keys(selector).length === 0) continue;
      const near = templates.filter(
        ({ manifest: { namespace } }) => namespace === manifest.namespace,
      );
      if (near.length === 0) continue;
      const selected = near.filter(({ labels }) => hasLabels(labels, selector));
      if (selected.length > 0) yield* unheard(manifest, selected, examined.patches);
      else {
        yield {
          place: manifest.at(["spec", "selector"]),
          message: `Service ${manifest.name} selects ${Object.entries(selector)
            .map(([key, value]) => `${key}=${String(value)}`)
            .join(", ")}, but no pods here have these labels.`,
          fix: "Use the labels of a pod template. kubectl get endpointslices shows the pods that a Service selects.",
        };
      }
    }
  },
};

/** @param patches - may add a port */
function* unheard(
  service: Manifest,
  templates: readonly PodTemplate[],
  patches: string,
): Generator<Found> {
  const ports = templates.flatMap(({ containers }) =>
    containers.flatMap((container) => listAt(container, ["ports"]).filter(isJsonObject)),
  );
  if (ports.length === 0) return;
  for (const [index, port] of listAt(service.value, ["spec", "ports"]).entries()) {
    const target = objectAt(port, [])["targetPort"] ?? objectAt(port, [])["port"];
    const isHeard = ports.some((one) =>
      typeof target === "string"
        ? textAt(one, ["name"]) === target
        : one["containerPort"] === target,
    );
    const isFlag = typeof target === "number" && templates.some((one) => isNamed(target, one));
    const said = literalPattern(String(target));
    const added = new RegExp(`\\b(?:containerPort|name): ["']?${said}\\b`).test(patches);
    if (isHeard || added || isFlag) continue;
    yield {
      place: service.at(["spec", "ports", index]),
      message: `Service ${service.name} leads to the port ${String(target)}, which no container of its pods has.`,
      fix: `Use one of ${[...new Set(ports.map((one) => textAt(one, ["name"]) || String(one["containerPort"])))].join(", ")}, or add the port to the container.`,
    };
  }
}

/** Whether a container is told the port, as by `--metrics-bind-address=:8443`: listing it is not needed then. */
function isNamed(port: number, template: PodTemplate): boolean {
  const told = [...containersOf(template)].flatMap(({ container }) => [
    ...textsAt(container, ["command"]),
    ...textsAt(container, ["args"]),
    ...listAt(container, ["env"]).map((one) => textAt(one, ["value"])),
  ]);
  return told.some((text) => new RegExp(`\\b${literalPattern(String(port))}\\b`).test(text));
}
