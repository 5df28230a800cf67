/**
 * What an operator's tests import: the control plane, a virtual clock, `eventually`.
 *
 * @module
 */
export { VirtualClock } from "./clock.ts";
