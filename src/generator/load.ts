/**
 * The only door to the TypeScript compiler, which ts-morph carries.
 *
 * ts-morph, whose import costs half a second: nothing imports this file before it is sure that a
 * file has to be read.
 */
export { ts } from "ts-morph";
