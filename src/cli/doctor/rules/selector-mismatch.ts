/** Workloads whose selector does not match their own pods. */
import type { Rule } from "../rule.ts";
import { objectAt } from "../values.ts";
import { hasLabels, podTemplates } from "../workloads.ts";

export const selectorMismatch: Rule = {
  name: "selector-mismatch",
  about:
    "The selector of a workload requires labels that its pod template does not have, so the API server rejects it.",
  example:
    "kind: Deployment\nspec:\n  selector: { matchLabels: { app: web } }\n  template: { metadata: { labels: { app: shop } } }",
  *find(examined) {
    for (const { manifest, labels, path } of podTemplates(examined)) {
      const wanted = objectAt(manifest.value, ["spec", "selector", "matchLabels"]);
      if (path.length === 0 || hasLabels(labels, wanted)) continue;
      const missing = Object.entries(wanted).filter(([key, value]) => labels[key] !== value);
      yield {
        place: manifest.at(["spec", "selector", "matchLabels"]),
        message: `The selector of ${manifest.kind} ${manifest.name} requires ${missing.map(([key, value]) => `${key}=${String(value)}`).join(", ")}, which its pods do not have.`,
        fix: "Add the labels to spec.template.metadata.labels. A selector cannot be changed later.",
      };
    }
  },
};
