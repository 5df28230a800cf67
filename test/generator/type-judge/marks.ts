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
  if (of === "text") return typeof value === "string" ? [...value].length : undefined;
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

const kept = new WeakMap<ts.Declaration, readonly Holds[]>();

/** Whether a value satisfies the markers on the declarations of a field. */
export function satisfies(declarations: readonly ts.Declaration[], value: unknown): boolean {
  return declarations.every((node) => {
    const marks = kept.get(node) ?? marksOn(node);
    kept.set(node, marks);
    return marks.every((holds) => holds(value));
  });
}
