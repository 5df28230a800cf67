/** Writes the bundle of a TypeScript file to `.cache/run/<name>`, and returns its path. */
export function bundleTs(file: string, name: string): Promise<string>;
/** Writes the bundles of several files of one folder to `.cache/run/<folder>`, and returns its path. */
export function bundleAllTs(files: readonly string[], folder: string): Promise<string>;
