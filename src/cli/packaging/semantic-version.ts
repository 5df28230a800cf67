/** The version of a package. It becomes part of paths, and might be that of a cloned repository. */

/** A version by https://semver.org, without the `v` that some write before it. */
const SEMANTIC =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

/** Whether a text is a semantic version. */
export const isSemanticVersion = (version: string): boolean => SEMANTIC.test(version);
