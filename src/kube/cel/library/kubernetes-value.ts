/** Values of Kubernetes' own types: addresses, quantities, URLs and such. */
import { CelObject, type CelValue } from "../values.ts";

/** A value of one of Kubernetes' types; comparing two of them costs one step. */
export abstract class KubernetesValue extends CelObject {}

/** Whether a value is one of them. */
export const isKubernetesValue = (value: CelValue): boolean => value instanceof KubernetesValue;
