/**
 * Images whose tag can mean another image tomorrow.
 *
 * @module
 */
import type { Rule } from "../rule.ts";
import { textAt } from "../values.ts";
import { containersOf, isPlaceholder, podTemplates } from "../workloads.ts";

/** The rule. */
export const imageWithoutVersion: Rule = {
  name: "image-without-version",
  about:
    "The image of a container has no tag, or the tag `latest`: which program runs depends on when a node pulled it, two replicas may differ, and a rollback brings nothing back.",
  example: "containers:\n- name: web\n  image: nginx:latest",
  *find(examined) {
    for (const template of podTemplates(examined)) {
      const { manifest } = template;
      // The kustomization may set a tag.
      if (examined.isKustomized(manifest.file)) continue;
      for (const { container, path } of containersOf(template)) {
        const image = textAt(container, ["image"]);
        if (image === "" || isPlaceholder(image) || image.includes("@")) continue;
        const tag = tagOf(image);
        if (tag !== undefined && tag !== "latest") continue;
        yield {
          place: manifest.at([...path, "image"]),
          message: `The container ${textAt(container, ["name"])} of ${manifest.kind} ${manifest.name} has the image ${image}, ${tag === undefined ? "which has no tag and so means latest" : "whose tag means another image tomorrow"}.`,
          fix: "Name a version as the tag, or a digest: IMAGE@sha256:...",
        };
      }
    }
  },
};

/** The tag of a reference; a colon before the last slash is that of the registry's port. */
const tagOf = (image: string): string | undefined => /:([^/:]+)$/.exec(image)?.[1];
