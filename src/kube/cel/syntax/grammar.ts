/**
 * The grammar of CEL as a graph of states, for error messages.
 *
 * Valid texts are read by `parser.ts`, which is much faster. This graph has the states that ANTLR
 * makes of cel-go's grammar, because its messages depend on them.
 *
 * @see https://github.com/google/cel-go/blob/master/parser/gen/CEL.g4
 */
import type { TokenKind } from "./lexer.ts";

/** The kind of a state; recovery depends on it. */
type StateKind = "basic" | "choice" | "loopEntry" | "loopBack" | "plusBack";

export interface Edge {
  readonly to: State;
  /** The tokens, one of which is consumed. */
  readonly tokens?: readonly TokenKind[];
  /** The rule that is passed through first. */
  readonly rule?: RuleName;
  /** The precedence that the rule is called with. */
  readonly precedence?: number;
  /** The highest precedence of the calling rule at which the edge is open. */
  readonly atMost?: number;
}

export interface State {
  readonly kind: StateKind;
  readonly edges: Edge[];
  /** Whether the rule ends here. */
  readonly isEnd?: boolean;
}

type RuleName =
  | "start"
  | "expr"
  | "conditionalOr"
  | "conditionalAnd"
  | "relation"
  | "calc"
  | "unary"
  | "member"
  | "primary"
  | "exprList"
  | "listInit"
  | "fieldInitializerList"
  | "optField"
  | "mapInitializerList"
  | "escapeIdent"
  | "optExpr"
  | "literal";

type Element =
  | { readonly token: readonly TokenKind[] }
  | { readonly rule: RuleName; readonly precedence?: number }
  | { readonly atMost: number }
  | { readonly choice: readonly Sequence[] }
  | { readonly optional: Sequence }
  | { readonly star: Sequence }
  | { readonly plus: Sequence };

type Sequence = readonly Element[];

const token = (...kinds: TokenKind[]): Element => ({ token: kinds });
const rule = (name: RuleName, precedence?: number): Element =>
  precedence === undefined ? { rule: name } : { rule: name, precedence };
const optional = (...elements: Element[]): Element => ({ optional: elements });
const star = (...elements: Element[]): Element => ({ star: elements });
const plus = (...elements: Element[]): Element => ({ plus: elements });
const choice = (...alternatives: Sequence[]): Element => ({ choice: alternatives });

/** `item (',' item)*` */
const commaSeparated = (...item: Element[]): Sequence => [...item, star(token(","), ...item)];

const RULES: Readonly<Record<RuleName, Sequence>> = {
  start: [rule("expr"), token("EOF")],
  expr: [
    rule("conditionalOr"),
    optional(token("?"), rule("conditionalOr"), token(":"), rule("expr")),
  ],
  conditionalOr: [rule("conditionalAnd"), star(token("||"), rule("conditionalAnd"))],
  conditionalAnd: [rule("relation"), star(token("&&"), rule("relation"))],
  relation: [
    rule("calc"),
    star({ atMost: 1 }, token("<", "<=", ">=", ">", "==", "!=", "in"), rule("relation", 2)),
  ],
  calc: [
    rule("unary"),
    star(
      choice(
        [{ atMost: 2 }, token("*", "/", "%"), rule("calc", 3)],
        [{ atMost: 1 }, token("+", "-"), rule("calc", 2)],
      ),
    ),
  ],
  unary: [
    choice(
      [rule("member")],
      [plus(token("!")), rule("member")],
      [plus(token("-")), rule("member")],
    ),
  ],
  member: [
    rule("primary"),
    star(
      choice(
        [{ atMost: 3 }, token("."), optional(token("?")), rule("escapeIdent")],
        [
          { atMost: 2 },
          token("."),
          token("IDENTIFIER"),
          token("("),
          optional(rule("exprList")),
          token(")"),
        ],
        [{ atMost: 1 }, token("["), optional(token("?")), rule("expr"), token("]")],
      ),
    ),
  ],
  primary: [
    choice(
      [optional(token(".")), token("IDENTIFIER")],
      [
        optional(token(".")),
        token("IDENTIFIER"),
        token("("),
        optional(rule("exprList")),
        token(")"),
      ],
      [token("("), rule("expr"), token(")")],
      [token("["), optional(rule("listInit")), optional(token(",")), token("]")],
      [token("{"), optional(rule("mapInitializerList")), optional(token(",")), token("}")],
      [
        optional(token(".")),
        token("IDENTIFIER"),
        star(token("."), token("IDENTIFIER")),
        token("{"),
        optional(rule("fieldInitializerList")),
        optional(token(",")),
        token("}"),
      ],
      [rule("literal")],
    ),
  ],
  exprList: commaSeparated(rule("expr")),
  listInit: commaSeparated(rule("optExpr")),
  fieldInitializerList: commaSeparated(rule("optField"), token(":"), rule("expr")),
  optField: [optional(token("?")), rule("escapeIdent")],
  mapInitializerList: commaSeparated(rule("optExpr"), token(":"), rule("expr")),
  escapeIdent: [choice([token("IDENTIFIER")], [token("ESC_IDENTIFIER")])],
  optExpr: [optional(token("?")), rule("expr")],
  literal: [
    choice(
      [optional(token("-")), token("NUM_INT")],
      [token("NUM_UINT")],
      [optional(token("-")), token("NUM_FLOAT")],
      [token("STRING")],
      [token("BYTES")],
      [token("true")],
      [token("false")],
      [token("null")],
    ),
  ],
};

const state = (kind: StateKind = "basic"): State => ({ kind, edges: [] });

function link(from: State, to: State, rest: Omit<Edge, "to"> = {}): State {
  from.edges.push({ to, ...rest });
  return to;
}

/** Adds a sequence after a state. @returns the state at its end */
function addSequence(from: State, sequence: Sequence): State {
  return sequence.reduce(addElement, from);
}

function addElement(from: State, element: Element): State {
  if ("token" in element) return link(from, state(), { tokens: element.token });
  if ("rule" in element) return link(from, state(), element);
  if ("atMost" in element) return link(from, state(), element);
  if ("choice" in element) return addChoice(from, element.choice);
  if ("optional" in element) return addChoice(from, [element.optional, []]);
  if ("star" in element) {
    const entry = link(from, state("loopEntry"));
    const body = link(entry, state());
    const back = link(addSequence(body, element.star), state("loopBack"));
    link(back, entry);
    return link(entry, state());
  }
  const body = link(from, state("choice"));
  const back = link(addSequence(body, element.plus), state("plusBack"));
  link(back, body);
  return link(back, state());
}

function addChoice(from: State, alternatives: readonly Sequence[]): State {
  const block = link(from, state("choice"));
  const end = state();
  for (const alternative of alternatives) {
    const start = link(block, state());
    link(addSequence(start, alternative), end);
  }
  return end;
}

/** The first states of all rules. */
export type Grammar = Readonly<Record<RuleName, State>>;

export function buildGrammar(): Grammar {
  const entries = Object.entries(RULES).map(([name, sequence]) => {
    const start = state();
    link(addSequence(start, sequence), { kind: "basic", edges: [], isEnd: true });
    return [name, start] as const;
  });
  return Object.fromEntries(entries) as Grammar;
}

export type { RuleName };
