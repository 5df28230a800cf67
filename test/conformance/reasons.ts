/** Why scenarios differ, for `docs/differences.md`: what a user would see. */
const PROTOBUF = "answers are JSON always; clients that ask for protobuf alone get 406";
const OPENAPI_TEXTS = "the descriptions in OpenAPI are our own words";
const NAMESPACE_GONE = "a namespace without pods is gone at once, not after some seconds";

/** By the scenario's id. */
export const REASONS: Readonly<Record<string, string>> = {
  A328: PROTOBUF,
  A329: PROTOBUF,
  A357: PROTOBUF,
  A360: OPENAPI_TEXTS,
  A384: PROTOBUF,
  A389: OPENAPI_TEXTS,
  I430: PROTOBUF,
  I362: "a definition is established at once",
  J357: OPENAPI_TEXTS,
  J358: OPENAPI_TEXTS,
  J370: OPENAPI_TEXTS,
  J1035: "1 and 1.0 are one item of a set of numbers",
  J814: "a field that is escaped by backticks in CEL is refused in other words",
  J824: "types of CEL by their protobuf names are refused later, and in other words",
  J826: "`authorizer` in a rule is undeclared, and told so in other words",
  L381: "tokens of service accounts are signed with ES256, not RS256",
  M423: "a Service whose type changes keeps an owner of `internalTrafficPolicy`",
  N347: "one event more when a StatefulSet shrinks",
  N411: NAMESPACE_GONE,
  N413: NAMESPACE_GONE,
};

const CONVERSION_ORDER = "a list that a webhook cannot convert is refused in the words of 1.36";
const RESOURCE_CLAIMS =
  "errors of resource.k8s.io that are declared come in the order and the words of 1.36";

/** The same for the recordings of our own, which are not on that page. */
export const OWN_REASONS: Readonly<Record<string, string>> = {
  KC1x8: CONVERSION_ORDER,
  KC7x8: CONVERSION_ORDER,
  Nstateful2: "a StatefulSet is rolled in another order when pods are missing",
  T31: "a table marks each default StorageClass, not only the one that counts",
  X15: RESOURCE_CLAIMS,
  X16: RESOURCE_CLAIMS,
  X17: RESOURCE_CLAIMS,
  X18: RESOURCE_CLAIMS,
};
