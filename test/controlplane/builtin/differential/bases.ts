/**
 * Valid objects of the built-in kinds, from which mutations start.
 *
 * Those in `bases/` show many fields of each kind; those of the recordings show what was asked of a real server before.
 */
import { readFileSync, readdirSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import type { SentObject } from "../../../../src/kube/object.ts";
import { hasShared, sharedPath } from "../../../support/shared.ts";

/** Where the objects of namespaced kinds are kept on both servers. */
export const NAMESPACE = "differential";

const folder = new URL("bases/", import.meta.url);

/** The objects of `bases/`, in the order of the files. */
export function ownBases(): SentObject[] {
  return readdirSync(folder)
    .sort()
    .flatMap((file) =>
      parseAllDocuments(readFileSync(new URL(file, folder), "utf8")).map(
        (document) => document.toJS() as SentObject,
      ),
    );
}

interface RecordedStep {
  readonly request?: string;
  readonly body?: unknown;
  readonly answer?: { readonly status?: number };
}

/** Objects that a recorded server took, each once; empty where the recordings are absent. */
export function recordedBases(): SentObject[] {
  if (!hasShared("conformance", "recordings")) return [];
  const texts = new Set<string>();
  for (const file of readdirSync(sharedPath("conformance", "recordings")).sort()) {
    const scenarios = JSON.parse(
      readFileSync(sharedPath("conformance", "recordings", file), "utf8"),
    ) as { steps: RecordedStep[] }[];
    for (const { request, body, answer } of scenarios.flatMap(({ steps }) => steps)) {
      if (!request?.startsWith("POST /api") || answer?.status !== 201 || body === undefined)
        continue;
      const text = JSON.stringify(body).replaceAll("${ns}", NAMESPACE);
      if (/\$\{/.test(text) || text.length > 20_000) continue;
      texts.add(text);
    }
  }
  return [...texts]
    .map((text) => JSON.parse(text) as Partial<SentObject>)
    .filter((object): object is SentObject => object.metadata?.name !== undefined);
}
