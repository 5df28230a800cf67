/**
 * The names of the optional parts of `config/`.
 *
 * @module
 */

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
