import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import type { Manifest } from "./rule.ts";
import { listAt } from "./values.ts";

export const isRole = ({ kind, apiVersion }: Manifest): boolean =>
  /^(?:Cluster)?Role$/.test(kind) && apiVersion.startsWith("rbac.authorization.k8s.io/");

/** The rules of a role; what is none is an empty one. */
export const rulesOf = ({ value }: Manifest): readonly JsonObject[] =>
  listAt(value, ["rules"]).map((rule) => (isJsonObject(rule) ? rule : {}));
