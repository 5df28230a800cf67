/**
 * The choice between the alternatives of a grammar, by as many tokens as necessary.
 *
 * Most decisions need one token, and the sets of tokens that can come next are known. Only
 * alternatives that begin alike are followed in parallel; then only the places that take the next
 * token are kept.
 *
 * @see https://www.antlr.org/papers/allstar-techreport.pdf
 */
import type { Edge, Grammar, State } from "./grammar.ts";
import type { Token, TokenKind } from "./lexer.ts";
import type { TokenSets } from "./token-sets.ts";

/** An entered rule: its precedence, and the state after its end. */
export interface Frame {
  readonly precedence: number;
  readonly follow: State | undefined;
  readonly outer: Frame | undefined;
}

/** A place that an alternative can reach. */
interface Place {
  readonly way: number;
  readonly state: State;
  readonly frame: Frame | undefined;
  /** Whether it is beyond the rule in which the decision is made. */
  readonly outside: boolean;
}

/** The index of the alternative to take, or the index of the token that leaves none. */
type Prediction = number | { readonly failedAt: number };

/** Makes the decisions of one grammar. */
export class Predictor {
  readonly #grammar: Grammar;
  readonly #sets: TokenSets;

  constructor(grammar: Grammar, sets: TokenSets) {
    this.#grammar = grammar;
    this.#sets = sets;
  }

  /** Decides at a state of the rule `frame`, before the token at `start`. */
  predict(
    decision: State,
    tokens: readonly Token[],
    start: number,
    frame: Frame | undefined,
  ): Prediction {
    const kind = kindAt(tokens, start);
    const starts = decision.edges.map((edge) => this.#sets.after(edge, frame?.precedence ?? 0));
    const open = indices(starts, ({ tokens: first, canEnd }) => canEnd || first.size > 0);
    if (open.length <= 1) return open[0] ?? { failedAt: start };
    const comesAfter = starts.some(({ canEnd }) => canEnd) && this.#comesAfter(kind, frame);
    const fitting = indices(
      starts,
      ({ tokens: first, canEnd }) => first.has(kind) || (canEnd && comesAfter),
    );
    const [first] = fitting;
    if (first === undefined) {
      return indices(starts, ({ canEnd }) => canEnd)[0] ?? { failedAt: start };
    }
    if (fitting.length === 1 || kind === "EOF") return first;
    return this.#race(decision, fitting, tokens, start, frame);
  }

  /** Whether a token can come after the rules that are open. */
  #comesAfter(kind: TokenKind, frame: Frame | undefined): boolean {
    for (let at = frame; at?.follow; at = at.outer) {
      const { tokens, canEnd } = this.#sets.at(at.follow, at.outer?.precedence ?? 0);
      if (tokens.has(kind)) return true;
      if (!canEnd) return false;
    }
    return false;
  }

  /** Follows several alternatives until one is left, or they have become the same. */
  #race(
    decision: State,
    ways: readonly number[],
    tokens: readonly Token[],
    start: number,
    home: Frame | undefined,
  ): Prediction {
    let places: Place[] = [];
    for (let index = start; ; index++) {
      const kind = kindAt(tokens, index);
      const search = new Search(this.#grammar, this.#sets, kind, home);
      if (index === start) {
        for (const way of ways) {
          const edge = decision.edges[way];
          if (edge) search.follow({ way, state: decision, frame: home, outside: false }, edge);
        }
      } else places.forEach((place) => search.visit(place));
      const { reached, outside } = search;
      if (reached.length === 0)
        return outside.size > 0 ? Math.min(...outside) : { failedAt: index };
      const decided =
        kind === "EOF" ? Math.min(...reached.map(({ way }) => way)) : onlyWay(reached);
      if (decided !== undefined) return decided;
      places = reached;
    }
  }
}

const kindAt = (tokens: readonly Token[], index: number): TokenKind =>
  tokens[Math.min(index, tokens.length - 1)]?.kind ?? "EOF";

function indices<T>(values: readonly T[], fits: (value: T) => boolean): number[] {
  return [...values.keys()].filter((index) => fits(values[index] as T));
}

/** Finds the places behind one more token. */
class Search {
  /** The places behind the token, in the order of their alternatives. */
  readonly reached: Place[] = [];
  /** The alternatives that can end the rule of the decision before the token. */
  readonly outside = new Set<number>();
  readonly #grammar: Grammar;
  readonly #sets: TokenSets;
  readonly #kind: TokenKind;
  readonly #home: Frame | undefined;

  constructor(grammar: Grammar, sets: TokenSets, kind: TokenKind, home: Frame | undefined) {
    this.#grammar = grammar;
    this.#sets = sets;
    this.#kind = kind;
    this.#home = home;
  }

  visit(place: Place): void {
    const { state, frame, way } = place;
    if (state.isEnd) {
      const outside = place.outside || frame === this.#home || !frame?.follow;
      if (outside) this.outside.add(way);
      if (frame?.follow) this.visit({ way, state: frame.follow, frame: frame.outer, outside });
      return;
    }
    if (place.outside) this.outside.add(way);
    for (const edge of state.edges) this.follow(place, edge);
  }

  follow(place: Place, { to, tokens, rule, precedence = 0, atMost }: Edge): void {
    if (tokens) {
      if (tokens.includes(this.#kind)) this.reached.push({ ...place, state: to });
      return;
    }
    if (atMost !== undefined && (place.frame?.precedence ?? 0) > atMost) return;
    if (!rule) {
      this.visit({ ...place, state: to });
      return;
    }
    const state = this.#grammar[rule];
    const below = this.#sets.at(state, precedence);
    if (!below.canEnd && !below.tokens.has(this.#kind)) return;
    this.visit({ ...place, state, frame: { precedence, follow: to, outer: place.frame } });
  }
}

/** The alternative, when only one is left, or when they have become the same. */
function onlyWay(places: readonly Place[]): number | undefined {
  const ways = [...new Set(places.map(({ way }) => way))];
  const [first] = ways;
  if (ways.length <= 1) return first;
  const of = (way: number): readonly Place[] => places.filter((place) => place.way === way);
  const isSame = (a: readonly Place[], b: readonly Place[]): boolean =>
    a.length === b.length && a.every((one) => b.some((other) => samePlace(one, other)));
  const [base = 0, ...rest] = ways;
  return rest.every((way) => isSame(of(base), of(way))) ? Math.min(...ways) : undefined;
}

const samePlace = (a: Place, b: Place): boolean =>
  a.state === b.state && sameFrame(a.frame, b.frame);

function sameFrame(a: Frame | undefined, b: Frame | undefined): boolean {
  if (a === b) return true;
  return (
    a !== undefined &&
    b !== undefined &&
    a.follow === b.follow &&
    a.precedence === b.precedence &&
    sameFrame(a.outer, b.outer)
  );
}
