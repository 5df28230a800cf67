import { Buffer } from "node:buffer";
import type * as core from "../../../../generated/k8s/core-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { mapAt } from "../../at.ts";
import { checked, checkedChange, configKeyErrors } from "../../shared/checks.ts";
import type { ShapedObject } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";
import { MAX_BYTES, checkFixed, decodedBytes } from "./data.ts";

export type ConfigMap = ShapedObject<core.ConfigMap>;

function checkConfigMap(map: Check<ConfigMap>): void {
  const { data = {}, binaryData = {} } = map.value;
  map.at("data").eachEntry((value, key) => {
    value.as(key).named(configKeyErrors);
    if (Object.hasOwn(binaryData, key))
      value.invalid("duplicate of key present in binaryData", key);
  });
  map.at("binaryData").eachEntry((value, key) => value.as(key).named(configKeyErrors));
  const text = Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  if (text + decodedBytes(binaryData) > MAX_BYTES) map.child("[]", data).tooLong(MAX_BYTES);
}

export const configMapRules: KindRules = {
  validate: checked(checkConfigMap),
  validateUpdate: checkedChange(checkFixed),
  changeFirst: true,
  table: {
    Data: (object) =>
      Object.keys(mapAt(object, "data")).length + Object.keys(mapAt(object, "binaryData")).length,
  },
  metadataChecks: ["change", "whole"],
};
