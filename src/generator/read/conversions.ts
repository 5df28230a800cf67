/** Reads `@ConversionWebhook`: the versions that a class converts. */
import type { ts } from "../load.ts";
import type { ConversionModel, VersionModel } from "../model.ts";
import { decorationsOf } from "./marks/marks.ts";
import type { Module } from "./code/module.ts";
import { type Reader, complain } from "./code/reader.ts";
import { tokenOf } from "./marks/token.ts";

/** The conversions of one class: one that can be read, unless it has the marker twice. */
export function readConversions(
  reader: Reader,
  module: Module,
  node: ts.ClassDeclaration,
): ConversionModel[] {
  const calls = decorationsOf(reader, module, node)
    .filter(({ name }) => name === "ConversionWebhook")
    .map(({ call }) => call);
  for (const second of calls.slice(1)) {
    complain(
      reader,
      { module, node: second },
      "wrong-conversion",
      "A class converts between exactly two versions, but this class has @ConversionWebhook twice.",
      "Write a class for each spoke.",
    );
  }
  return calls.map((call, index) =>
    index === 0 ? readConversion(reader, module, call) : { at: reader.modules.at(module, call) },
  );
}

function readConversion(reader: Reader, module: Module, call: ts.CallExpression): ConversionModel {
  const at = reader.modules.at(module, call);
  const [hub, spoke] = call.arguments;
  if (!hub || !spoke || call.arguments.length > 2) {
    complain(
      reader,
      { module, node: call },
      "wrong-arguments",
      "@ConversionWebhook takes two kinds: the hub (the storage version) and the spoke.",
      "Write @ConversionWebhook(Widget, WidgetV1alpha1).",
    );
    return { at };
  }
  const [first, second] = [hub, spoke].map((node) => readVersion(reader, module, node));
  return { ...(first ? { hub: first } : {}), ...(second ? { spoke: second } : {}), at };
}

function readVersion(
  reader: Reader,
  module: Module,
  node: ts.Expression,
): VersionModel | undefined {
  const { group, version, kind } = tokenOf(reader, module, node) ?? {};
  const shown = node.getText(module.file);
  if (group !== undefined && version !== undefined && kind !== undefined) {
    return { group, version, kind, shown, at: reader.modules.at(module, node) };
  }
  complain(
    reader,
    { module, node },
    "not-a-token",
    `\`${shown}\` is not a kind.`,
    "Pass a class with @Resource.",
  );
  return undefined;
}
