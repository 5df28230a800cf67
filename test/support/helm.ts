/** The helm of the package that has kubectl, too: charts rendered by it, for tests. */
import { execa } from "execa";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { ManifestObject } from "../../src/kube/object.ts";
import { clientFolder, WITHOUT_COLLECTOR } from "./kubectl.ts";

/** A chart in a temporary folder. */
export class ChartFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "tsop-chart-"));

  constructor(files: ReadonlyMap<string, string>) {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(this.path, path)), { recursive: true });
      writeFileSync(join(this.path, path), text);
    }
  }

  /** What helm prints. @throws Error with what it complains of */
  async helm(...args: string[]): Promise<string> {
    const env = { ...WITHOUT_COLLECTOR, HELM_CACHE_HOME: join(this.path, "../.helm-cache") };
    return (await execa(join(clientFolder(), "helm"), args, { env })).stdout;
  }

  /**
   * The objects of a release named `web`.
   *
   * @throws Error for YAML that is wrong, such as a key that is there twice
   */
  async template(
    values: object = {},
    { release = "web", namespace = "myweb-system" } = {},
  ): Promise<ManifestObject[]> {
    const file = join(this.path, "test-values.json");
    writeFileSync(file, JSON.stringify(values));
    const text = await this.helm("template", release, this.path, "-n", namespace, "-f", file);
    return parseAllDocuments(text).flatMap((document) => {
      const [error] = document.errors;
      if (error) throw error;
      return (document.toJS() as ManifestObject | null) ?? [];
    });
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
