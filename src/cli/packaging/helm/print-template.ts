/** Writes the tree of a template as YAML that Helm executes: the only place where expressions become text. */
import { isNumeric } from "../../../kube/text/go-number.ts";
import { doubleQuoted, number, text } from "../../../kube/text/yaml-scalar.ts";
import {
  Composed,
  entriesOf,
  Expression,
  Fields,
  Hole,
  Optional,
  Spliced,
  type TemplateNode,
} from "./nodes.ts";

/** The text of a file in `templates/`. @param condition - an expression; without it, the object is always there */
export function printTemplate(node: TemplateNode, condition?: string): string {
  const lines = printLines(node, 0);
  return condition === undefined
    ? `${lines.join("\n")}\n`
    : `{{- if ${condition} }}\n${lines.join("\n")}\n{{- end }}\n`;
}

type Mapping = Fields | { readonly [key: string]: TemplateNode };

function printLines(node: TemplateNode, indent: number): string[] {
  if (isStructure(node) && isEmpty(node)) return [`${pad(indent)}${isList(node) ? "[]" : "{}"}`];
  if (isList(node)) return listLines(node, indent);
  if (isMapping(node)) return mappingLines(node, indent);
  return [`${pad(indent)}${scalar(node, indent, indent)}`];
}

function mappingLines(node: Mapping, indent: number): string[] {
  return entriesOf(node).flatMap((entry) => {
    if (entry instanceof Spliced) return splicedLines(entry, indent);
    const [key, value] = entry;
    return optional(value, (inner) => fieldLines(key, inner, indent));
  });
}

function fieldLines(key: string, node: TemplateNode, indent: number): string[] {
  const name = text(key, "key");
  const written = name.includes("{{") ? quoted(key) : name;
  // YAML limits a key before its colon to 1024 characters.
  const isLong = Buffer.byteLength(written) > 1000 || /[\u0085\u2028\u2029]/.test(written);
  const start = isLong
    ? `${pad(indent)}? ${quoted(key)}\n${pad(indent)}:`
    : `${pad(indent)}${written}:`;
  if (node instanceof Spliced) {
    return [start, `{{- toYaml ${node.source} | nindent ${indent + 2} }}`];
  }
  if (isStructure(node)) {
    if (isEmpty(node)) return [`${start} ${isList(node) ? "[]" : "{}"}`];
    return [start, ...printLines(node, indent + 2)];
  }
  return [`${start} ${scalar(node, indent + 2, indent + written.length + 2)}`];
}

function listLines(items: readonly TemplateNode[], indent: number): string[] {
  return items.flatMap((item) => {
    if (item instanceof Spliced) return splicedLines(item, indent);
    return optional(item, (inner) => itemLines(inner, indent));
  });
}

function itemLines(node: TemplateNode, indent: number): string[] {
  if (!isStructure(node)) return [`${pad(indent)}- ${scalar(node, indent + 2, indent + 2)}`];
  if (isEmpty(node)) return [`${pad(indent)}- ${isList(node) ? "[]" : "{}"}`];
  const [first = "", ...rest] = printLines(node, indent + 2);
  // Text can begin on the line of the dash, a condition cannot.
  return first.startsWith("{{")
    ? [`${pad(indent)}-`, first, ...rest]
    : [`${pad(indent)}- ${first.slice(indent + 2)}`, ...rest];
}

function optional(node: TemplateNode, lines: (node: TemplateNode) => string[]): string[] {
  if (node === undefined) return [];
  if (!(node instanceof Optional)) return lines(node);
  return [
    `{{- if ${node.condition.source} }}`,
    ...optional(node.node, lines),
    ...(node.otherwise === undefined ? [] : ["{{- else }}", ...optional(node.otherwise, lines)]),
    "{{- end }}",
  ];
}

function splicedLines({ source }: Spliced, indent: number): string[] {
  return [`{{- with ${source} }}`, `{{- toYaml . | nindent ${indent} }}`, "{{- end }}"];
}

function scalar(node: TemplateNode, indent: number, column: number): string {
  if (node instanceof Expression) return `{{ toJson (${node.source}) }}`;
  if (node instanceof Composed) {
    const parts = node.parts.map((part) =>
      typeof part === "string" ? quoted(part).slice(1, -1) : `{{ ${part.source} }}`,
    );
    return `"${parts.join("")}"`;
  }
  if (typeof node === "string") {
    // A condition after the value trims line breaks, which would be missing at the end of a block.
    return node.includes("{{") || /(?:^|\n)\n$/.test(node)
      ? quoted(node)
      : text(node, { indent, column });
  }
  return isNumeric(node) ? number(node) : JSON.stringify(node ?? null);
}

/** A text in double quotes, in which no expression can begin. */
const quoted = (value: string): string =>
  doubleQuoted(value).replaceAll(/\{(?=\{|"$)/g, String.raw`\x7B`);

const pad = (indent: number): string => " ".repeat(indent);

const isList = (node: TemplateNode): node is readonly TemplateNode[] => Array.isArray(node);

const isMapping = (node: TemplateNode): node is Mapping =>
  node instanceof Fields ||
  (typeof node === "object" && node !== null && !isList(node) && !Hole.is(node));

const isStructure = (node: TemplateNode): node is Mapping | readonly TemplateNode[] =>
  isList(node) || isMapping(node);

const isEmpty = (node: Mapping | readonly TemplateNode[]): boolean =>
  isList(node)
    ? node.length === 0
    : entriesOf(node).every((entry) => !(entry instanceof Spliced) && entry[1] === undefined);
