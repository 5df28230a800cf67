/** The entries of the package, from `exports` of package.json. */
import { readFileSync } from "node:fs";

/** An entry point that users import, and its source. */
export interface PackageEntry {
  /** The specifier: `tsop/k8s`. */
  readonly specifier: string;
  /** The source: `src/k8s.ts`. */
  readonly source: string;
}

/** All entries with types. */
export function packageEntries(root: string): PackageEntry[] {
  const { name, exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
    name: string;
    exports: Record<string, string | { readonly types: string }>;
  };
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === "string"
      ? []
      : [
          {
            specifier: path.replace(".", name),
            source: target.types.replace(/^\.\/dist\/(.*)\.d\.ts$/, "src/$1.ts"),
          },
        ],
  );
}
