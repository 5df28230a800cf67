/** Images whose tag can mean another image tomorrow. */
import type { Rule } from "../rule.ts";
import { containerImages, isPlaceholder } from "../workloads.ts";

export const imageWithoutVersion: Rule = {
  name: "image-without-version",
  about:
    "The image of a container has no tag, or the tag `latest`. The program then depends on when a node pulled the image: two replicas can differ, and a rollback has no effect.",
  example: "containers:\n- name: web\n  image: nginx:latest",
  *find(examined) {
    for (const { manifest, image, path, owner, isKustomized } of containerImages(examined)) {
      // The kustomization may set a tag.
      if (isKustomized || image === "" || isPlaceholder(image) || image.includes("@")) continue;
      const tag = tagOf(image);
      if (tag !== undefined && tag !== "latest") continue;
      yield {
        place: manifest.at(path),
        message: `${owner} has the image ${image}, ${tag === undefined ? "which has no tag, so latest is pulled" : "whose tag can point to another image later"}.`,
        fix: "Name a version as the tag, or a digest: IMAGE@sha256:...",
      };
    }
  },
};

/** The tag of a reference; a colon before the last slash is that of the registry's port. */
const tagOf = (image: string): string | undefined => /:([^/:]+)$/.exec(image)?.[1];
