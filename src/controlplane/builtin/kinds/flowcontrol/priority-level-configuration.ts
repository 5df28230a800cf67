/** Rules of the kind PriorityLevelConfiguration. */
import {
  type FieldError,
  forbidden,
  invalidValue,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { at, mapAt, numberAt, textAt } from "../../at.ts";
import { oneOf } from "../../shared/checks.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageColumn, column, nameColumn, printer, textColumn } from "../../tables/column.ts";
import { flowStatusErrors } from "./shared.ts";

interface PriorityLevel extends SentObject {
  spec: {
    limited?: {
      nominalConcurrencyShares?: number;
      lendablePercent?: number;
      limitResponse?: {
        queuing?: { queues?: number; handSize?: number; queueLengthLimit?: number };
      };
    };
    exempt?: { nominalConcurrencyShares?: number; lendablePercent?: number };
  };
}

function setPriorityLevelDefaults(object: PriorityLevel): void {
  const { limited, exempt } = object.spec;
  if (exempt) {
    exempt.nominalConcurrencyShares ??= 0;
    exempt.lendablePercent ??= 0;
  }
  if (!limited) return;
  limited.nominalConcurrencyShares ??= 30;
  limited.lendablePercent ??= 0;
  const queuing = limited.limitResponse?.queuing;
  if (!queuing) return;
  if (!queuing.queues) queuing.queues = 64;
  if (!queuing.handSize) queuing.handSize = 8;
  if (!queuing.queueLengthLimit) queuing.queueLengthLimit = 50;
}

const NOT_NEGATIVE = "must be a non-negative integer";

/** Validates a PriorityLevelConfiguration. */
function priorityLevelErrors(object: SentObject): FieldError[] {
  const type = textAt(object, "spec.type");
  const limited = at(object, "spec.limited");
  const exempt = at(object, "spec.exempt");
  const errors: FieldError[] = [];
  if ((object.metadata.name === "exempt") !== (type === "Exempt")) {
    const detail = "must be 'Exempt' if and only if `name` is 'exempt'";
    errors.push(invalidValue("spec.type", type, detail));
  }
  if (type !== "Exempt" && exempt !== undefined) errors.push(forbidden("spec.exempt", ""));
  if (type !== "Limited" && limited !== undefined) errors.push(forbidden("spec.limited", ""));
  if (type === "Exempt") errors.push(...sharesErrors("spec.exempt", exempt));
  else if (type === "Limited") {
    if (limited === undefined) errors.push(required("spec.limited"));
    else errors.push(...limitedErrors("spec.limited", limited));
  } else if (type === "") errors.push(required("spec.type"));
  else errors.push(...oneOf("spec.type", type, ["Exempt", "Limited"]));
  return [...errors, ...flowStatusErrors(object)];
}

function sharesErrors(field: string, level: unknown): FieldError[] {
  return [...shareCountErrors(field, level), ...lendableErrors(field, level)];
}

function shareCountErrors(field: string, level: unknown): FieldError[] {
  const shares = numberAt(level, "nominalConcurrencyShares");
  return shares < 0
    ? [invalidValue(`${field}.nominalConcurrencyShares`, shares, NOT_NEGATIVE)]
    : [];
}

function lendableErrors(field: string, level: unknown): FieldError[] {
  const percent = numberAt(level, "lendablePercent");
  return percent < 0 || percent > 100
    ? [invalidValue(`${field}.lendablePercent`, percent, "must be between 0 and 100, inclusive")]
    : [];
}

function limitedErrors(field: string, level: unknown): FieldError[] {
  const borrowing = numberAt(level, "borrowingLimitPercent");
  const detail = `if specified, ${NOT_NEGATIVE}`;
  return [
    ...shareCountErrors(field, level),
    ...responseErrors(`${field}.limitResponse`, mapAt(level, "limitResponse")),
    ...lendableErrors(field, level),
    ...(borrowing < 0 ? [invalidValue(`${field}.borrowingLimitPercent`, borrowing, detail)] : []),
  ];
}

function responseErrors(field: string, response: unknown): FieldError[] {
  const type = textAt(response, "type");
  const queuing = at(response, "queuing");
  if (type === "Queue") {
    return queuing === undefined
      ? [required(`${field}.queuing`)]
      : queuingErrors(`${field}.queuing`, queuing);
  }
  const errors = queuing === undefined ? [] : [forbidden(`${field}.queuing`, "")];
  if (type === "Reject") return errors;
  return type === ""
    ? [...errors, required(`${field}.type`)]
    : [...errors, notSupported(`${field}.type`, type, ["Queue", "Reject"])];
}

const MOST_QUEUES = 10_000_000;

/** The number of bits in the hash by which a hand of queues is dealt. */
const MOST_BITS = 60;

function queuingErrors(field: string, queuing: unknown): FieldError[] {
  const positive = "must be positive";
  const [queues, hand, length] = ["queues", "handSize", "queueLengthLimit"].map((name) =>
    numberAt(queuing, name),
  ) as [number, number, number];
  const errors: FieldError[] = [];
  const refuse = (part: string, value: number, detail: string): void => {
    errors.push(invalidValue(`${field}.${part}`, value, detail));
  };
  if (length <= 0) refuse("queueLengthLimit", length, positive);
  if (queues <= 0) refuse("queues", queues, positive);
  else if (queues > MOST_QUEUES) {
    refuse("queues", queues, `must not be greater than ${MOST_QUEUES}`);
  }
  if (hand <= 0) refuse("handSize", hand, positive);
  else if (hand > queues) {
    refuse("handSize", hand, `should not be greater than queues (${queues})`);
  } else {
    let bits = 0;
    for (let card = 0; card < hand; card++) bits += Math.log2(queues - card);
    const entropy = Math.ceil(bits);
    const detail = `required entropy bits of deckSize ${queues} and handSize ${hand} should not be greater than ${MOST_BITS}`;
    if (entropy > MOST_BITS) refuse("handSize", hand, detail);
  }
  return errors;
}

const limited = (path: string) => (level: SentObject) =>
  at(level, `spec.limited.${path}`) ?? "<none>";

/** The rules of PriorityLevelConfigurations. */
export const priorityLevelConfigurationRules: KindRules = {
  status: "none",
  generation: ["spec"],
  setDefaults: setPriorityLevelDefaults,
  validate: priorityLevelErrors,
  validateStatus: flowStatusErrors,
  table: printer([
    nameColumn,
    textColumn("Type", "spec.type"),
    column("NominalConcurrencyShares", limited("nominalConcurrencyShares")),
    column("Queues", limited("limitResponse.queuing.queues")),
    column("HandSize", limited("limitResponse.queuing.handSize")),
    column("QueueLengthLimit", limited("limitResponse.queuing.queueLengthLimit")),
    ageColumn,
  ]),
  metadataChecks: ["whole"],
  resetFields: { status: ["spec", "metadata"] },
  columnFields: {
    Type: "flowcontrol.v1.PriorityLevelConfigurationSpec.type",
    NominalConcurrencyShares:
      "flowcontrol.v1.LimitedPriorityLevelConfiguration.nominalConcurrencyShares",
    Queues: "flowcontrol.v1.QueuingConfiguration.queues",
    HandSize: "flowcontrol.v1.QueuingConfiguration.handSize",
    QueueLengthLimit: "flowcontrol.v1.QueuingConfiguration.queueLengthLimit",
  },
};
