/** Containers without an image, or with the one that scaffolds put there. */
import { isPlaceholderImage } from "../../project/operator-deployment.ts";
import type { Rule } from "../rule.ts";
import { containerImages, isPlaceholder } from "../workloads.ts";

export const imageNotSet: Rule = {
  name: "image-not-set",
  about:
    "A container has no image, or a placeholder such as the one that kubebuilder scaffolds, so its pods stay in ImagePullBackOff. In a tsop project, `controller:latest` is correct because `tsop deploy --image` replaces it.",
  example: "containers:\n- name: manager\n  image: controller:latest",
  *find(examined) {
    for (const { manifest, image, path, owner, isKustomized } of containerImages(examined)) {
      // The images of a kustomization, or `deploy`, put one in.
      const isReplaced =
        image !== "" && (isKustomized || (examined.isScaffolded && isPlaceholderImage(image)));
      if (isReplaced || (image !== "" && !isPlaceholder(image))) continue;
      yield {
        place: manifest.at(path),
        message: `${owner} has ${image === "" ? "no image" : `the image ${image}, which is a placeholder`}.`,
        fix: "Name the image that you built, with its tag or its digest.",
      };
    }
  },
};
