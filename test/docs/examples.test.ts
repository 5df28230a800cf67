/**
 * Functions, classes and objects that the package exports show how they are used, and what they show compiles. Markers are
 * shown in docs/markers.md, with the schema that each gives.
 */
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { ENTRIES, problemsIn, programOf, ROOT, settingsWith } from "../support/compiled.ts";

/** What an example may speak of without saying where it comes from; what the package exports it may use as well. */
const AROUND = `
class WebSpec { html!: string; replicas = 1; }
@Resource({ group: "web.example.com", version: "v1" })
class Web extends CustomResource<WebSpec, { conditions?: Condition[]; readyReplicas?: number }> {}
class WebReconciler implements Reconciler<Web> {
  constructor(client: Client) {}
  async reconcile(): Promise<void> {}
}
declare const client: Client, manager: Manager, config: ClusterConfig, cluster: ControlPlane;
declare const web: Web, configMap: ConfigMap, key: ObjectKey, nowMs: number;
declare const storage: {
  ensureBucket(name: string): Promise<{ state: string }>;
  removeBucket(name: string): Promise<boolean>;
};
declare function configMapFor(web: Web): Intent<ConfigMap>;
declare function databaseFor(web: Web): Intent<StatefulSet>;
declare function deploymentFor(web: Web): Intent<Deployment>;
declare const served: ConditionChange, certified: ConditionChange, refused: ConditionChange;
declare const expect: (value: unknown) => { toEqual(other: unknown): void };
@ValidatingWebhook(Web)
class WidgetValidator implements Validator<Web> {
  validateCreate(): void {}
}
declare const WidgetV1alpha1Conversion: new () => Converter<Web, Web>;
declare function listBuckets(signal: AbortSignal): Promise<[ObjectKey, number][]>;
`;
const KINDS = `import { ConfigMap, Deployment, Pod, Secret, StatefulSet } from "tsop/k8s";`;

interface Exported {
  readonly name: string;
  readonly entry: string;
  readonly file: string;
  readonly isValue: boolean;
  readonly examples: readonly string[];
}

/** What the entries for programs and tests export, with its examples. */
function allExported(): Exported[] {
  const entries = ["tsop", "tsop/testing"];
  const text = entries.map((entry) => `import "${entry}";`).join("\n");
  const program = programOf(new Map([["test/docs/all-entries.ts", text]]));
  const checker = program.getTypeChecker();
  return entries.flatMap((entry) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(ENTRIES[entry]!)!)!;
    return checker.getExportsOfModule(module).map((exported) => {
      const isTypeOnly = exported.declarations?.some(
        (one) => ts.isExportSpecifier(one) && (one.isTypeOnly || one.parent.parent.isTypeOnly),
      );
      const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
      const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
      return {
        name: exported.name,
        entry,
        file: symbol.declarations![0]!.getSourceFile().fileName.slice(ROOT.length),
        isValue: !isTypeOnly && (symbol.flags & ts.SymbolFlags.Value) !== 0,
        examples: symbol
          .getJsDocTags(checker)
          .filter(({ name }) => name === "example")
          .map(({ text }) => ts.displayPartsToString(text)),
      };
    });
  });
}

describe("what the package exports", { timeout: 240_000 }, () => {
  const exported = allExported();
  const shown = exported.filter(({ isValue }) => isValue);

  it("shows how each function, class and object is used", () => {
    const mute = shown
      .filter(({ examples, file }) => examples.length === 0 && !file.startsWith("src/markers/"))
      .map(({ name }) => name);
    // Names of annotations, for manifests.
    expect(mute).toEqual(["DEPENDENTS_ANNOTATION", "PAUSED_ANNOTATION"]);
  });

  it("has examples that compile", () => {
    const modules = new Map(
      shown.flatMap(({ name, examples }) =>
        examples.map(
          (example, index) =>
            [`test/docs/example-of-${name}-${index}.ts`, moduleOf(example)] as const,
        ),
      ),
    );
    const program = programOf(modules, settingsWith({ noImplicitReturns: false }));
    const problems = [...modules.keys()].flatMap((path) => problemsIn(program, path));
    expect(problems).toEqual([]);
    expect(modules.size).toBeGreaterThan(80);
  });

  function moduleOf(example: string): string {
    const imports = exported
      .filter(({ name }) => new RegExp(`\\b${name}\\b`).test(AROUND + example))
      .map(
        ({ name, entry, isValue }) =>
          `import { ${isValue ? "" : "type "}${name} } from "${entry}";`,
      );
    return `${imports.join("\n")}\n${KINDS}\n${AROUND}\nexport async function example() {\n${example}\n}\n`;
  }
});
