/**
 * The libraries of expressions in Kubernetes.
 *
 * @see
 * https://kubernetes.io/docs/reference/using-api/cel/#cel-options-language-features-and-libraries
 */
import type { Library } from "./environment.ts";
import { Environment } from "./environment.ts";
import { comprehensionsLibrary } from "./library/comprehensions.ts";
import { formatLibrary } from "./library/formats.ts";
import { kubernetesCosts } from "./library/kubernetes-costs.ts";
import { kubernetesListLibrary } from "./library/kubernetes-lists.ts";
import { listLibrary } from "./library/list-functions.ts";
import { networkLibrary } from "./library/network.ts";
import { optionalsLibrary } from "./library/optionals.ts";
import { quantityLibrary } from "./library/quantities.ts";
import { regexLibrary } from "./library/regex.ts";
import { semverLibrary } from "./library/semantic-versions.ts";
import { setsLibrary } from "./library/sets.ts";
import { standardLibrary } from "./library/standard.ts";
import { stringLibrary } from "./library/strings.ts";
import { urlLibrary } from "./library/urls.ts";

/** The libraries of Kubernetes 1.37, without those of admission policies. */
const LIBRARIES: readonly Library[] = [
  standardLibrary,
  urlLibrary,
  regexLibrary,
  kubernetesListLibrary,
  optionalsLibrary,
  quantityLibrary,
  stringLibrary,
  setsLibrary,
  networkLibrary,
  formatLibrary,
  comprehensionsLibrary,
  semverLibrary,
  listLibrary,
  { costs: kubernetesCosts },
];

/** The environment of expressions in Kubernetes; variables are added with `withVariables`. */
export const kubernetesEnvironment = new Environment(LIBRARIES);

/** The environment of admission expressions: the same, with further libraries. */
export function admissionEnvironment(more: readonly Library[]): Environment {
  return new Environment([...LIBRARIES, ...more]);
}
