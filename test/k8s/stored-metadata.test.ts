/** What the types of built-in kinds say of their metadata, against what a real API server answered. */
import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript";
import { expect, it } from "vitest";
import * as k8s from "../../src/k8s.ts";
import { apiVersionOf } from "../../src/kube/resource.ts";
import { ENTRIES, ROOT, programOf } from "../support/compiled.ts";
import { describeShared, sharedPath } from "../support/shared.ts";

const RECORDINGS = "conformance/recordings";
const SET_BY_SERVERS = ["name", "uid", "resourceVersion", "creationTimestamp", "generation"];

interface Step {
  readonly request?: string;
  readonly body?: unknown;
  readonly answer?: unknown;
  /** Places that were left out of the answer. */
  readonly ignore?: readonly string[];
}

interface Seen {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** All objects of kinds in a value. */
function* objectsIn(value: unknown): Generator<Seen> {
  if (typeof value !== "object" || value === null) return;
  const { apiVersion, kind, metadata } = value as Partial<Seen>;
  if (apiVersion && kind && metadata) yield { apiVersion, kind, metadata };
  for (const part of Object.values(value)) yield* objectsIn(part);
}

/** The fields of the metadata that each stored object of a kind has, by `apiVersion Kind`. */
function recorded(): Map<string, string[]> {
  const folder = sharedPath(RECORDINGS);
  const fields = new Map<string, string[]>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const scenarios = JSON.parse(readFileSync(`${folder}/${file}`, "utf8")) as {
      steps?: Step[];
    }[];
    for (const { steps = [] } of scenarios) {
      for (const { answer } of steps.filter(isOfStored)) {
        for (const { apiVersion, kind, metadata } of objectsIn(answer)) {
          // An object inside of another one, such as a webhook's question, or a template.
          if (metadata["uid"] === undefined || metadata["resourceVersion"] === undefined) continue;
          const name = `${apiVersion} ${kind}`;
          const known = fields.get(name) ?? SET_BY_SERVERS;
          fields.set(
            name,
            known.filter((field) => metadata[field] !== undefined),
          );
        }
      }
    }
  }
  return fields;
}

/** What a client says itself, or only tries, is not what the server sets on every object. */
function isOfStored({ request = "", body, ignore = [] }: Step): boolean {
  if (ignore.some((place) => place.includes("/metadata/"))) return false;
  return !request.includes("dryRun") && !JSON.stringify(body ?? null).includes('"generation"');
}

/** The fields of the metadata that each kind's type has for sure, by `apiVersion Kind`. */
function typed(): Map<string, string[]> {
  const path = "test/k8s/metadata-of-kinds.ts";
  const program = programOf(new Map([[path, `export * from "tsop/k8s";\n`]]));
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(ENTRIES["tsop/k8s"]!)!);
  const types = new Map(checker.getExportsOfModule(module!).map((symbol) => [symbol.name, symbol]));
  const at = program.getSourceFile(ROOT + path)!;
  return new Map(
    Object.entries(k8s).map(([name, token]) => {
      const exported = types.get(name)!;
      const symbol =
        exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const metadata = checker.getDeclaredTypeOfSymbol(symbol).getProperty("metadata");
      const fields = metadata ? checker.getTypeOfSymbolAtLocation(metadata, at) : undefined;
      const sure = SET_BY_SERVERS.filter((field) => {
        const property = fields?.getProperty(field);
        return property && !(property.flags & ts.SymbolFlags.Optional);
      });
      return [`${apiVersionOf(token)} ${token.kind}`, sure];
    }),
  );
}

describeShared(RECORDINGS, "the metadata of built-in kinds", () => {
  it("has in its types what the recorded answers of a real API server always have", () => {
    const [real, types] = [recorded(), typed()];
    const compared = [...types.keys()].filter((name) => real.has(name));
    expect(compared.length).toBeGreaterThan(50);
    expect(Object.fromEntries(compared.map((name) => [name, types.get(name)]))).toEqual(
      Object.fromEntries(compared.map((name) => [name, real.get(name)])),
    );
  });

  it("promises a generation of no kind that is not in the recordings", () => {
    const real = recorded();
    const unseen = [...typed()].filter(
      ([name, fields]) => fields.includes("generation") && !real.has(name),
    );
    expect(unseen).toEqual([]);
  });
});
