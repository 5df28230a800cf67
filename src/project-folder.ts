/** The folder that tsop keeps in a project: a cloned repository can contain any file there. */
import { resolve, sep } from "node:path";

export const PROJECT_FOLDER = ".tsop";

/** The kubeconfig that `tsop dev` and `tsop cluster` write for kubectl and other clients. */
export const ADMIN_KUBECONFIG = `${PROJECT_FOLDER}/kubeconfig`;

/** Whether a path is in such a folder, of whatever project. */
export const isInProjectFolder = (path: string): boolean =>
  resolve(path).split(sep).includes(PROJECT_FOLDER);
