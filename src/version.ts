/** The version of the package, for logs: an operator is one file without a package.json. */
export const TSOP_VERSION = "0.1.0";
