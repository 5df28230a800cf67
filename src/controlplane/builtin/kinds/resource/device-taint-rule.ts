import type { DeviceTaint } from "../../../../generated/k8s/resource-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { timeOf } from "../../../../kube/values/times.ts";
import type { WriteContext } from "../../../kinds.ts";
import { checkCsiDriverName, checked, checkedChange } from "../../shared/checks.ts";
import { type ShownCondition, checkConditions } from "../../shared/conditions.ts";
import type { Loose } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";
import { ageCell } from "../../tables/cells.ts";
import { checkDeviceTaint, checkLabelName, checkPoolName } from "./device-checks.ts";

interface DeviceTaintRule extends SentObject {
  spec?: {
    deviceSelector?: { driver?: string; pool?: string; device?: string };
    taint?: Loose<DeviceTaint>;
  };
  status?: { conditions?: ShownCondition[] };
}

const MAX_CONDITIONS = 8;

function checkSpec(rule: Check<DeviceTaintRule>, old?: DeviceTaintRule): void {
  const selector = rule.at("spec", "deviceSelector");
  selector.at("driver").ifSet(checkCsiDriverName);
  selector.at("pool").ifSet(checkPoolName);
  selector.at("device").ifSet(checkLabelName);
  checkDeviceTaint(rule.at("spec", "taint"), old?.spec?.taint?.effect);
}

/** Sets the time at which the taint was added, unless the client says when. */
function stamp(rule: DeviceTaintRule, context: WriteContext): void {
  const { taint } = rule.spec ?? {};
  if (taint) taint.timeAdded ??= timeOf(context.clock.now());
}

/** A taint whose effect changes is a new one. */
function prepareForUpdate(
  rule: DeviceTaintRule,
  old: DeviceTaintRule,
  context: WriteContext,
): void {
  stamp(rule, context);
  const { taint } = rule.spec ?? {};
  const before = old.spec?.taint;
  if (!taint || taint.effect === before?.effect || taint.timeAdded !== before?.timeAdded) return;
  taint.timeAdded = timeOf(context.clock.now());
}

export const deviceTaintRuleRules: KindRules = {
  status: "none",
  generation: ["spec"],
  conditionalUpdate: true,
  wrap: (strategy) => ({ ...strategy, admit: stamp }),
  prepareForUpdate,
  validateCreate: checked<DeviceTaintRule>((rule) => checkSpec(rule)),
  validateUpdate: checkedChange<DeviceTaintRule>(checkSpec),
  validateStatus: checkedChange<DeviceTaintRule>((rule) => {
    const conditions = rule.at("status", "conditions");
    checkConditions(conditions);
    conditions.atMost(MAX_CONDITIONS);
  }),
  resetFields: { "": ["status"], status: ["metadata", "spec"] },
  table: {
    Key: "spec.taint.key",
    Value: "spec.taint.value",
    Effect: "spec.taint.effect",
    TimeAdded: ageCell("spec.taint.timeAdded", ""),
  },
};
