import type { ImageOverride } from "../kustomize/kustomization.ts";
import { splitImage } from "../../kube/text/image-name.ts";

/** The image that the scaffold's Deployment names. */
const PLACEHOLDER_IMAGE = "controller";

/** Whether an image is the scaffold's, which no registry has. */
export const isPlaceholderImage = (image: string): boolean =>
  image === PLACEHOLDER_IMAGE || image === `${PLACEHOLDER_IMAGE}:latest`;

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
