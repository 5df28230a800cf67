/**
 * Compares resourceVersions. They are decimal numbers of any length, and comparable, since
 * Kubernetes 1.35.
 *
 * @see https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/5504-comparable-resource-version
 */

const COMPARABLE = /^[1-9][0-9]*$/;

/** Whether `version` is surely older than `than`; versions that cannot be compared are not. */
export function isOlder(version: string | undefined, than: string | undefined): boolean {
  if (!version || !than || !COMPARABLE.test(version) || !COMPARABLE.test(than)) return false;
  return version.length === than.length ? version < than : version.length < than.length;
}
