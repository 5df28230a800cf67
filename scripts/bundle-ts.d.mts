/** Writes the bundle of a TypeScript file to `.cache/run/<name>`, and returns its path. */
export function bundleTs(file: string, name: string): Promise<string>;
