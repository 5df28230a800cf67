/**
 * The tree of a Helm template: plain JSON, with expressions as objects of classes. A string is always text, whatever
 * stands in it; only the code here can make an expression.
 */

/** What a template has in place of JSON. */
export abstract class Hole {
  // Makes it another type than every JSON object.
  protected readonly isHole = true;

  /** Whether the value is a hole, and no text or object that only looks like one. */
  static is(value: unknown): value is Hole {
    return value instanceof Hole;
  }
}

/** A Go template expression in place of a whole value. Its result is written as JSON, which is YAML. */
export class Expression extends Hole {
  readonly #source: string;

  constructor(source: string) {
    super();
    this.#source = source;
  }

  get source(): string {
    return this.#source;
  }
}

/** A string of literal parts and of expressions whose results are parts of a Kubernetes name. */
export class Composed extends Hole {
  readonly parts: readonly (string | Expression)[];

  constructor(parts: readonly (string | Expression)[]) {
    super();
    this.parts = parts;
  }
}

/** The fields or items that an expression gives; none if it is empty. */
export class Spliced extends Hole {
  readonly #source: string;

  constructor(source: string) {
    super();
    this.#source = source;
  }

  get source(): string {
    return this.#source;
  }
}

/** A node that is there if the condition holds; without `otherwise`, its field or item is left out if not. */
export class Optional extends Hole {
  readonly condition: Expression;
  readonly node: TemplateNode;
  readonly otherwise: TemplateNode;

  constructor(condition: string, node: TemplateNode, otherwise?: TemplateNode) {
    super();
    this.condition = new Expression(condition);
    this.node = node;
    this.otherwise = otherwise;
  }
}

/** A mapping, some of whose fields can be spliced. */
export class Fields extends Hole {
  readonly entries: readonly (readonly [string, TemplateNode] | Spliced)[];

  constructor(entries: readonly (readonly [string, TemplateNode] | Spliced)[]) {
    super();
    this.entries = entries;
  }

  /** The names of the fields that are always there. */
  get keys(): string[] {
    return this.entries.flatMap((entry) => (entry instanceof Spliced ? [] : [entry[0]]));
  }
}

export type TemplateNode =
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | Expression
  | Composed
  | Spliced
  | Optional
  | Fields
  | readonly TemplateNode[]
  | { readonly [key: string]: TemplateNode };

/** A mapping as pairs. */
export function entriesOf(
  node: Fields | { readonly [key: string]: TemplateNode },
): readonly (readonly [string, TemplateNode] | Spliced)[] {
  return node instanceof Fields ? node.entries : Object.entries(node);
}

/** A string literal of a Go template. */
export function goString(text: string): string {
  // Go reads the escapes of JSON, except those of half a surrogate pair.
  return JSON.stringify(text).replaceAll(/\\ud[89a-f][0-9a-f]{2}/g, "\\ufffd");
}

/** A value of values.yaml. */
export function valueAt(...path: readonly string[]): string {
  return path.every((part) => /^[A-Za-z]\w*$/.test(part))
    ? `.Values.${path.join(".")}`
    : `(index .Values ${path.map(goString).join(" ")})`;
}

/** A text outside of YAML, such as in NOTES.txt, in which no expression can begin. */
export function plainText(text: string): string {
  return text.replaceAll(/\{(?=\{|$)/g, '{{ "{" }}');
}
