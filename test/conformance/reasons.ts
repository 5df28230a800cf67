/** Why scenarios differ, for `docs/differences.md`: what a user would see. */
const PROTOBUF = "answers are JSON always; clients that ask for protobuf alone get 406";
const OPENAPI_TEXTS = "the descriptions in OpenAPI are our own words";
const NAMESPACE_GONE = "a namespace without pods is gone at once, not after some seconds";
const NEXT_RESOURCES =
  "recorded of 1.36; 1.37 serves more resources, and stores some in another version";
const NEXT_SCHEMAS = "recorded of 1.36; the schemas of 1.37 have other fields and defaults";
const NEXT_ROLES = "recorded of 1.36; 1.37 begins with other roles";
const CSI_NODE_STATUS = "recorded of 1.36; a CSINode of 1.37 has a status";

/** By the scenario's id. */
export const REASONS: Readonly<Record<string, string>> = {
  A8: "recorded of 1.36; the version is 1.37",
  A310: NEXT_RESOURCES,
  A314: NEXT_RESOURCES,
  A315: NEXT_RESOURCES,
  A321: NEXT_RESOURCES,
  A328: PROTOBUF,
  A329: PROTOBUF,
  A357: PROTOBUF,
  A360: OPENAPI_TEXTS,
  A384: PROTOBUF,
  A389: OPENAPI_TEXTS,
  A361: NEXT_SCHEMAS,
  A401: NEXT_SCHEMAS,
  A403: NEXT_SCHEMAS,
  A404: NEXT_SCHEMAS,
  A405: NEXT_SCHEMAS,
  A406: NEXT_SCHEMAS,
  A409: NEXT_SCHEMAS,
  A410: NEXT_SCHEMAS,
  A411: NEXT_SCHEMAS,
  A414: NEXT_SCHEMAS,
  A415: NEXT_SCHEMAS,
  A416: NEXT_SCHEMAS,
  A417: NEXT_SCHEMAS,
  A418: NEXT_SCHEMAS,
  A421: NEXT_SCHEMAS,
  A424: NEXT_SCHEMAS,
  A425: NEXT_SCHEMAS,
  A428: NEXT_SCHEMAS,
  A447: NEXT_SCHEMAS,
  G339: CSI_NODE_STATUS,
  H639: CSI_NODE_STATUS,
  I430: PROTOBUF,
  J357: OPENAPI_TEXTS,
  J358: OPENAPI_TEXTS,
  J370: OPENAPI_TEXTS,
  J1035: "1 and 1.0 are one item of a set of numbers",
  J824: "types of CEL by their protobuf names are refused later, and in other words",
  J826: "`authorizer` in a rule is undeclared, and told so in other words",
  L359: NEXT_ROLES,
  L361: NEXT_ROLES,
  L381: "tokens of service accounts are signed with ES256, not RS256",
  M423: "a Service whose type changes keeps an owner of `internalTrafficPolicy`",
  N347: "one event more when a StatefulSet shrinks",
  N411: NAMESPACE_GONE,
  N413: NAMESPACE_GONE,
};
