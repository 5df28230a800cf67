/**
 * Label and field selectors: read from their text, matched against labels and fields.
 *
 * The grammar and the messages are those of the API server.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */
import { type FieldError, formatFieldError, invalidValue } from "../field-errors.ts";
import { labelValueErrors, qualifiedNameErrors } from "../names.ts";

/**
 * The text of a selector cannot be understood; `message` is the API server's.
 *
 * @example
 * try {
 *   parseLabelSelector("tier in web");
 * } catch (error) {
 *   if (error instanceof SelectorError) console.error(error.message);
 * }
 */
export class SelectorError extends Error {
  override readonly name = "SelectorError";
}

/** The operator of a label requirement. */
export type LabelOperator = "exists" | "!" | "in" | "notin" | "=" | "==" | "!=" | "gt" | "lt";

/** One condition on one label. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** The labels of an object's metadata. */
export type Labels = Readonly<Record<string, string>>;

/** `matchLabels` and `matchExpressions`, as in the specs of workloads. */
export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** One condition on one field. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

const has = (labels: Labels, key: string): boolean => Object.hasOwn(labels, key);

/**
 * Whether labels fulfil all requirements.
 *
 * @example
 * matchesLabels(parseLabelSelector("tier in (web, api)"), { tier: "web" }); // true
 */
export function matchesLabels(
  requirements: readonly LabelRequirement[],
  labels: Labels = {},
): boolean {
  return requirements.every(({ key, operator, values }) => {
    const value = has(labels, key) ? labels[key] : undefined;
    switch (operator) {
      case "exists":
        return value !== undefined;
      case "!":
        return value === undefined;
      case "in":
      case "=":
      case "==":
        return value !== undefined && values.includes(value);
      case "notin":
      case "!=":
        return value === undefined || !values.includes(value);
      case "gt":
      case "lt": {
        const [limit = ""] = values;
        if (value === undefined || !isInteger(value)) return false;
        return operator === "gt" ? BigInt(value) > BigInt(limit) : BigInt(value) < BigInt(limit);
      }
    }
  });
}

/**
 * The requirements of a selector in an object's spec: `undefined` selects nothing, an empty one
 * everything. Operators other than the four known ones match nothing.
 *
 * @example
 * matchesLabelSelector({ matchLabels: { tier: "web" } }, web.metadata.labels);
 */
export function matchesLabelSelector(
  selector: LabelSelector | undefined,
  labels: Labels = {},
): boolean {
  if (!selector) return false;
  const named = Object.entries(selector.matchLabels ?? {}).every(
    ([key, value]) => has(labels, key) && labels[key] === value,
  );
  return (
    named &&
    (selector.matchExpressions ?? []).every((expression) => {
      const operator = EXPRESSION_OPERATORS.get(expression.operator);
      if (!operator) return false;
      return matchesLabels([{ ...expression, operator, values: expression.values ?? [] }], labels);
    })
  );
}

/** The operators of selectors in specs, as operators of selectors in texts. */
export const EXPRESSION_OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

/**
 * Whether each field has, or has not, the value asked for.
 *
 * @example
 * matchesFields(parseFieldSelector("metadata.name!=one"), () => web.metadata.name);
 */
export function matchesFields(
  requirements: readonly FieldRequirement[],
  valueOf: (field: string) => string,
): boolean {
  return requirements.every(
    ({ field, operator, value }) => (valueOf(field) === value) === (operator === "="),
  );
}

/**
 * Reads `a=b,c in (d,e),!f`.
 *
 * @example
 * parseLabelSelector("tier in (web, api),!legacy");
 *
 * @throws SelectorError with the API server's message
 */
export function parseLabelSelector(text: string): LabelRequirement[] {
  const tokens = new Tokens(text);
  const requirements: LabelRequirement[] = [];
  for (;;) {
    const first = tokens.peek();
    if (first.kind === "end") return requirements;
    if (first.kind !== "word" && first.kind !== "!") {
      throw unexpected(first, ", expected: !, identifier, or 'end of string'");
    }
    try {
      requirements.push(parseRequirement(tokens));
    } catch (thrown) {
      if (!(thrown instanceof SelectorError)) throw thrown;
      throw new SelectorError(`unable to parse requirement: ${thrown.message}`);
    }
    const separator = tokens.next();
    if (separator.kind === "end") return requirements;
    if (separator.kind !== ",") throw unexpected(separator, ", expected: ',' or 'end of string'");
    const following = tokens.peek();
    if (following.kind !== "word" && following.kind !== "!") {
      throw unexpected(following, ", expected: identifier after ','");
    }
  }
}

function parseRequirement(tokens: Tokens): LabelRequirement {
  let token = tokens.next();
  const absent = token.kind === "!";
  if (absent) token = tokens.next();
  if (token.kind !== "word") throw unexpected(token, ", expected: identifier");
  const key = token.text;
  refuse(qualifiedNameErrors(key).length > 0 ? [keyError("<nil>", key)] : []);
  if (absent) return { key, operator: "!", values: [] };
  if (tokens.peek().kind === "end" || tokens.peek().kind === ",") {
    return { key, operator: "exists", values: [] };
  }
  const operator = parseOperator(tokens);
  const values =
    operator === "in" || operator === "notin" ? parseValues(tokens) : [parseExactValue(tokens)];
  refuse([
    ...(operator === "gt" || operator === "lt"
      ? values.flatMap((value, index) =>
          isInteger(value)
            ? []
            : [
                invalidValue(
                  `values[${index}]`,
                  value,
                  "for 'Gt', 'Lt' operators, the value must be an integer",
                ),
              ],
        )
      : []),
    ...values.flatMap((value, index) => {
      const errors = labelValueErrors(value);
      return errors.length > 0
        ? [invalidValue(`values[${index}][${key}]`, value, errors.join("; "))]
        : [];
    }),
  ]);
  return { key, operator, values };
}

const keyError = (path: string, key: string): FieldError =>
  invalidValue(path, key, qualifiedNameErrors(key).join("; "));

function refuse(errors: readonly FieldError[]): void {
  const texts = [...new Set(errors.map(formatFieldError))];
  if (texts.length > 0) {
    throw new SelectorError(texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`);
  }
}

const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ["in", "in"],
  ["notin", "notin"],
  ["=", "="],
  ["==", "=="],
  ["!=", "!="],
  [">", "gt"],
  ["<", "lt"],
]);

function parseOperator(tokens: Tokens): LabelOperator {
  const token = tokens.next();
  const operator = token.kind === "end" ? undefined : OPERATORS.get(token.text);
  if (!operator) throw unexpected(token, ", expected: in, notin, =, ==, !=, gt, lt");
  return operator;
}

/** `(a,,b)`: sorted, each value once; an omitted one is empty. */
function parseValues(tokens: Tokens): string[] {
  const open = tokens.next();
  if (open.kind !== "(") throw unexpected(open, " expected: '('");
  const values = new Set<string>();
  if (tokens.peek().kind === ")") {
    tokens.next();
    return [""];
  }
  if (tokens.peek().kind !== "word" && tokens.peek().kind !== ",") {
    throw unexpected(tokens.peek(), ", expected: ',', ')' or identifier");
  }
  for (;;) {
    const token = tokens.next();
    if (token.kind === "word") {
      values.add(token.text);
      const after = tokens.peek();
      if (after.kind === ")") break;
      if (after.kind !== ",") throw unexpected(after, ", expected: ',' or ')'");
    } else if (token.kind === ",") {
      if (values.size === 0) values.add("");
      const after = tokens.peek();
      if (after.kind === ")" || after.kind === ",") values.add("");
      if (after.kind === ")") break;
    } else throw unexpected(token, ", expected: ',', or identifier");
  }
  tokens.next();
  return [...values].sort();
}

function parseExactValue(tokens: Tokens): string {
  const ahead = tokens.peek();
  if (ahead.kind === "end" || ahead.kind === ",") return "";
  const token = tokens.next();
  if (token.kind !== "word") throw unexpected(token, ", expected: identifier");
  return token.text;
}

const INT64 = 2n ** 63n;

/** Whether Go's `ParseInt` accepts it, with 64 bits; the API server compares no other numbers. */
function isInteger(text: string): boolean {
  if (!/^[+-]?\d+$/.test(text)) return false;
  return BigInt(text.replace("+", "")) >= -INT64 && BigInt(text.replace("+", "")) < INT64;
}

const unexpected = (token: Token, rest: string): SelectorError =>
  new SelectorError(`found '${token.text}'${rest}`);

interface Token {
  readonly kind: "word" | "end" | "error" | "(" | ")" | "," | "!" | "operator";
  readonly text: string;
}

const SPECIAL = "=!(),><";
const SYMBOLS = new Set(["=", "==", "!=", "!", "(", ")", ",", ">", "<"]);

/** The selector's words and symbols, one after the other. */
class Tokens {
  readonly #text: string;
  #position = 0;
  #ahead: Token | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  peek(): Token {
    return (this.#ahead ??= this.#read());
  }

  next(): Token {
    const token = this.peek();
    // The end stays where it is, however often it is read.
    if (token.kind !== "end") this.#ahead = undefined;
    return token;
  }

  #read(): Token {
    while (/[ \t\r\n]/.test(this.#text[this.#position] ?? "")) this.#position++;
    const first = this.#text[this.#position];
    if (first === undefined) return { kind: "end", text: "" };
    if (!SPECIAL.includes(first)) {
      const start = this.#position;
      while (/[^=!(),><\s]/.test(this.#text[this.#position] ?? " ")) this.#position++;
      return { kind: "word", text: this.#text.slice(start, this.#position) };
    }
    return this.#symbol();
  }

  /** The longest run of special characters that is a symbol. */
  #symbol(): Token {
    let [seen, found] = ["", ""];
    for (;;) {
      const character = this.#text[this.#position];
      if (character === undefined || !SPECIAL.includes(character)) break;
      seen += character;
      if (SYMBOLS.has(seen)) found = seen;
      else if (found !== "") break;
      this.#position++;
    }
    if (found === "") return { kind: "error", text: `error expected: keyword found '${seen}'` };
    if (found === "(" || found === ")" || found === "," || found === "!") {
      return { kind: found, text: found };
    }
    return { kind: "operator", text: found };
  }
}

/**
 * Reads `a=b,c!=d`; a backslash escapes comma, equals sign and itself in values.
 *
 * @example
 * parseFieldSelector("spec.nodeName=one");
 *
 * @throws SelectorError with the API server's message
 */
export function parseFieldSelector(text: string): FieldRequirement[] {
  return (
    splitTerms(text)
      .sort()
      .filter((term) => term !== "")
      .map((term) => {
        const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
        if (!match) {
          throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
        }
        const [, field = "", operator, value = ""] = match;
        return { field, operator: operator === "!=" ? "!=" : "=", value: unescapeValue(value) };
      })
      // A term without field and value has no effect.
      .filter(({ field, value }) => field !== "" || value !== "") as FieldRequirement[]
  );
}

function splitTerms(text: string): string[] {
  return text === "" ? [] : (text.match(/(?:\\.|[^,\\]|\\$)+|(?<=,|^)(?=,|$)/gs) ?? []);
}

function unescapeValue(text: string): string {
  let value = "";
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? "";
    if (character === "\\") {
      const escaped = text[++index] ?? "";
      if (escaped === "" || !"\\,=".includes(escaped)) {
        throw new SelectorError(`invalid field selector: invalid escape sequence: \\${escaped}`);
      }
      value += escaped;
    } else if (character === "," || character === "=") {
      throw new SelectorError(
        `invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`,
      );
    } else value += character;
  }
  return value;
}
