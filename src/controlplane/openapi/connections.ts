/** The paths of subresources that forward a connection, and of logs. */
import { capitalized } from "../../kube/text/capitalized.ts";
import type { JsonObject } from "../../kube/object.ts";
import type { ServedSubresource } from "../kinds.ts";
import {
  type OperationSubject,
  type ParameterType,
  byName,
  inPath,
  inQuery,
  responses,
} from "./operations.ts";
import { tableOf } from "../../table.ts";

type Options = Readonly<Partial<Record<ParameterType, readonly string[]>>>;

const STREAMS: Options = { string: ["container"], boolean: ["stderr", "stdin", "stdout", "tty"] };

/** The query parameters of each subresource. */
const OPTIONS = tableOf<Options>({
  attach: STREAMS,
  exec: { ...STREAMS, string: ["container", "command"] },
  log: {
    string: ["container", "pretty", "stream"],
    boolean: ["follow", "insecureSkipTLSVerifyBackend", "previous", "timestamps"],
    integer: ["limitBytes", "sinceSeconds", "tailLines"],
  },
  portforward: { integer: ["ports"] },
  proxy: { string: ["path"] },
});
const TYPES = ["string", "boolean", "integer"] as const;

const PROXY_METHODS = ["delete", "get", "head", "options", "patch", "post", "put"];

/** Whether a subresource forwards a connection, or is the log. */
export const isConnection = ({ name }: ServedSubresource): boolean => OPTIONS.has(name);

/**
 * The paths of such a subresource; a proxy has a second one with the path to forward.
 *
 * @param parent - the resource
 * @param inObject - the parameters in the path of the object
 */
export function connectionPaths(
  path: string,
  parent: OperationSubject,
  subresource: ServedSubresource,
  inObject: readonly JsonObject[],
): Record<string, JsonObject> {
  const { group, version, kind, name } = subresource;
  const options = TYPES.flatMap((type) =>
    (OPTIONS.get(name)?.[type] ?? []).map((option) =>
      inQuery(option, type, `The option ${option} of ${name}.`),
    ),
  );
  const parameters = [...options, ...inObject];
  const suffix = `${parent.scope}${parent.name}${capitalized(name)}`;
  if (name === "log") {
    const id = `read${parent.prefix}${suffix}`;
    const { groupVersionKind } = parent;
    const get = operation(parent, id, "get", groupVersionKind);
    return { [path]: { get, parameters: byName(parameters) } };
  }
  const methods = name === "proxy" ? PROXY_METHODS : ["get", "post"];
  const item = (withPath: string, own: readonly JsonObject[]): JsonObject => ({
    ...Object.fromEntries(
      methods.map((method) => {
        const id = `connect${parent.prefix}${capitalized(method)}${suffix}${withPath}`;
        return [method, operation(parent, id, "connect", { group, version, kind })];
      }),
    ),
    parameters: byName(own),
  });
  if (name !== "proxy") return { [path]: item("", parameters) };
  const rest = inPath("path", "The path behind the proxy.");
  return {
    [path]: item("", parameters),
    [`${path}/{path}`]: item("WithPath", [rest, ...parameters]),
  };
}

const operation = (
  { tag, kind }: OperationSubject,
  operationId: string,
  action: "get" | "connect",
  groupVersionKind: OperationSubject["groupVersionKind"],
): JsonObject => ({
  tags: [tag],
  description: `Connects to one ${kind}.`,
  operationId,
  responses: responses({ type: "string" }, action === "get" ? LOG_TYPES : ["*/*"]),
  "x-kubernetes-action": action,
  "x-kubernetes-group-version-kind": groupVersionKind,
});

const LOG_TYPES = [
  "text/plain",
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
];
