/** Writes the page of a checkout into a folder, and returns what esbuild says it is made of. */
export function bundlePage(root: string, folder: string): Promise<object>;
