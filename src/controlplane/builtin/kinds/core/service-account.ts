import type { SentObject } from "../../../../kube/object.ts";
import type { KindRules } from "../../kind-rules.ts";
import type { ServiceAccount } from "./pod/shape.ts";
import { ENFORCED } from "./shared.ts";

/** Reduces the secrets of an account to their names. */
function keepSecretNames(account: ServiceAccount): void {
  if (account.secrets) {
    account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
  }
}

/** Warns when an account newly limits its pods to its own secrets. */
function serviceAccountWarnings(object: SentObject, old: SentObject | undefined): string[] {
  const asks = ({ metadata }: SentObject): boolean =>
    metadata.annotations?.[ENFORCED] !== undefined;
  if (!asks(object) || (old && asks(old))) return [];
  return [
    `metadata.annotations[${ENFORCED}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
  ];
}

export const serviceAccountRules: KindRules = {
  warnings: serviceAccountWarnings,
  prepareForCreate: keepSecretNames,
  prepareForUpdate: keepSecretNames,
  table: {},
  metadataChecks: ["change", "whole"],
  deletion: { answersObject: true },
};
