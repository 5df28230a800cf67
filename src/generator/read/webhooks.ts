/** Reads `@MutatingWebhook` and `@ValidatingWebhook` as entries of webhook configurations. */
import type { Json } from "../../kube/object.ts";
import type { ResourceInfo } from "../../kube/resource.ts";
import {
  configurationOf,
  webhookNameOf,
  webhookPathOf,
} from "../../kube/webhooks/webhook-marks.ts";
import { SERVICE_ADDRESS } from "../emit/webhook-service.ts";
import type { ts } from "../load.ts";
import type { Findings } from "../findings.ts";
import type { HandlerModel, Position, WebhookEntry, WebhookModel } from "../model.ts";
import { readHandler } from "./handler.ts";
import { decorationsOf } from "./marks/marks.ts";
import type { Module } from "./code/module.ts";
import { type OptionTable, type SaidOptions, readOptions } from "./marks/options.ts";
import { type Reader, complain } from "./code/reader.ts";
import { tokenOf } from "./marks/token.ts";
import { present } from "../../present.ts";

const OPTIONS: OptionTable = {
  name: "string",
  path: "string",
  url: "string",
  service: "object",
  operations: "strings",
  failurePolicy: ["Fail", "Ignore"],
  matchPolicy: ["Exact", "Equivalent"],
  sideEffects: ["None", "NoneOnDryRun"],
  timeoutSeconds: "number",
  admissionReviewVersions: "strings",
  namespaceSelector: "object",
  objectSelector: "object",
  matchConditions: "objects",
  scope: ["Namespaced", "Cluster", "*"],
  configuration: "string",
};
const MUTATING: OptionTable = { ...OPTIONS, reinvocationPolicy: ["Never", "IfNeeded"] };
const TARGET: OptionTable = { groups: "strings", versions: "strings", resources: "strings" };

/** The options that are copied to the entry as they were said. */
const COPIED = [
  "matchPolicy",
  "reinvocationPolicy",
  "timeoutSeconds",
  "namespaceSelector",
  "objectSelector",
  "matchConditions",
];

/** The objects that a webhook is asked about. */
interface Target {
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  readonly resources: readonly string[];
  /** The kind; absent where the target is written out. */
  readonly kind?: Pick<ResourceInfo, "group" | "version" | "kind">;
}

export function readWebhooks(
  reader: Reader,
  module: Module,
  node: ts.ClassDeclaration,
): WebhookModel[] {
  const markers = decorationsOf(reader, module, node).filter(
    ({ name }) => name === "MutatingWebhook" || name === "ValidatingWebhook",
  );
  if (markers.length === 0) return [];
  const handler = readHandler(reader, module, node);
  return markers.flatMap(({ name, call }) => {
    const webhook = readWebhook(reader, module, call, handler, name === "MutatingWebhook");
    return webhook ? [webhook] : [];
  });
}

/** The methods of a validator, and what each is asked about. */
export const VALIDATOR_METHODS = [
  { method: "validateCreate", operation: "CREATE" },
  { method: "validateUpdate", operation: "UPDATE" },
  { method: "validateDelete", operation: "DELETE" },
] as const;

/** The operations that follow from the methods; those of controller-gen where nothing follows. */
function operationsOf({ methods }: HandlerModel, mutating: boolean): string[] {
  const answered = VALIDATOR_METHODS.filter(({ method }) => methods?.has(method)).map(
    ({ operation }) => operation,
  );
  const follows = !mutating && answered.length > 0 && !methods?.has("handle");
  return follows ? answered : ["CREATE", "UPDATE"];
}

function readWebhook(
  reader: Reader,
  module: Module,
  call: ts.CallExpression,
  handler: HandlerModel,
  mutating: boolean,
): WebhookModel | undefined {
  const shown = mutating ? "@MutatingWebhook" : "@ValidatingWebhook";
  const table = mutating ? MUTATING : OPTIONS;
  const [first, second] = call.arguments;
  const token = first && tokenOf(reader, module, first);
  const said =
    token?.kind === undefined
      ? first && readOptions(reader, module, first, shown, { ...table, ...TARGET })
      : second
        ? readOptions(reader, module, second, shown, table)
        : { values: {}, saidAt: new Map() };
  if (!said) {
    complain(
      reader,
      { module, node: call },
      "wrong-arguments",
      `${shown} takes a kind, and constant options if need be.`,
      `Write ${shown}(Widget), or ${shown}({ groups, versions, resources, name, path }).`,
    );
    return undefined;
  }
  const { values } = said;
  const { group = "", version, kind, plural = "" } = token ?? {};
  const target: Target =
    kind === undefined || version === undefined
      ? {
          groups: texts(values, "groups"),
          versions: texts(values, "versions"),
          resources: texts(values, "resources"),
        }
      : {
          groups: [group],
          versions: [version],
          resources: [plural],
          kind: { group, version, kind },
        };
  const at = reader.modules.at(module, call);
  return complete({ mutating, target, said, handler, at }, reader.findings);
}

/** The parts of a marker that were read. */
interface ReadMarker {
  readonly mutating: boolean;
  readonly target: Target;
  readonly said: SaidOptions;
  readonly handler: HandlerModel;
  readonly at: Position;
}

function complete(marker: ReadMarker, findings: Findings): WebhookModel | undefined {
  const { mutating, target, said, handler, at } = marker;
  const { values, saidAt } = said;
  const { kind, groups, versions, resources } = target;
  const shown = mutating ? "@MutatingWebhook" : "@ValidatingWebhook";
  const name = text(values, "name") ?? (kind && webhookNameOf(mutating, kind));
  const url = text(values, "url");
  const path = text(values, "path") ?? (kind && webhookPathOf(mutating, kind));
  const missing = [
    ...(name === undefined ? ["name"] : []),
    ...(path === undefined && url === undefined ? ["path"] : []),
    ...(kind === undefined
      ? ["groups", "versions", "resources"].filter((part) => texts(values, part).length === 0)
      : []),
  ];
  if (missing.length > 0 || name === undefined) {
    findings.error(
      at,
      "missing-option",
      `${shown} needs ${missing.join(", ")} if no kind specifies it.`,
      `Add ${missing.join(", ")}, or name the kind: ${shown}(Widget).`,
    );
    return undefined;
  }
  if (url !== undefined && (values["path"] ?? values["service"]) !== undefined) {
    findings.error(
      at,
      "wrong-webhook",
      `${shown} specifies both a url and a path or service.`,
      "Keep the url for a webhook outside the cluster, or the path for the operator itself.",
    );
  }
  const scope = text(values, "scope");
  const entry: WebhookEntry = {
    name,
    admissionReviewVersions: listOr(values, "admissionReviewVersions", ["v1"]),
    clientConfig: url === undefined ? { service: serviceOf(values, path ?? "") } : { url },
    failurePolicy: text(values, "failurePolicy") ?? "Fail",
    rules: [
      {
        apiGroups: [...groups],
        apiVersions: [...versions],
        operations: listOr(values, "operations", operationsOf(handler, mutating)),
        resources: [...resources],
        ...present({ scope }),
      },
    ],
    sideEffects: text(values, "sideEffects") ?? "None",
    ...Object.fromEntries(
      COPIED.filter((option) => values[option] !== undefined).map((option) => [
        option,
        values[option] as Json,
      ]),
    ),
  };
  const configuration = text(values, "configuration") ?? configurationOf(mutating);
  return { mutating, configuration, name, entry, handler, at, saidAt };
}

/** The marker's service; it has been checked by the time that it is written. */
interface SaidService {
  readonly name?: string;
  readonly namespace?: string;
  readonly port?: number;
}

function serviceOf({ service }: Values, path: string): SaidService & { readonly path: string } {
  const { name, namespace, port } = (service ?? {}) as SaidService;
  return {
    name: name ?? SERVICE_ADDRESS.name,
    namespace: namespace ?? SERVICE_ADDRESS.namespace,
    path,
    ...present({ port }),
  };
}

type Values = Readonly<Record<string, unknown>>;

const text = (values: Values, option: string): string | undefined =>
  typeof values[option] === "string" ? values[option] : undefined;

const texts = (values: Values, option: string): string[] =>
  Array.isArray(values[option]) ? values[option].map(String) : [];

function listOr(values: Values, option: string, otherwise: string[]): string[] {
  return values[option] === undefined ? otherwise : texts(values, option);
}
