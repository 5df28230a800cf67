import type { ImageOverride } from "../kustomize/kustomization.ts";
import { PLACEHOLDER_IMAGE } from "../project/operator-deployment.ts";
import { splitImage } from "../../kube/text/image-name.ts";

/** The override that puts the image in place of the one in the scaffolded Deployment. */
export function imageOverride(image: string): ImageOverride {
  const { name, tag, digest } = splitImage(image);
  return {
    name: PLACEHOLDER_IMAGE,
    newName: name,
    newTag: tag === "" ? "latest" : tag,
    ...(digest === "" ? {} : { digest }),
  };
}
