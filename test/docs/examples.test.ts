/**
 * Functions, classes and objects that the package exports show how they are used, and what they show compiles. Markers of
 * fields are shown in docs/markers.md as well, with the schema that each gives.
 */
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { ENTRIES, problemsIn, programOf, settingsWith } from "../support/compiled.ts";

/** What an example may speak of without saying where it comes from; what the package exports it may use as well. */
const AROUND = `
class WebSpec { html!: string; replicas = 1; color = "red"; }
type Policy = string;
@Resource({ group: "web.example.com", version: "v1" })
class Web extends CustomResource<WebSpec, { conditions?: Condition[]; readyReplicas?: number }> {}
class WebReconciler implements Reconciler<Web> {
  constructor(client: Client) {}
  async reconcile(): Promise<void> {}
}
class WebStatus { readyReplicas?: number }
declare const client: Client, manager: Manager, config: ClusterConfig, cluster: ControlPlane;
declare const plugin: import("tsop/plugin").KubectlPlugin;
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
const KINDS = `import { ConfigMap, Deployment, type OwnerReference, Pod, type PodTemplateSpec, Secret, StatefulSet } from "tsop/k8s";`;

interface Exported {
  readonly name: string;
  readonly entry: string;
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
      .filter(({ examples }) => examples.every((example) => example.trim() === ""))
      .map(({ name }) => name);
    expect(mute).toEqual([]);
  });

  it("has examples that compile", () => {
    const modules = new Map(
      shown.flatMap(({ name, examples }) =>
        examples

          // The bodies of some are left out.
          .filter((example) => !example.includes("{ ... }"))
          .map(withoutTicks)
          .map(
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

  /** A marker's example stands in backticks, or its `@` would begin a tag; one of a field has a class around it here. */
  function withoutTicks(example: string): string {
    if (!example.startsWith("`")) return example;
    const code = example.replaceAll("`", "");
    return code.includes("class ") ? code : `class Shown { ${code} }`;
  }

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
