/** All rules of `tsop doctor`, in the order of the documentation. */
import type { Rule } from "../rule.ts";
import { brokenKustomization } from "./broken-kustomization.ts";
import { code, generatedOutOfDate } from "./code.ts";
import { configWithoutRollout } from "./config-without-rollout.ts";
import { danglingBinding } from "./dangling-binding.ts";
import { definitionName } from "./definitions/definition-name.ts";
import { definitionOfV1beta1 } from "./definitions/definition-of-v1beta1.ts";
import { definitionTooLarge } from "./definitions/definition-too-large.ts";
import { definitionVersions } from "./definitions/definition-versions.ts";
import { edgeTriggered } from "./edge-triggered.ts";
import { finalizerWithoutCleanup } from "./finalizer-without-cleanup.ts";
import { imageNotSet } from "./image-not-set.ts";
import { imageWithoutVersion } from "./image-without-version.ts";
import { invalidObject } from "./invalid-object.ts";
import { issuerBesideReference } from "./issuer-beside-reference.ts";
import { misplacedColumns } from "./definitions/misplaced-columns.ts";
import { noVerbs } from "./no-verbs.ts";
import { plainSecret } from "./plain-secret.ts";
import { removedApiVersion } from "./removed-api-version.ts";
import { replicasWithoutLeader } from "./replicas-without-leader.ts";
import { resourceNotPlural } from "./definitions/resource-not-plural.ts";
import { rightsToEverything } from "./rights-to-everything.ts";
import { selectorMismatch } from "./selector-mismatch.ts";
import { serviceWithoutListener } from "./service-without-listener.ts";
import { statusWithoutSubresource } from "./definitions/status-without-subresource.ts";
import { unknownField } from "./unknown-field.ts";
import { webhookWithoutCertificate } from "./webhook-without-certificate.ts";

/** A rule more is a file more, and a line here. */
export const RULES: readonly Rule[] = [
  brokenKustomization,
  removedApiVersion,
  definitionOfV1beta1,
  definitionName,
  definitionVersions,
  statusWithoutSubresource,
  misplacedColumns,
  definitionTooLarge,
  unknownField,
  invalidObject,
  resourceNotPlural,
  noVerbs,
  rightsToEverything,
  danglingBinding,
  plainSecret,
  imageNotSet,
  imageWithoutVersion,
  selectorMismatch,
  serviceWithoutListener,
  configWithoutRollout,
  replicasWithoutLeader,
  webhookWithoutCertificate,
  issuerBesideReference,
  edgeTriggered,
  finalizerWithoutCleanup,
  code,
  generatedOutOfDate,
];
