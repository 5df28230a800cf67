/** The kinds that an expression can stand for. */
import type { ts } from "../load.ts";
import type { TokenModel } from "../read/marks/token.ts";
import type { Path } from "./bindings.ts";

/** A parameter, or a part of one, that stands for a kind. */
export interface ParameterPart {
  readonly owner: ts.SignatureDeclaration;
  readonly index: number;
  readonly path: Path;
  /** Whether it is each of the arguments from `index` on. */
  readonly rest: boolean;
  /** Whether the metadata of the kind alone is meant. */
  readonly partial?: boolean;
}

/** The kinds that an expression can stand for. */
export interface Kinds {
  readonly tokens: readonly TokenModel[];
  readonly parameters: readonly ParameterPart[];
}

/** The kinds, of which the metadata alone is meant. */
export const partly = ({ tokens, parameters }: Kinds): Kinds => ({
  tokens: tokens.map((token) => ({ ...token, partial: true })),
  parameters: parameters.map((part) => ({ ...part, partial: true })),
});

export const NONE: Kinds = { tokens: [], parameters: [] };
/** The union of some kinds, each token once. */
export const union = (all: readonly Kinds[]): Kinds => ({
  tokens: [
    ...new Map(
      all
        .flatMap(({ tokens }) => tokens)
        .map((token) => [`${token.plural}.${token.group} ${token.partial === true}`, token]),
    ).values(),
  ],
  parameters: all.flatMap(({ parameters }) => parameters),
});
