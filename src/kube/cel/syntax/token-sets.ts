/** The tokens that can come next in a grammar. */
import type { Edge, Grammar, State } from "./grammar.ts";
import type { TokenKind } from "./lexer.ts";

/** The tokens that can come at a place, within its rule. */
interface Start {
  readonly tokens: ReadonlySet<TokenKind>;
  /** Whether the rule can end there without another token. */
  readonly canEnd: boolean;
}

/** The tokens that can come at each state of one grammar; computed once. */
export class TokenSets {
  readonly #grammar: Grammar;
  readonly #starts = new Map<State | Edge, Map<number, Start>>();

  constructor(grammar: Grammar) {
    this.#grammar = grammar;
  }

  /**
   * The tokens that can come at a state.
   *
   * @param precedence - of the rule; without it, all edges are open
   */
  at(state: State, precedence = -1): Start {
    return this.#once(state, precedence, () => this.#find([{ to: state }], precedence));
  }

  /** The tokens that can come when an edge is taken. */
  after(edge: Edge, precedence: number): Start {
    return this.#once(edge, precedence, () => this.#find([edge], precedence));
  }

  #once(of: State | Edge, precedence: number, find: () => Start): Start {
    let byPrecedence = this.#starts.get(of);
    if (!byPrecedence) this.#starts.set(of, (byPrecedence = new Map<number, Start>()));
    let start = byPrecedence.get(precedence);
    if (!start) byPrecedence.set(precedence, (start = find()));
    return start;
  }

  #find(edges: readonly Edge[], precedence: number): Start {
    const tokens = new Set<TokenKind>();
    const seen = new Set<State>();
    let canEnd = false;
    const visit = (state: State): void => {
      if (seen.has(state)) return;
      seen.add(state);
      canEnd ||= state.isEnd === true;
      state.edges.forEach(follow);
    };
    const follow = ({ to, tokens: kinds, rule, precedence: inner, atMost }: Edge): void => {
      if (atMost !== undefined && precedence > atMost) return;
      if (kinds) for (const kind of kinds) tokens.add(kind);
      else if (rule) {
        const below = this.at(this.#grammar[rule], precedence < 0 ? precedence : (inner ?? 0));
        for (const kind of below.tokens) tokens.add(kind);
        if (below.canEnd) visit(to);
      } else visit(to);
    };
    edges.forEach(follow);
    return { tokens, canEnd };
  }
}
