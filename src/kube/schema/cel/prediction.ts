/**
 * Which way to go where a grammar has several, by as many tokens as it takes.
 *
 * @see https://www.antlr.org/papers/allstar-techreport.pdf
 * @module
 */
import type { Edge, Grammar, State } from "./grammar.ts";
import type { Token } from "./lexer.ts";

/** A rule that was entered: what it was called with, and where it goes on when it ends. */
export interface Frame {
  readonly precedence: number;
  readonly follow: State | undefined;
  readonly outer: Frame | undefined;
}

/** A place that could have been reached by taking a way. */
interface Place {
  readonly way: number;
  readonly state: State;
  readonly frame: Frame | undefined;
  /** It is beyond the rule in which the decision is made. */
  readonly outside: boolean;
}

/** The index of the way to take, or the index of the token that leaves none. */
export function predict(
  decision: State,
  tokens: readonly Token[],
  frame: Frame | undefined,
  grammar: Grammar,
): number | { readonly failedAt: number } {
  let places = decision.edges.flatMap((edge, way) =>
    step({ way, state: decision, frame, outside: false }, edge, grammar, frame),
  );
  for (let index = 0; ; index++) {
    const decided = onlyWay(places);
    if (decided !== undefined) return decided;
    const token = tokens[Math.min(index, tokens.length - 1)];
    const next = places.flatMap((place) =>
      place.state.edges
        .filter(({ tokens: kinds }) => token && kinds?.includes(token.kind))
        .flatMap(({ to }) => closure({ ...place, state: to }, grammar, frame)),
    );
    if (next.length === 0) {
      const finished = places.filter(({ outside }) => outside).map(({ way }) => way);
      return finished.length > 0 ? Math.min(...finished) : { failedAt: index };
    }
    if (token?.kind === "EOF") return Math.min(...next.map(({ way }) => way));
    places = next;
  }
}

/** The way when there is only one left, or when the ways have become the same. */
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

/** The places from which a token can be consumed, reached without consuming any. */
function closure(place: Place, grammar: Grammar, home: Frame | undefined): Place[] {
  const { state, frame } = place;
  if (state.isEnd) {
    if (!frame?.follow) return [{ ...place, outside: true }];
    const outside = place.outside || frame === home;
    return closure({ ...place, state: frame.follow, frame: frame.outer, outside }, grammar, home);
  }
  const here = state.edges.some(({ tokens }) => tokens) ? [place] : [];
  return [
    ...here,
    ...state.edges
      .filter(({ tokens }) => !tokens)
      .flatMap((edge) => step(place, edge, grammar, home)),
  ];
}

function step(place: Place, edge: Edge, grammar: Grammar, home: Frame | undefined): Place[] {
  const { to, tokens, rule, precedence = 0, atMost } = edge;
  if (tokens) return [place];
  if (atMost !== undefined && (place.frame?.precedence ?? 0) > atMost) return [];
  if (!rule) return closure({ ...place, state: to }, grammar, home);
  const frame = { precedence, follow: to, outer: place.frame };
  return closure({ ...place, state: grammar[rule], frame }, grammar, home);
}
