/**
 * Which tokens can come next in a grammar.
 *
 * @module
 */
import type { Grammar, State } from "./grammar.ts";
import type { TokenKind } from "./lexer.ts";

/** The tokens that can come at a state, within its rule. */
export function firstTokens(state: State, grammar: Grammar): ReadonlySet<TokenKind> {
  const tokens = new Set<TokenKind>();
  const seen = new Set<State>();
  const visit = (at: State): void => {
    if (seen.has(at)) return;
    seen.add(at);
    for (const { to, tokens: kinds, rule } of at.edges) {
      if (kinds) for (const kind of kinds) tokens.add(kind);
      else if (rule) {
        visit(grammar[rule]);
        if (canEnd(grammar[rule], grammar)) visit(to);
      } else visit(to);
    }
  };
  visit(state);
  return tokens;
}

/** Whether the rule may end at a state without another token. */
export function canEnd(state: State, grammar: Grammar): boolean {
  const seen = new Set<State>();
  const ends = (at: State): boolean => {
    if (at.isEnd) return true;
    if (seen.has(at)) return false;
    seen.add(at);
    return at.edges.some(({ to, tokens, rule }) => {
      if (tokens) return false;
      return rule ? canEnd(grammar[rule], grammar) && ends(to) : ends(to);
    });
  };
  return ends(state);
}
