import type {
  LimitResponse,
  LimitedPriorityLevelConfiguration,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from "../../../../generated/k8s/flowcontrol-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { at } from "../../at.ts";
import { checked, checkedChange } from "../../shared/checks.ts";
import type { Loose, Sent } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";
import { checkFlowStatus } from "./flow-status.ts";

type PriorityLevel = Sent<PriorityLevelConfiguration> & {
  spec: Loose<PriorityLevelConfigurationSpec>;
};

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

function checkPriorityLevel(level: Check<PriorityLevel>): void {
  const spec = level.at("spec");
  const { type, limited, exempt } = spec.value;
  if ((level.value.metadata.name === "exempt") !== (type === "Exempt")) {
    spec.at("type").invalid("must be 'Exempt' if and only if `name` is 'exempt'");
  }
  if (exempt && type !== "Exempt") spec.at("exempt").forbidden("");
  if (limited && type !== "Limited") spec.at("limited").forbidden("");
  if (type === "Exempt") {
    checkShares(spec.at("exempt"));
    checkLendable(spec.at("exempt"));
  } else if (type === "Limited") {
    if (limited) checkLimited(spec.child("limited", limited));
    else spec.at("limited").required();
  } else if (spec.at("type").given()) spec.at("type").oneOf(["Exempt", "Limited"]);
  checkFlowStatus(level);
}

interface Shares {
  nominalConcurrencyShares?: number;
  lendablePercent?: number;
}

function checkShares(level: Check<Shares | undefined>): void {
  const shares = level.at("nominalConcurrencyShares");
  if ((shares.value ?? 0) < 0) shares.invalid(NOT_NEGATIVE);
}

function checkLendable(level: Check<Shares | undefined>): void {
  const percent = level.at("lendablePercent");
  const { value = 0 } = percent;
  if (value < 0 || value > 100) percent.invalid("must be between 0 and 100, inclusive");
}

function checkLimited(level: Check<Loose<LimitedPriorityLevelConfiguration>>): void {
  const borrowing = level.at("borrowingLimitPercent");
  checkShares(level);
  checkResponse(level.at("limitResponse"));
  checkLendable(level);
  if ((borrowing.value ?? 0) < 0) borrowing.invalid(`if specified, ${NOT_NEGATIVE}`);
}

function checkResponse(response: Check<Loose<LimitResponse> | undefined>): void {
  const { type, queuing } = response.value ?? {};
  const own = response.at("queuing");
  if (type === "Queue") {
    if (queuing) checkQueuing(response.child("queuing", queuing));
    else own.required();
    return;
  }
  if (queuing) own.forbidden("");
  if (type === "Reject") return;
  if (response.at("type").given()) response.at("type").oneOf(["Queue", "Reject"]);
}

const MOST_QUEUES = 10_000_000;

/** The number of bits in the hash by which a hand of queues is dealt. */
const MOST_BITS = 60;

function checkQueuing(queuing: Check<Loose<QueuingConfiguration>>): void {
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = queuing.value;
  const positive = "must be positive";
  const hand = queuing.child("handSize", handSize);
  const queue = queuing.child("queues", queues);
  if (queueLengthLimit <= 0) {
    queuing.child("queueLengthLimit", queueLengthLimit).invalid(positive);
  }
  if (queues <= 0) queue.invalid(positive);
  else if (queues > MOST_QUEUES) queue.invalid(`must not be greater than ${MOST_QUEUES}`);
  if (handSize <= 0) hand.invalid(positive);
  else if (handSize > queues) {
    hand.invalid(`should not be greater than queues (${queues})`);
  } else {
    let bits = 0;
    for (let card = 0; card < handSize; card++) bits += Math.log2(queues - card);
    if (Math.ceil(bits) <= MOST_BITS) return;
    hand.invalid(
      `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MOST_BITS}`,
    );
  }
}

const limited = (path: string) => (level: SentObject) =>
  at(level, `spec.limited.${path}`) ?? "<none>";

export const priorityLevelConfigurationRules: KindRules = {
  status: "none",
  generation: ["spec"],
  setDefaults: setPriorityLevelDefaults,
  validate: checked(checkPriorityLevel),
  validateStatus: checkedChange(checkFlowStatus),
  table: {
    Type: "spec.type",
    NominalConcurrencyShares: limited("nominalConcurrencyShares"),
    Queues: limited("limitResponse.queuing.queues"),
    HandSize: limited("limitResponse.queuing.handSize"),
    QueueLengthLimit: limited("limitResponse.queuing.queueLengthLimit"),
  },
  metadataChecks: ["whole"],
  resetFields: { status: ["spec", "metadata"] },
};
