/** The functions that compare two values of a type: `isGreaterThan`, `isLessThan`, `compareTo`. */
import { type FunctionDeclaration, type Implementation, member } from "../functions.ts";
import { BOOL, type CelType, INT } from "../types.ts";
import { type CelValue, noSuchOverload } from "../values.ts";

/**
 * Declares the ordering functions of a type.
 *
 * @param id - the prefix of the ids of their overloads
 * @param compare - below 0, 0 or above; `undefined` for values of other types
 */
export function orderingFunctions(
  id: string,
  type: CelType,
  compare: (left: CelValue, right: CelValue) => number | undefined,
): readonly FunctionDeclaration[] {
  const declare = (
    name: string,
    suffix: string,
    result: CelType,
    read: (order: number) => CelValue,
  ): FunctionDeclaration => {
    const run: Implementation = (left, right = null) => {
      const order = compare(left, right);
      return order === undefined ? noSuchOverload() : read(order);
    };
    return { name, overloads: [member(`${id}_${suffix}`, [type, type], result, run)] };
  };
  return [
    declare("isGreaterThan", "is_greater_than", BOOL, (order) => order > 0),
    declare("isLessThan", "is_less_than", BOOL, (order) => order < 0),
    declare("compareTo", "compare_to", INT, (order) => BigInt(order)),
  ];
}
