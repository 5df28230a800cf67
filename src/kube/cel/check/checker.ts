/**
 * Gives every node of a tree its type, and every call its overloads.
 *
 * @see https://pkg.go.dev/github.com/google/cel-go/checker
 */
import type { Environment } from "../environment.ts";
import type {
  CallExpr,
  ComprehensionExpr,
  Expr,
  ListExpr,
  MapExpr,
  StructExpr,
} from "../expression.ts";
import type { FunctionDeclaration, Overload } from "../functions.ts";
import { mostGeneral, Substitutions } from "./inference.ts";
import type { CelIssue } from "../issues.ts";
import {
  BOOL,
  type CelType,
  DYN,
  ERROR,
  firstParameter,
  formatSignature,
  formatType,
  INT,
  isOptional,
  listOf,
  mapOf,
  optionalOf,
  parameter,
  sameType,
  secondParameter,
  typeOf,
} from "../types.ts";
import { typeOfValue } from "../values.ts";

/** Checks a tree; its nodes are annotated in place. */
export function check(expr: Expr, environment: Environment): CelIssue[] {
  const checker = new Checker(environment);
  checker.check(expr);
  checker.settle(expr);
  return checker.issues;
}

class Checker {
  readonly issues: CelIssue[] = [];
  readonly #environment: Environment;
  readonly #known = new Substitutions();
  readonly #locals: ReadonlyMap<string, CelType>[] = [];
  readonly #visited: Expr[] = [];
  #freeCount = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Fills in the type parameters that were inferred after a node was checked. */
  settle(root: Expr): void {
    for (const expr of [root, ...this.#visited]) {
      if (expr.type) expr.type = this.#known.apply(expr.type, DYN);
    }
  }

  check(expr: Expr): CelType {
    const type = this.#typeOf(expr);
    expr.type = type;
    this.#visited.push(expr);
    return type;
  }

  #report(offset: number, message: string): CelType {
    this.issues.push({ offset, message });
    return ERROR;
  }

  #mismatch(at: number, expected: CelType, actual: CelType): CelType {
    const message = `expected type '${formatType(expected)}' but found '${formatType(actual)}'`;
    return this.#report(at, message);
  }

  #undeclared(at: number, name: string): CelType {
    return this.#report(at, `undeclared reference to '${name}' (in container '')`);
  }

  #free(): CelType {
    return parameter(`_var${this.#freeCount++}`);
  }

  #typeOf(expr: Expr): CelType {
    switch (expr.kind) {
      case "literal":
        return typeOfValue(expr.value);
      case "ident": {
        const variable = this.#variable(expr.name);
        if (variable) return variable;
        const named = this.#environment.findType(expr.name);
        if (!named) return this.#undeclared(expr.at, expr.name);
        expr.typeValue = named.type;
        return typeOf(named.type);
      }
      case "select": {
        const path = qualifiedName(expr);
        const variable = path === undefined ? undefined : this.#environment.findVariable(path);
        if (variable && path !== undefined) {
          expr.variable = path;
          return variable;
        }
        const named = path === undefined ? undefined : this.#environment.findType(path);
        if (named) {
          expr.typeValue = named.type;
          return typeOf(named.type);
        }
        const field = this.#field(expr.at, expr.operand, expr.field, false);
        return expr.test ? BOOL : this.#known.apply(field);
      }
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return this.#struct(expr);
      case "comprehension":
        return this.#comprehension(expr);
    }
  }

  #variable(name: string): CelType | undefined {
    for (const scope of this.#locals.toReversed()) {
      const local = scope.get(name);
      if (local) return local;
    }
    return this.#environment.findVariable(name);
  }

  #field(at: number, operand: Expr, name: string, optional: boolean): CelType {
    const operandType = this.#known.apply(this.check(operand));
    const wrapped = isOptional(operandType);
    const target = wrapped ? firstParameter(operandType) : operandType;
    const result = this.#fieldOf(at, target, name);
    return wrapped || optional ? optionalOf(result) : result;
  }

  #fieldOf(at: number, target: CelType, name: string): CelType {
    switch (target.kind) {
      case "map":
        return secondParameter(target);
      case "struct":
        if (!this.#environment.hasObjectType(target.name)) {
          return this.#report(at, `unexpected failed resolution of '${target.name}'`);
        }
        return (
          this.#environment.fieldType(target.name, name) ??
          this.#report(at, `undefined field '${name}'`)
        );
      case "parameter":
        this.#known.assignable(DYN, target);
        return DYN;
      case "dyn":
      case "error":
        return DYN;
      default:
        this.#report(at, `type '${formatType(target)}' does not support field selection`);
        return DYN;
    }
  }

  #call(call: CallExpr): CelType {
    if (call.name === "_?._") return this.#optionalField(call);
    const argTypes = call.args.map((arg) => this.check(arg));
    if (!call.target) {
      const declaration = this.#environment.findFunction(call.name);
      if (!declaration) return this.#undeclared(call.at, call.name);
      return this.#resolve(call, declaration, argTypes);
    }
    const prefix = qualifiedName(call.target);
    const qualified = prefix === undefined ? undefined : `${prefix}.${call.name}`;
    const declaration =
      qualified === undefined ? undefined : this.#environment.findFunction(qualified);
    if (declaration) {
      call.name = declaration.name;
      call.target = undefined;
      return this.#resolve(call, declaration, argTypes);
    }
    const targetType = this.check(call.target);
    const method = this.#environment.findFunction(call.name);
    if (!method) return this.#undeclared(call.at, call.name);
    return this.#resolve(call, method, [targetType, ...argTypes]);
  }

  #optionalField(call: CallExpr): CelType {
    const [operand, field] = call.args;
    if (!operand || field?.kind !== "literal" || typeof field.value !== "string") {
      return this.#report(call.at, "unsupported optional field selection");
    }
    const type = this.#field(call.at, operand, field.value, true);
    const declaration = this.#environment.findFunction(call.name);
    call.overloads = declaration?.overloads ?? [];
    return this.#known.apply(type);
  }

  #resolve(call: CallExpr, declaration: FunctionDeclaration, argTypes: CelType[]): CelType {
    const isMember = call.target !== undefined;
    const found: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of declaration.overloads) {
      if (overload.member !== isMember) continue;
      if (call.name === "_&&_" || call.name === "_||_") {
        call.overloads = [overload];
        return this.#logic(call, argTypes);
      }
      const fresh = new Substitutions();
      for (const name of parametersOf(overload)) fresh.set(parameter(name), this.#free());
      if (
        !this.#known.allAssignable(
          argTypes,
          overload.args.map((arg) => fresh.apply(arg)),
        )
      ) {
        continue;
      }
      found.push(overload);
      const one = this.#known.apply(fresh.apply(overload.result));
      if (!result) result = one;
      else if (result.kind !== "dyn" && !sameType(one, result)) result = DYN;
    }
    if (!result) {
      const shown = argTypes.map((type) => this.#known.apply(type, DYN));
      const signature = formatSignature(shown, isMember);
      const message = `found no matching overload for '${declaration.name}' applied to '${signature}'`;
      return this.#report(call.at, message);
    }
    call.overloads = found;
    return result;
  }

  #logic(call: CallExpr, argTypes: readonly CelType[]): CelType {
    let fits = true;
    for (const [index, type] of argTypes.entries()) {
      if (this.#known.assignable(type, BOOL)) continue;
      this.#mismatch(call.args[index]?.at ?? call.at, BOOL, type);
      fits = false;
    }
    return fits ? BOOL : ERROR;
  }

  #list(list: ListExpr): CelType {
    let joined: CelType | undefined;
    for (const { value, optional } of list.items) {
      const type = this.#unwrapped(value, this.check(value), optional);
      joined = this.#join(joined, type);
    }
    return listOf(joined ?? this.#free());
  }

  #map(map: MapExpr): CelType {
    let keys: CelType | undefined;
    let values: CelType | undefined;
    for (const { key, value, optional } of map.entries) {
      keys = this.#join(keys, this.check(key));
      values = this.#join(values, this.#unwrapped(value, this.check(value), optional));
    }
    return mapOf(keys ?? this.#free(), values ?? this.#free());
  }

  #struct(expr: StructExpr): CelType {
    const message = this.#environment.findMessage(expr.name);
    if (message) {
      for (const { at, name, value, optional } of expr.fields) {
        const expected = message.field(name);
        const actual = this.#unwrapped(value, this.check(value), optional);
        if (this.#known.assignable(expected, actual)) continue;
        this.#report(
          at,
          `expected type of field '${name}' is '${formatType(expected)}' but provided type is '${formatType(actual)}'`,
        );
      }
      return message.type;
    }
    if (!this.#environment.findType(expr.name)) {
      this.#undeclared(expr.at, expr.name);
    } else {
      this.#report(expr.at, `'${expr.name}' is not a message type`);
    }
    for (const { value } of expr.fields) this.check(value);
    return ERROR;
  }

  /** The type of an item or entry, whose value is inside an optional when it is marked so. */
  #unwrapped(expr: Expr, type: CelType, optional: boolean): CelType {
    if (!optional) return type;
    if (isOptional(type)) return firstParameter(type);
    if (type.kind !== "dyn") this.#mismatch(expr.at, optionalOf(type), type);
    return type;
  }

  /** The common type of both; the rule that literals hold one type only is checked separately. */
  #join(before: CelType | undefined, type: CelType): CelType {
    if (!before) return type;
    return this.#known.assignable(before, type) ? mostGeneral(before, type) : DYN;
  }

  #comprehension(loop: ComprehensionExpr): CelType {
    const range = this.#known.apply(this.check(loop.range));
    const start = this.check(loop.start);
    this.#locals.push(new Map([[loop.accumulator, start]]));
    const [first, second] = this.#loopTypes(loop, range);
    const variables = new Map([[loop.variable, first]]);
    if (loop.secondVariable !== undefined) variables.set(loop.secondVariable, second);
    this.#locals.push(variables);
    this.#expect(loop.condition, this.check(loop.condition), BOOL);
    this.#expect(loop.step, this.check(loop.step), start);
    this.#locals.pop();
    const result = this.check(loop.result);
    this.#locals.pop();
    return this.#known.apply(result);
  }

  #loopTypes(loop: ComprehensionExpr, range: CelType): readonly [CelType, CelType] {
    const two = loop.secondVariable !== undefined;
    switch (range.kind) {
      case "list":
        return two ? [INT, firstParameter(range)] : [firstParameter(range), DYN];
      case "map":
        return [firstParameter(range), secondParameter(range)];
      case "dyn":
      case "error":
      case "parameter":
        this.#known.assignable(DYN, range);
        return [DYN, DYN];
      default:
        this.#report(
          loop.range.at,
          `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [ERROR, ERROR];
    }
  }

  #expect(expr: Expr, actual: CelType, expected: CelType): void {
    if (!this.#known.assignable(expected, actual)) this.#mismatch(expr.at, expected, actual);
  }
}

/** `a.b.c`, when the expression is nothing but names. */
function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === "ident") return expr.name;
  if (expr.kind !== "select" || expr.test) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}

function parametersOf(overload: Overload): Set<string> {
  const names = new Set<string>();
  const collect = (type: CelType): void => {
    if (type.kind === "parameter") names.add(type.name);
    for (const one of type.parameters) collect(one);
  };
  for (const type of [...overload.args, overload.result]) collect(type);
  return names;
}
