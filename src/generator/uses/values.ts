/** What expressions can be: followed to their origins, asked for their presence, and read as texts. */
import { ts } from "../load.ts";
import { type Origins, type Path, plain } from "./paths.ts";
import { Question, type Settle } from "./question.ts";
import type { Survey } from "./survey.ts";
import type { Types } from "./types.ts";

/** Follows values. */
export class Values {
  readonly #types: Types;
  readonly #survey: Survey;

  constructor(types: Types, survey: Survey) {
    this.#types = types;
    this.#survey = survey;
  }

  /** The origins of an expression, or of a part of it. */
  of<T>(node: ts.Expression, path: Path, settle: Settle<T>): Origins<T> {
    return new Question(this.#types, this.#survey, settle).of(node, path, {});
  }

  /** Whether a part of an expression may be there. */
  has(node: ts.Expression | undefined, path: Path): boolean {
    if (!node) return false;
    const { found, lost } = this.#presence(node, path);
    return found.length > 0 || (lost.length > 0 && this.#types.along(node, path).some(isSome));
  }

  /** The same, where what a function of tsop makes of flags does not count: the Deployment has the flags. */
  hasOwn(node: ts.Expression | undefined, path: Path): boolean {
    if (!node) return false;
    const { found, lost } = this.#presence(node, path);
    const isLost = lost.some((one) => !this.#isOfTsop(one.node));
    return found.length > 0 || (isLost && this.#types.along(node, path).some(isSome));
  }

  #presence(node: ts.Expression, path: Path): Origins<boolean> {
    return this.of(node, path, (at, rest) =>
      rest.length === 0 && !isNothing(plain(at)) ? [true] : undefined,
    );
  }

  #isOfTsop(node: ts.Expression): boolean {
    return (
      ts.isCallExpression(node) &&
      this.#types.signaturesOf(node).every((one) => this.#types.isOfTsop(one))
    );
  }

  /** The constant texts that a part of an expression can be; `undefined` where one of them is not constant. */
  texts(node: ts.Expression, path: Path): readonly string[] | undefined {
    const { found, lost } = this.of(node, path, (at, rest) =>
      literalsOf(this.#types.along(at, rest)),
    );
    return lost.length > 0 ? undefined : [...new Set(found.map(({ value }) => value))];
  }
}

const isNothing = (node: ts.Expression): boolean =>
  /^(?:undefined|null|false)$/.test(node.getText());

const isSome = ({ flags }: ts.Type): boolean =>
  (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null | ts.TypeFlags.BooleanLiteral)) === 0 ||
  (flags & ts.TypeFlags.Boolean) !== 0;

/** The texts that types are; `undefined` where one is any text. */
function literalsOf(types: readonly ts.Type[]): readonly string[] | undefined {
  const parts = types.flatMap((type) => (type.isUnion() ? type.types : [type]));
  const given = parts.filter(
    ({ flags }) => (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null)) === 0,
  );
  const texts = given.flatMap((type) => (type.isStringLiteral() ? [type.value] : []));
  return given.length > 0 && texts.length === given.length ? texts : undefined;
}
