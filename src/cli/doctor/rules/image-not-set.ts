/**
 * Containers without an image, or with the one that scaffolds put there.
 *
 * @module
 */
import type { Rule } from "../rule.ts";
import { textAt } from "../values.ts";
import { podTemplates } from "../workloads.ts";

const PLACEHOLDER = /^(?:controller(?::latest)?|example\.com\/.*|<.*>|IMAGE(?::.*)?|TODO.*)$/;

/** The rule. */
export const imageNotSet: Rule = {
  name: "image-not-set",
  about:
    "A container has no image, or still has the one of the scaffold, which no registry has: its pods stay in ImagePullBackOff.",
  example: "containers:\n- name: manager\n  image: controller:latest",
  *find(examined) {
    for (const { manifest, path, containers } of podTemplates(examined)) {
      for (const [index, container] of containers.entries()) {
        const image = textAt(container, ["image"]);
        // `tsop deploy --image`, or the images of a kustomization, put one in.
        const isReplaced = image !== "" && examined.isKustomized(manifest.file);
        if (isReplaced || (image !== "" && !PLACEHOLDER.test(image))) continue;
        yield {
          place: manifest.at([...path, "spec", "containers", index, "image"]),
          message: `The container ${textAt(container, ["name"])} of ${manifest.kind} ${manifest.name} has ${image === "" ? "no image" : `the image ${image}, which is a placeholder`}.`,
          fix: "Name the image that you built, with its tag or its digest.",
        };
      }
    }
  },
};
