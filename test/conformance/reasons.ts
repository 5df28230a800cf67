/**
 * Why scenarios differ, for `docs/differences.md`: what a user would see.
 *
 * @module
 */
const PROTOBUF = "answers are JSON always; clients that ask for protobuf alone get 406";
const OPENAPI_TEXTS = "the descriptions in OpenAPI are our own words";
const ECHO = "the message repeats the object with its keys in another order";
const NAMESPACE_GONE = "a namespace without pods is gone at once, not after some seconds";

/** By the scenario's id. */
export const REASONS: Readonly<Record<string, string>> = {
  A328: PROTOBUF,
  A329: PROTOBUF,
  A357: PROTOBUF,
  A360: OPENAPI_TEXTS,
  A384: PROTOBUF,
  A389: OPENAPI_TEXTS,
  B313: "a time with too many digits is refused in other words",
  B336: "managedFields that a client sends on create are dropped as a whole",
  B406: "the refusal of a too large object carries an empty `details`",
  B411: "a Job or claim that is written as it was read stays at its version",
  C44: "of a map that stands twice the last one is taken; a real server merges them",
  E484: "its last apply is refused; a real server takes it",
  E362: "`deletionGracePeriodSeconds` of an applied configuration is dropped",
  F493: ECHO,
  I430: PROTOBUF,
  J357: OPENAPI_TEXTS,
  J358: OPENAPI_TEXTS,
  J370: OPENAPI_TEXTS,
  J1035: "1 and 1.0 are one item of a set of numbers",
  J824: "types of CEL by their protobuf names are refused later, and in other words",
  J826: "`authorizer` in a rule is undeclared, and told so in other words",
  L381: "tokens of service accounts are signed with ES256, not RS256",
  M423: "a Service whose type changes keeps an owner of `internalTrafficPolicy`",
  M428: "there are no IPAddress objects for the addresses of Services",
  N347: "one event more when a StatefulSet shrinks",
  N411: NAMESPACE_GONE,
  N413: NAMESPACE_GONE,
};
