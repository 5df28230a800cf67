/**
 * Containers without an image, or with the one that scaffolds put there.
 *
 * @module
 */
import type { Rule } from "../rule.ts";
import { textAt } from "../values.ts";
import { containersOf, isPlaceholder, podTemplates } from "../workloads.ts";

/** The image that `tsop init` and kubebuilder write, and that their `deploy` replaces. */
const SCAFFOLDED = /^controller(?::latest)?$/;

/** The rule. */
export const imageNotSet: Rule = {
  name: "image-not-set",
  about:
    "A container has no image, or still has the one of the scaffold, which no registry has: its pods stay in ImagePullBackOff.",
  example: "containers:\n- name: manager\n  image: controller:latest",
  *find(examined) {
    for (const template of podTemplates(examined)) {
      const { manifest } = template;
      for (const { container, path } of containersOf(template)) {
        const image = textAt(container, ["image"]);
        // The images of a kustomization, or `deploy`, put one in.
        const isReplaced =
          image !== "" &&
          (examined.isKustomized(manifest.file) ||
            (examined.isScaffolded && SCAFFOLDED.test(image)));
        if (isReplaced || (image !== "" && !isPlaceholder(image))) continue;
        yield {
          place: manifest.at([...path, "image"]),
          message: `The container ${textAt(container, ["name"])} of ${manifest.kind} ${manifest.name} has ${image === "" ? "no image" : `the image ${image}, which is a placeholder`}.`,
          fix: "Name the image that you built, with its tag or its digest.",
        };
      }
    }
  },
};
