/** The markers of a field, as the judge reads them from its declarations: what they say of a value. */
import ts from "typescript";

/** Whether a value satisfies a marker. */
type Holds = (value: unknown) => boolean;

const onNumber =
  (holds: (value: number, limit: number) => boolean) =>
  (limit: string): Holds =>
  (value) =>
    typeof value !== "number" || holds(value, Number(limit));

const onSize =
  (of: "text" | "list" | "object", holds: (size: number, limit: number) => boolean) =>
  (limit: string): Holds =>
  (value) => {
    const size = sizeOf(value, of);
    return size === undefined || holds(size, Number(limit));
  };

function sizeOf(value: unknown, of: "text" | "list" | "object"): number | undefined {
  if (of === "text") return typeof value === "string" ? Array.from(value).length : undefined;
  if (of === "list") return Array.isArray(value) ? value.length : undefined;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? Object.keys(value).length : undefined;
}

const atLeast = (size: number, limit: number): boolean => size >= limit;
const atMost = (size: number, limit: number): boolean => size <= limit;

const MARKERS: ReadonlyMap<string, (argument: string) => Holds> = new Map([
  ["minimum", onNumber(atLeast)],
  ["maximum", onNumber(atMost)],
  ["exclusiveminimum", onNumber((value, limit) => value > limit)],
  ["multipleof", onNumber((value, step) => value % step === 0)],
  ["minlength", onSize("text", atLeast)],
  ["maxlength", onSize("text", atMost)],
  ["minitems", onSize("list", atLeast)],
  ["maxitems", onSize("list", atMost)],
  ["minproperties", onSize("object", atLeast)],
  ["maxproperties", onSize("object", atMost)],
  [
    "pattern",
    (written: string): Holds => {
      const pattern = new RegExp(/^\/.*\/$/.test(written) ? written.slice(1, -1) : written);
      return (value) => typeof value !== "string" || pattern.test(value);
    },
  ],
]);

/** The markers on a declaration. */
function marksOn(node: ts.Declaration): Holds[] {
  const found: Holds[] = [];
  const add = (name: string, argument: string): void => {
    const marker = MARKERS.get(name.toLowerCase());
    if (marker) found.push(marker(argument));
  };
  for (const { expression } of ts.canHaveDecorators(node) ? (ts.getDecorators(node) ?? []) : []) {
    if (!ts.isCallExpression(expression)) continue;
    add(expression.expression.getText(), expression.arguments[0]?.getText() ?? "");
  }
  for (const tag of ts.getJSDocTags(node)) {
    add(tag.tagName.text, ts.getTextOfJSDocComment(tag.comment)?.trim() ?? "");
  }
  return found;
}

/** The markers of a class. */
const CLASS_MARKERS: ReadonlyMap<string, (found: number) => boolean> = new Map([
  ["AtLeastOneOf", (found: number) => found >= 1],
  ["ExactlyOneOf", (found: number) => found === 1],
]);

function classMarksOn(node: ts.ClassDeclaration): Holds[] {
  return (ts.getDecorators(node) ?? []).flatMap(({ expression }): Holds[] => {
    if (!ts.isCallExpression(expression)) return [];
    const holds = CLASS_MARKERS.get(expression.expression.getText());
    if (!holds) return [];
    const names = expression.arguments.map((one) => (ts.isStringLiteral(one) ? one.text : ""));
    return [
      (value) => {
        const set = names.filter((name) => (value as Record<string, unknown>)[name] != null);
        return holds(set.length);
      },
    ];
  });
}

const WHOLE: Holds = (value) => typeof value !== "number" || Number.isInteger(value);

const onText =
  (pattern: RegExp): Holds =>
  (value) =>
    typeof value !== "string" || pattern.test(value);

const AMOUNT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;
const MOMENT = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d/;

/** The scalars, and what they say of a value; the judge asks no more of them than this. */
const SCALARS: ReadonlyMap<string, readonly Holds[]> = new Map<string, readonly Holds[]>([
  ["Int", [WHOLE]],
  ["Int32", [WHOLE]],
  ["Int64", [WHOLE]],
  ["IntOrString", [WHOLE]],
  ["Quantity", [WHOLE, onText(AMOUNT)]],
  ["Time", [onText(MOMENT)]],
  ["MicroTime", [onText(MOMENT)]],
  ["Num", []],
  ["Float", []],
  ["Double", []],
]);

/** The name of the scalar that a field is declared to be. */
export function scalarOf(declarations: readonly ts.Declaration[]): string | undefined {
  const [node] = declarations;
  if (!node || declarations.length > 1) return undefined;
  if (!ts.isPropertyDeclaration(node) && !ts.isPropertySignature(node)) return undefined;
  const [name = ""] = /\w+/.exec(node.type?.getText() ?? "") ?? [];
  const text = node.type?.getText().replace(/^\((\w+)\)/, "$1") ?? "";
  return SCALARS.has(name) && [name, `${name} | null`].includes(text) ? name : undefined;
}

/** Whether a scalar has the value. */
export function isOfScalar(name: string, value: unknown): boolean {
  return SCALARS.get(name)?.every((holds) => holds(value)) ?? true;
}

const kept = new WeakMap<ts.Declaration, readonly Holds[]>();

function marksOf(node: ts.Declaration): readonly Holds[] {
  const known = kept.get(node);
  if (known) return known;
  const marks = [...marksOn(node), ...(ts.isClassDeclaration(node) ? classMarksOn(node) : [])];
  kept.set(node, marks);
  return marks;
}

/** Whether a value satisfies the markers on the declarations of its field or of its class. */
export function satisfies(declarations: readonly ts.Declaration[], value: unknown): boolean {
  return declarations.every((node) => marksOf(node).every((holds) => holds(value)));
}
