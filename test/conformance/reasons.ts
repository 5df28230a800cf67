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
  J357: OPENAPI_TEXTS,
  J358: OPENAPI_TEXTS,
  J370: OPENAPI_TEXTS,
  J1035: "1 and 1.0 are one item of a set of numbers",
  J824: "types of CEL by their protobuf names are refused later, and in other words",
  J826: "`authorizer` in a rule is undeclared, and told so in other words",
  L381: "tokens of service accounts are signed with ES256, not RS256",
  M423: "a Service whose type changes keeps an owner of `internalTrafficPolicy`",
  N347: "one event more when a StatefulSet shrinks",
  N411: NAMESPACE_GONE,
  N413: NAMESPACE_GONE,
};
