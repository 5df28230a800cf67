/** The list of samples: `config/samples/kustomization.yaml`. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readIfThere } from "./plan.ts";
import { withListEntry, withoutListEntry } from "./yaml/user-yaml.ts";

/** The folder of the samples. */
export const SAMPLES = "config/samples";
/** The path of the list. */
export const SAMPLES_LIST = `${SAMPLES}/kustomization.yaml`;
/** The list before the first sample. */
const NO_SAMPLES = `# All samples: \`kubectl apply -k config/samples\`.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
`;

/** The list of samples with one more; those that were there before the list are in it too. */
export async function samplesWith(root: string, sample: string): Promise<string> {
  const text = await readIfThere(join(root, SAMPLES_LIST));
  const names = text === undefined ? await readdir(join(root, SAMPLES)).catch(() => []) : [];
  const samples = names.filter(
    (name) => /\.ya?ml$/.test(name) && !name.startsWith("kustomization."),
  );
  return [...samples.sort(), sample].reduce(
    (list, name) => withListEntry(SAMPLES_LIST, list, "resources", name),
    text ?? NO_SAMPLES,
  );
}

/** The list without these samples; `undefined` where nothing is left but what `create api` writes. */
export function samplesWithout(text: string, samples: readonly string[]): string | undefined {
  const list = samples.reduce(
    (now, name) => withoutListEntry(SAMPLES_LIST, now, "resources", name),
    text,
  );
  return list.replaceAll("\r\n", "\n") === NO_SAMPLES ? undefined : list;
}
