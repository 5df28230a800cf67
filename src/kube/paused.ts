/** The annotation by which people pause an operator's work on an object. */
import type { KubeObject } from "./object.ts";

/**
 * While an object has it with the value `true`, no controller reconciles or cleans up.
 *
 * @example
 * await client.patch(Web, key, mergePatch({ metadata: { annotations: { [PAUSED_ANNOTATION]: "true" } } }));
 */
export const PAUSED_ANNOTATION = "tsop.dev/paused";

/**
 * Whether people have paused what operators do with the object.
 *
 * @example
 * if (isPaused(web)) return;
 */
export function isPaused({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[PAUSED_ANNOTATION] === "true";
}
