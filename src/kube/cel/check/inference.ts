/**
 * Assignability of types, and the inference of type parameters.
 *
 * @see https://pkg.go.dev/github.com/google/cel-go/checker
 */
import { type CelType, firstParameter, sameType } from "../types.ts";

/** The inferred type parameters, by name. */
export class Substitutions {
  #known: Map<string, CelType>;

  constructor(known: ReadonlyMap<string, CelType> = new Map()) {
    this.#known = new Map(known);
  }

  /** Whether `from` is assignable to `to`; inferences are kept only then. */
  assignable(to: CelType, from: CelType): boolean {
    return this.#tentatively((trial) => trial.#fits(to, from));
  }

  /** The same for the arguments of a call. */
  allAssignable(to: readonly CelType[], from: readonly CelType[]): boolean {
    return this.#tentatively((trial) => trial.#allFit(to, from));
  }

  set(parameter: CelType, type: CelType): void {
    this.#known.set(parameter.name, type);
  }

  /**
   * The type with all inferred parameters filled in; `free` replaces those that are not inferred.
   */
  apply(type: CelType, free?: CelType): CelType {
    if (type.kind === "parameter") {
      const known = this.#known.get(type.name);
      if (known) return this.apply(known, free);
      return free ?? type;
    }
    if (type.parameters.length === 0) return type;
    return { ...type, parameters: type.parameters.map((one) => this.apply(one, free)) };
  }

  #tentatively(attempt: (trial: Substitutions) => boolean): boolean {
    const trial = new Substitutions(this.#known);
    if (!attempt(trial)) return false;
    this.#known = trial.#known;
    return true;
  }

  #fits(left: CelType, right: CelType): boolean {
    if (right.kind === "parameter") {
      const { valid, known } = this.#bind(left, right);
      if (valid) return true;
      if (known) return false;
    }
    if (left.kind === "parameter") return this.#bind(right, left).valid;
    if (isDynOrError(left) || isDynOrError(right)) return true;
    if (left.kind === "null") return isNullable(right);
    if (right.kind === "null") return isNullable(left);
    if (left.kind === "type") return right.kind === "type";
    if (left.kind === "opaque" || left.kind === "list" || left.kind === "map") {
      return (
        left.kind === right.kind &&
        left.name === right.name &&
        this.#allFit(left.parameters, right.parameters)
      );
    }
    return sameType(left, right);
  }

  #allFit(left: readonly CelType[], right: readonly CelType[]): boolean {
    return (
      left.length === right.length &&
      left.every((one, index) => {
        const other = right[index];
        return other !== undefined && this.#fits(one, other);
      })
    );
  }

  /** Whether the parameter may be, or already is, that type. */
  #bind(type: CelType, parameter: CelType): { readonly valid: boolean; readonly known: boolean } {
    if (sameType(type, parameter)) return { valid: true, known: true };
    const before = this.#known.get(parameter.name);
    if (before) {
      if (sameType(type, before)) return { valid: true, known: true };
      if (!this.#fits(type, before)) return { valid: false, known: true };
      const wider = mostGeneral(type, before);
      if (!this.#refersTo(parameter, wider)) this.set(parameter, wider);
      return { valid: true, known: true };
    }
    if (this.#refersTo(parameter, type)) return { valid: false, known: false };
    this.set(parameter, type);
    return { valid: true, known: false };
  }

  #refersTo(parameter: CelType, type: CelType): boolean {
    if (sameType(parameter, type)) return true;
    if (type.kind === "parameter") {
      const known = this.#known.get(type.name);
      return known !== undefined && this.#refersTo(parameter, known);
    }
    return type.parameters.some((one) => this.#refersTo(parameter, one));
  }
}

const isDynOrError = (type: CelType): boolean => type.kind === "dyn" || type.kind === "error";

/** Types that `null` may stand for. */
const isNullable = (type: CelType): boolean =>
  ["opaque", "struct", "duration", "timestamp", "null"].includes(type.kind);

/** The more general of two types that fit each other. */
export function mostGeneral(left: CelType, right: CelType): CelType {
  return saysLess(left, right) ? left : right;
}

function saysLess(left: CelType, right: CelType): boolean {
  if (left.kind === "dyn" || left.kind === "parameter") return true;
  if (right.kind === "dyn" || right.kind === "parameter") return false;
  if (left.kind !== right.kind) return false;
  if (left.kind === "type") return true;
  if (left.name !== right.name || left.parameters.length !== right.parameters.length) return false;
  return left.parameters.every((one, index) =>
    saysLess(one, right.parameters[index] ?? firstParameter(right)),
  );
}
