/**
 * What an operator imports: markers and runtime.
 *
 * @module
 */
export { TerminalError, TsopError } from "./errors.ts";
