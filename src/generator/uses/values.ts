/**
 * Follows values back to where they come from: through variables, patterns, lists, records, fields, parameters, and the
 * results of functions.
 *
 * Each step asks first whether the value is settled there, mostly by its type. What is not settled and leads no further
 * is lost, which is reported: nothing is left out in silence.
 */
import { ts } from "../load.ts";
import { libraryResult, type LibraryPorts } from "./library-calls.ts";
import {
  type Call,
  EACH,
  type Origins,
  type Path,
  argumentAt,
  bindingOf,
  classAround,
  givenTo,
  isStep,
  nameStep,
  plain,
  returnedBy,
  shownPath,
  stepOf,
} from "./paths.ts";
import type { Survey } from "./survey.ts";
import { memberName, type Types } from "./types.ts";

/** Settles a value where it stands; `undefined` where its origin has to be followed. */
export type Settle<T> = (node: ts.Expression, path: Path) => readonly T[] | undefined;

/** The call through which a function was entered, for the values of its parameters. */
interface Frame {
  readonly owner: ts.Node;
  readonly call: Call;
  readonly outer: Frame | undefined;
}

/** The place of a step: from where a value was handed on, and in which calls. */
interface Place {
  readonly frame?: Frame | undefined;
  readonly via?: Call | undefined;
}

/** The most steps of one question: what takes more is lost. */
const MAX_STEPS = 4000;
const NOTHING: Origins<never> = { found: [], lost: [] };

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
    const { found, lost } = this.of(node, path, (at, rest) =>
      rest.length === 0 && !isNothing(plain(at)) ? [true] : undefined,
    );
    return found.length > 0 || (lost.length > 0 && this.#types.along(node, path).some(isSome));
  }

  /** The constant texts that a part of an expression can be; `undefined` where one of them is not constant. */
  texts(node: ts.Expression, path: Path): readonly string[] | undefined {
    const { found, lost } = this.of(node, path, (at, rest) =>
      literalsOf(this.#types.along(at, rest)),
    );
    return lost.length > 0 ? undefined : [...new Set(found.map(({ value }) => value))];
  }
}

class Question<T> {
  readonly #types: Types;
  readonly #survey: Survey;
  readonly #settle: Settle<T>;
  readonly #asking = new Set<string>();
  readonly #ids = new Map<ts.Node, number>();
  #steps = 0;

  constructor(types: Types, survey: Survey, settle: Settle<T>) {
    this.#types = types;
    this.#survey = survey;
    this.#settle = settle;
  }

  of(expression: ts.Expression, path: Path, place: Place): Origins<T> {
    const settled = this.#settle(expression, path);
    if (settled) {
      const { via } = place;
      return { found: settled.map((value) => ({ value, node: expression, via })), lost: [] };
    }
    const node = plain(expression);
    if (node !== expression) return this.of(node, path, place);
    if (this.#steps++ > MAX_STEPS) return lostAt(node, place);
    // What leads back to itself adds nothing.
    const key = `${this.#idOf(node)} ${shownPath(path)}`;
    if (this.#asking.has(key)) return NOTHING;
    this.#asking.add(key);
    const result = this.#step(node, path, place);
    this.#asking.delete(key);
    return result;
  }

  ofDeclarations(all: readonly ts.Node[], path: Path, place: Place): Origins<T> {
    const found = all.map((one) => this.#declared(one, path, place));
    return union(found);
  }

  #step(node: ts.Expression, path: Path, place: Place): Origins<T> {
    if (ts.isIdentifier(node)) {
      if (node.text === "undefined") return NOTHING;
      const declarations = this.#types.declarationsAt(node);
      return declarations.length > 0
        ? this.ofDeclarations(declarations, path, place)
        : lostAt(node, place);
    }
    if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
      return this.#access(node, path, place);
    }
    if (ts.isConditionalExpression(node)) {
      return union([this.of(node.whenTrue, path, place), this.of(node.whenFalse, path, place)]);
    }
    if (ts.isBinaryExpression(node)) return this.#binary(node, path, place);
    if (ts.isArrayLiteralExpression(node)) return this.#items(node, path, place);
    if (ts.isObjectLiteralExpression(node)) return this.#record(node, path, place);
    if (ts.isCallExpression(node)) return this.#call(node, path, place);
    if (ts.isNewExpression(node)) return this.#made(node, path, place);
    const [step] = path;
    if (node.kind === ts.SyntaxKind.ThisKeyword && typeof step === "string") {
      const around = classAround(node);
      if (around) return this.#field(around, path, { node, place });
    }
    const isNothing =
      node.kind === ts.SyntaxKind.NullKeyword || node.kind === ts.SyntaxKind.FalseKeyword;
    return isNothing ? NOTHING : lostAt(node, place);
  }

  #binary(
    { left, operatorToken, right }: ts.BinaryExpression,
    path: Path,
    place: Place,
  ): Origins<T> {
    const { kind } = operatorToken;
    if (kind === ts.SyntaxKind.QuestionQuestionToken || kind === ts.SyntaxKind.BarBarToken) {
      return union([this.of(left, path, place), this.of(right, path, place)]);
    }
    // Tokens and objects are never falsy: what comes out of `a && b` is b.
    return this.of(right, path, place);
  }

  #declared(node: ts.Node, path: Path, place: Place): Origins<T> {
    if (ts.isBindingElement(node)) {
      const { root, path: steps, defaults } = bindingOf(node);
      return union([
        this.#declared(root, [...steps, ...path], place),
        ...defaults.map(({ value, path: below }) => this.of(value, [...below, ...path], place)),
        ...this.#written(node, path, place),
      ]);
    }
    if (ts.isParameter(node)) {
      return union([this.#parameter(node, path, place), ...this.#written(node, path, place)]);
    }
    if (ts.isVariableDeclaration(node)) {
      const loop = node.parent.parent;
      const first = ts.isForOfStatement(loop)
        ? [this.of(loop.expression, [EACH, ...path], place)]
        : node.initializer
          ? [this.of(node.initializer, path, place)]
          : [];
      const later = this.#written(node, path, place);
      const isSet = first.length + later.length > 0;
      return isSet && this.#types.isOfProject(node)
        ? union([...first, ...later])
        : lostAt(node, place);
    }
    if (ts.isPropertyAssignment(node)) {
      return union([this.of(node.initializer, path, place), ...this.#written(node, path, place)]);
    }
    if (ts.isExportAssignment(node)) return this.of(node.expression, path, place);
    const [step] = path;
    if (ts.isClassLike(node) && typeof step === "string") {
      return this.#field(node, path, {
        node: node.name ?? (node as ts.Node as ts.Expression),
        place,
      });
    }
    return lostAt(node, place);
  }

  /** The values that something got after its first one. */
  #written(node: ts.Node, path: Path, place: Place): readonly Origins<T>[] {
    return this.#survey.writesTo(node).flatMap(({ value, at }) => {
      const isOnWay = at.every((step, index) => {
        const wanted = path[index];
        return step === wanted || wanted === EACH || (step === EACH && typeof wanted === "string");
      });
      return isOnWay && path.length >= at.length
        ? [this.of(value, path.slice(at.length), place)]
        : [];
    });
  }

  #access(
    node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
    path: Path,
    place: Place,
  ): Origins<T> {
    const step = stepOf(node);
    const on = plain(node.expression);
    const isOwn = on.kind === ts.SyntaxKind.ThisKeyword || on.kind === ts.SyntaxKind.SuperKeyword;
    const around = isOwn ? classAround(on) : this.#types.classAt(on);
    if (around && step !== EACH) return this.#field(around, [step, ...path], { node, place });
    const symbol = this.#types.symbolAt(node);
    const isModule = ts.isIdentifier(on) && this.#types.symbolAt(on)?.flags;
    if (typeof isModule === "number" && isModule & ts.SymbolFlags.ValueModule) {
      const declarations = symbol?.declarations ?? [];
      return declarations.length > 0
        ? this.ofDeclarations(declarations, path, place)
        : lostAt(node, place);
    }
    return this.of(node.expression, [step, ...path], place);
  }

  /** A field of a class, of what it extends, and of what extends it. */
  #field(
    node: ts.ClassLikeDeclaration,
    [name = "", ...rest]: Path,
    { node: at, place }: { readonly node: ts.Expression; readonly place: Place },
  ): Origins<T> {
    const values = this.#survey.familyOf(node).flatMap((one) =>
      one.members.flatMap((member): readonly Origins<T>[] => {
        if (ts.isConstructorDeclaration(member)) {
          return member.parameters
            .filter(
              (each) => ts.isParameterPropertyDeclaration(each, member) && isNamed(each, name),
            )
            .flatMap((each) => [
              this.#parameter(each, rest, place),
              ...this.#written(each, rest, place),
            ]);
        }
        if (!member.name || !isStep(member.name, name)) return [];
        if (ts.isGetAccessorDeclaration(member)) return [this.#returned(member, rest, place)];
        if (!ts.isPropertyDeclaration(member)) return [];
        const first = member.initializer ? [this.of(member.initializer, rest, place)] : [];
        return [...first, ...this.#written(member, rest, place)];
      }),
    );
    return values.length > 0 ? union(values) : lostAt(at, place);
  }

  #parameter(node: ts.ParameterDeclaration, path: Path, place: Place): Origins<T> {
    const owner = node.parent;
    const index = owner.parameters.indexOf(node) - (isThis(owner.parameters[0]) ? 1 : 0);
    const usual = node.initializer ? [this.of(node.initializer, path, place)] : [];
    const frame = frameOf(place.frame, owner);
    if (frame) {
      const here = { frame: frame.outer, via: place.via };
      return union([...usual, this.#given(frame.call, false, node, index, path, here)]);
    }
    const { sites, isComplete } = this.#survey.callersOf(owner);
    const given = sites.map(({ call, isShifted }) =>
      this.#given(call, isShifted, node, index, path, { via: call }),
    );
    const handed = this.#survey
      .libraryRolesOf(owner)
      .map((role) => this.#fromLibrary(role, owner, index, path, place));
    const elsewhere = isComplete ? [] : [lostAt<T>(node, place)];
    return union([...usual, ...given, ...handed, ...elsewhere]);
  }

  /** The argument of a call for a parameter. */
  #given(
    call: Call,
    isShifted: boolean,
    { dotDotDotToken }: ts.ParameterDeclaration,
    index: number,
    path: Path,
    place: Place,
  ): Origins<T> {
    const given = givenTo(call, isShifted);
    if (!dotDotDotToken) {
      const one = argumentAt(given, index);
      return one ? this.of(one.value, [...one.path, ...path], place) : NOTHING;
    }
    const [step, ...rest] = path;
    if (step === undefined) return lostAt(call, place);
    const wanted = step === EACH ? given.slice(index) : given.slice(index).slice(Number(step));
    return union(
      (step === EACH ? wanted : wanted.slice(0, 1)).map((value) =>
        ts.isSpreadElement(value)
          ? this.of(value.expression, [EACH, ...rest], place)
          : this.of(value, rest, place),
      ),
    );
  }

  /** The parameter of a function that is handed to a library: an item of the list in `list.map((item) => ...)`. */
  #fromLibrary(role: ts.Node, owner: ts.Node, index: number, path: Path, place: Place): Origins<T> {
    let call: ts.Node = owner;
    while (!ts.isCallExpression(call) && !ts.isSourceFile(call)) call = call.parent;
    const isHanded =
      ts.isCallExpression(call) && call.arguments.some((one) => plain(one) === owner);
    if (!isHanded || !ts.isCallExpression(call) || !this.#types.isOfLibrary(role)) {
      return lostAt(owner, place);
    }
    const callee = plain(call.expression);
    if (!ts.isPropertyAccessExpression(callee)) return lostAt(owner, place);
    const { text } = callee.name;
    if (text === "then") return this.of(callee.expression, path, place);
    const isItem = text === "reduce" || text === "reduceRight" ? index === 1 : index === 0;
    if (!isItem || ["replace", "sort", "catch", "finally"].includes(text)) {
      return index === 0 && text.startsWith("reduce")
        ? lostAt(owner, place)
        : text === "sort"
          ? this.of(callee.expression, [EACH, ...path], place)
          : lostAt(owner, place);
    }
    const step: Path = this.#types.isMap(callee.expression) ? [EACH, "1"] : [EACH];
    return this.of(callee.expression, [...step, ...path], place);
  }

  #items(node: ts.ArrayLiteralExpression, [step, ...rest]: Path, place: Place): Origins<T> {
    if (step === undefined) return lostAt(node, place);
    const index = step === EACH ? undefined : Number(step);
    const spread = node.elements.findIndex((one) => ts.isSpreadElement(one));
    const isExact = index !== undefined && (spread < 0 || index < spread);
    const items = isExact ? node.elements.slice(index, index + 1) : node.elements;
    return union(
      items.map((item) =>
        ts.isSpreadElement(item)
          ? this.of(item.expression, [EACH, ...rest], place)
          : this.of(item, rest, place),
      ),
    );
  }

  #record(node: ts.ObjectLiteralExpression, path: Path, place: Place): Origins<T> {
    const [step, ...rest] = path;
    const spread = node.properties.filter(ts.isSpreadAssignment);
    const copies = (): readonly Origins<T>[] =>
      spread.map(({ expression }) => this.of(expression, path, place));
    // A copy of an object: `{ ...web, status }`.
    if (step === undefined) return spread.length > 0 ? union(copies()) : lostAt(node, place);
    const own = node.properties.flatMap((property): readonly Origins<T>[] => {
      if (!property.name || !isStep(property.name, step)) return [];
      if (ts.isPropertyAssignment(property)) return [this.of(property.initializer, rest, place)];
      if (ts.isShorthandPropertyAssignment(property)) return [this.of(property.name, rest, place)];
      return ts.isGetAccessor(property)
        ? [this.#returned(property, rest, place)]
        : [lostAt(node, place)];
    });
    const isExact =
      step !== EACH && node.properties.some(({ name }) => name && nameStep(name) === step);
    return union([...own, ...(isExact ? [] : copies())]);
  }

  #made(node: ts.NewExpression, path: Path, place: Place): Origins<T> {
    const made = this.#types.classAt(node);
    if (made && path.length > 0) return this.#field(made, path, { node, place });
    const [first] = node.arguments ?? [];
    // A Set or a Map: its items are those of the list that it is made of.
    const isCollection = /^(?:Weak)?(?:Map|Set)$/.test(node.expression.getText());
    if (isCollection && path[0] === EACH) return first ? this.of(first, path, place) : NOTHING;
    return lostAt(node, place);
  }

  #call(node: ts.CallExpression, path: Path, place: Place): Origins<T> {
    const signatures = this.#types.signaturesOf(node);
    if (signatures.length === 0) return lostAt(node, place);
    return union(
      signatures.map((signature) => {
        const frame = { owner: signature, call: node, outer: place.frame };
        if (this.#types.isOfProject(signature)) {
          const bodies = this.#survey.bodiesOf(signature);
          return bodies.length === 0
            ? lostAt(node, place)
            : union(
                bodies.map((owner) =>
                  this.#returned(owner, path, { ...place, frame: { ...frame, owner } }),
                ),
              );
        }
        const ports: LibraryPorts<T> = {
          of: (value, steps) => this.of(value, steps, place),
          returned: (value, steps) => this.#resultOf(value, steps, place),
          lost: () => lostAt(node, place),
          isMap: (value) => this.#types.isMap(value),
          union,
        };
        const isTsop = this.#types.isOfTsop(signature);
        if (!isTsop && !this.#types.isOfLibrary(signature)) return lostAt(node, place);
        return libraryResult(ports, node, isTsop ? memberName(signature) : "", path);
      }),
    );
  }

  /** The results of a function that an argument is. */
  #resultOf(value: ts.Expression, path: Path, place: Place): Origins<T> {
    const bodies = this.#types.signaturesAt(value).flatMap((one) => this.#survey.bodiesOf(one));
    return bodies.length === 0
      ? lostAt(value, place)
      : union(bodies.map((owner) => this.#returned(owner, path, place)));
  }

  #returned(owner: ts.SignatureDeclaration, path: Path, place: Place): Origins<T> {
    const { values, yields } = returnedBy(owner);
    return union([
      ...values.map((value) => this.of(value, path, place)),
      ...(path[0] === EACH ? yields.map((value) => this.of(value, path.slice(1), place)) : []),
    ]);
  }

  #idOf(node: ts.Node): number {
    const known = this.#ids.get(node) ?? this.#ids.size;
    this.#ids.set(node, known);
    return known;
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

const isNamed = ({ name }: ts.ParameterDeclaration, step: string | typeof EACH): boolean =>
  ts.isIdentifier(name) && isStep(name, step);

const isThis = (node: ts.ParameterDeclaration | undefined): boolean =>
  node !== undefined && ts.isIdentifier(node.name) && node.name.text === "this";

function frameOf(frame: Frame | undefined, owner: ts.Node): Frame | undefined {
  for (let at = frame; at; at = at.outer) if (at.owner === owner) return at;
  return undefined;
}

const lostAt = <T>(node: ts.Node, { via }: Place): Origins<T> => ({
  found: [],
  lost: [{ node: node as ts.Expression, via }],
});

function union<T>(all: readonly Origins<T>[]): Origins<T> {
  return { found: all.flatMap(({ found }) => found), lost: all.flatMap(({ lost }) => lost) };
}
