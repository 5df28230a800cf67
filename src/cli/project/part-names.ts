/** The names of the optional parts of `config/`. */

/** The optional parts, in the order in which `config/default` lists them: later ones patch what earlier ones add. */
export const PARTS = [
  "metrics",
  "network-policy",
  "prometheus",
  "dashboards",
  "metrics-certs",
  "ha",
  "crd-patches",
] as const;

/** The name of an optional part. */
export type Part = (typeof PARTS)[number];

/** The folder of the part `network-policy`. */
const POLICIES = "config/network-policy";
/** The list of the part `network-policy`. */
export const POLICY_LIST = `${POLICIES}/kustomization.yaml`;
/** The name in that list of the policy that is there for webhooks only. */
export const WEBHOOK_POLICY = "allow-webhook-traffic.yaml";
/** The file of that policy. */
export const WEBHOOK_POLICY_FILE = `${POLICIES}/${WEBHOOK_POLICY}`;
