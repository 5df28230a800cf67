/** The paths of subresources that forward a connection, and of logs. */
import { capitalized } from "../../kube/text/capitalized.ts";
import type { JsonObject } from "../../kube/object.ts";
import type { ServedSubresource } from "../kinds.ts";

type Option = readonly [name: string, type: "string" | "integer" | "boolean"];

const STREAMS: readonly Option[] = [
  ["container", "string"],
  ["stderr", "boolean"],
  ["stdin", "boolean"],
  ["stdout", "boolean"],
  ["tty", "boolean"],
];

/** The query parameters of each subresource. */
const OPTIONS: Readonly<Record<string, readonly Option[]>> = {
  attach: STREAMS,
  exec: [...STREAMS, ["command", "string"]],
  log: [
    ["container", "string"],
    ["follow", "boolean"],
    ["insecureSkipTLSVerifyBackend", "boolean"],
    ["limitBytes", "integer"],
    ["pretty", "string"],
    ["previous", "boolean"],
    ["sinceSeconds", "integer"],
    ["stream", "string"],
    ["tailLines", "integer"],
    ["timestamps", "boolean"],
  ],
  portforward: [["ports", "integer"]],
  proxy: [["path", "string"]],
};

const PROXY_METHODS = ["delete", "get", "head", "options", "patch", "post", "put"];

/** The parts that the paths of a connection share with those of their resource. */
export interface ConnectionSubject {
  /** The path of the subresource. */
  readonly path: string;
  readonly tag: string;
  /**
   * The beginning of operation identifiers, `CoreV1`, and the part after the method,
   * `NamespacedPodExec`.
   */
  readonly prefix: string;
  readonly suffix: string;
  readonly resourceKind: string;
  /** The parameters in the path itself. */
  readonly parameters: readonly JsonObject[];
  /** Sorts parameters in the order of documents. */
  readonly inOrder: (parameters: readonly JsonObject[]) => JsonObject[];
}

/** Whether a subresource forwards a connection, or is the log. */
export const isConnection = ({ name }: ServedSubresource): boolean => name in OPTIONS;

/** The paths of such a subresource; a proxy has a second one with the path to forward. */
export function connectionPaths(
  subject: ConnectionSubject,
  { name, group, version, kind }: ServedSubresource,
): Record<string, JsonObject> {
  const options = (OPTIONS[name] ?? []).map(([option, type]) => ({
    name: option,
    in: "query",
    description: `The option ${option} of ${name}.`,
    schema: { type, uniqueItems: true },
  }));
  const groupVersionKind = { group, version, kind };
  if (name === "log") {
    const types = ["text/plain", "application/json", "application/yaml", PROTOBUF];
    return {
      [subject.path]: {
        get: {
          ...operation(subject, `read${subject.prefix}${subject.suffix}`, types, "get"),
          "x-kubernetes-group-version-kind": { group, version, kind: subject.resourceKind },
        },
        parameters: subject.inOrder([...options, ...subject.parameters]),
      },
    };
  }
  const methods = name === "proxy" ? PROXY_METHODS : ["get", "post"];
  const item = (withPath: string, parameters: readonly JsonObject[]): JsonObject => ({
    ...Object.fromEntries(
      methods.map((method) => [
        method,
        {
          ...operation(
            subject,
            `connect${subject.prefix}${capitalized(method)}${subject.suffix}${withPath}`,
            ["*/*"],
            "connect",
          ),
          "x-kubernetes-group-version-kind": groupVersionKind,
        },
      ]),
    ),
    parameters: subject.inOrder(parameters),
  });
  const parameters = [...options, ...subject.parameters];
  if (name !== "proxy") return { [subject.path]: item("", parameters) };
  const rest = {
    name: "path",
    in: "path",
    description: "The path behind the proxy.",
    required: true,
    schema: { type: "string", uniqueItems: true },
  };
  return {
    [subject.path]: item("", parameters),
    [`${subject.path}/{path}`]: item("WithPath", [rest, ...parameters]),
  };
}

const PROTOBUF = "application/vnd.kubernetes.protobuf";

function operation(
  { tag, resourceKind }: ConnectionSubject,
  operationId: string,
  mediaTypes: readonly string[],
  action: string,
): JsonObject {
  return {
    tags: [tag],
    description: `Connects to one ${resourceKind}.`,
    operationId,
    responses: {
      "200": {
        description: "OK",
        content: Object.fromEntries(
          mediaTypes.map((type) => [type, { schema: { type: "string" } }]),
        ),
      },
      "401": { description: "Unauthorized" },
    },
    "x-kubernetes-action": action,
  };
}
