/** Renderings beside those of a real kubectl. */
import { expect } from "vitest";
import { parseAllDocuments } from "yaml";
import { renderKustomization } from "../../../../src/cli/kustomize/render.ts";
import { hasKubectl, Kubectl } from "../../../support/kubectl.ts";

interface Named {
  apiVersion: string;
  kind: string;
  metadata: { name?: string; namespace?: string };
}

const byIdentity = (objects: readonly Named[]): Record<string, unknown> =>
  Object.fromEntries(
    objects.map((object) => [
      `${object.apiVersion} ${object.kind} ${object.metadata.namespace ?? ""}/${object.metadata.name}`,
      object,
    ]),
  );

/** Expects the same objects, whatever their order; returns how many there are. */
export async function expectSameAsKubectl(folder: string): Promise<number> {
  const kubectl = new Kubectl("");
  const stdout = await kubectl.output(["kustomize", folder]);
  kubectl.close();
  const theirs = parseAllDocuments(stdout).map((document) => document.toJS() as Named);
  const ours = await renderKustomization(folder);
  expect(byIdentity(ours)).toEqual(byIdentity(theirs));
  return theirs.length;
}

/** Expects the same objects in the same order. */
export async function expectSameOrderAsKubectl(folder: string): Promise<void> {
  const kubectl = new Kubectl("");
  const stdout = await kubectl.output(["kustomize", folder]);
  kubectl.close();
  const theirs = parseAllDocuments(stdout).map((document) => document.toJS() as unknown);
  expect(JSON.parse(JSON.stringify(await renderKustomization(folder)))).toEqual(theirs);
}

/** Expects kubectl to refuse the folder with these words in its message. */
export async function expectKubectlRefuses(folder: string, words: string): Promise<void> {
  if (!hasKubectl) return;
  const kubectl = new Kubectl("");
  const { code, stderr } = await kubectl.run(["kustomize", folder]);
  kubectl.close();
  expect(code).not.toBe(0);
  expect(stderr).toContain(words);
}
