/**
 * The types of the variables of admission expressions beside the object: the request, its
 * namespace, and the variables of a policy.
 *
 * @see https://pkg.go.dev/k8s.io/apiserver/pkg/admission/plugin/cel#BuildRequestType
 */
import type { ObjectFields } from "../../kube/cel/environment.ts";
import {
  BOOL,
  type CelType,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  struct,
  TIMESTAMP,
} from "../../kube/cel/types.ts";

/** The type of `request`. */
export const REQUEST = struct("kubernetes.AdmissionRequest");
/** The type of `namespaceObject`. */
export const NAMESPACE = struct("kubernetes.Namespace");
/** The type of `variables`. */
export const VARIABLES = struct("kubernetes.variables");

const KIND = struct("kubernetes.GroupVersionKind");
const RESOURCE = struct("kubernetes.GroupVersionResource");
const USER = struct("kubernetes.UserInfo");
const METADATA = struct("kubernetes.NamespaceMetadata");
const SPEC = struct("kubernetes.NamespaceSpec");
const STATUS = struct("kubernetes.NamespaceStatus");
const CONDITION = struct("kubernetes.NamespaceCondition");
const TEXTS = listOf(STRING);
const LABELS = mapOf(STRING, STRING);

type Fields = Readonly<Record<string, CelType>>;

const FIELDS: ReadonlyMap<string, Fields> = new Map<string, Fields>([
  [
    REQUEST.name,
    {
      kind: KIND,
      resource: RESOURCE,
      subResource: STRING,
      requestKind: KIND,
      requestResource: RESOURCE,
      requestSubResource: STRING,
      name: STRING,
      namespace: STRING,
      operation: STRING,
      userInfo: USER,
      dryRun: BOOL,
      options: DYN,
    },
  ],
  [KIND.name, { group: STRING, version: STRING, kind: STRING }],
  [RESOURCE.name, { group: STRING, version: STRING, resource: STRING }],
  [USER.name, { username: STRING, uid: STRING, groups: TEXTS, extra: mapOf(STRING, TEXTS) }],
  [NAMESPACE.name, { metadata: METADATA, spec: SPEC, status: STATUS }],
  [
    METADATA.name,
    {
      name: STRING,
      generateName: STRING,
      namespace: STRING,
      labels: LABELS,
      annotations: LABELS,
      UID: STRING,
      creationTimestamp: TIMESTAMP,
      deletionGracePeriodSeconds: INT,
      deletionTimestamp: TIMESTAMP,
      generation: INT,
      resourceVersion: STRING,
      finalizers: TEXTS,
    },
  ],
  [SPEC.name, { finalizers: TEXTS }],
  [STATUS.name, { conditions: listOf(CONDITION), phase: STRING }],
  [
    CONDITION.name,
    {
      status: STRING,
      type: STRING,
      lastTransitionTime: TIMESTAMP,
      message: STRING,
      reason: STRING,
    },
  ],
]);

/** The fields of these types, of a policy's variables, and of the object's type if it is known. */
export class AdmissionTypes implements ObjectFields {
  readonly #variables: ReadonlyMap<string, CelType> | undefined;
  readonly #objects: readonly ObjectFields[];

  constructor(
    variables: ReadonlyMap<string, CelType> | undefined,
    objects: readonly ObjectFields[] = [],
  ) {
    this.#variables = variables;
    this.#objects = objects;
  }

  has(type: string): boolean {
    if (type === VARIABLES.name) return this.#variables !== undefined;
    return FIELDS.has(type) || this.#objects.some((objects) => objects.has(type));
  }

  field(type: string, name: string): CelType | undefined {
    if (type === VARIABLES.name) return this.#variables?.get(name);
    const fields = FIELDS.get(type);
    if (fields) return Object.hasOwn(fields, name) ? fields[name] : undefined;
    return this.#objects.find((objects) => objects.has(type))?.field(type, name);
  }
}
