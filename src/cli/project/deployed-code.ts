/**
 * The part of `config/default` that follows from the code: kinds, webhooks and roles are deployed whether a command or
 * the user has written them.
 */
import {
  CRD_LIST,
  MANAGER_ROLES,
  NAMESPACE_ANNOTATION,
  WEBHOOK_LIST,
} from "../../generator/stamp.ts";
import { isJsonObject } from "../../kube/json.ts";
import { defaultList, withCrds } from "./default-list.ts";
import { Draft } from "./draft.ts";
import { withCertificates, type Project } from "./project-file.ts";
import { PROJECT_FILE } from "./project-root.ts";
import { certificateFiles, defaultWithWebhooks } from "./webhooks/webhook-config.ts";
import { addWebhookPolicy } from "./webhooks/webhook-policy.ts";
import { withListItems } from "./yaml/user-yaml.ts";
import { readDocuments } from "./yaml/yaml-documents.ts";

/**
 * The files that deploy what was generated, by path; those that do already are left out.
 *
 * @param planned - texts that are to be written, `undefined` for files that go
 * @throws TsopError `broken-yaml` with the position
 */
export async function deployedCode(
  project: Project,
  planned: ReadonlyMap<string, string | undefined>,
): Promise<ReadonlyMap<string, string | undefined>> {
  const draft = new Draft(project.root);
  const before = planned.get(defaultList) ?? (await draft.read(defaultList));
  if (before === undefined) return new Map();
  let text = planned.get(CRD_LIST) === undefined ? before : withCrds(before);
  if (planned.get(WEBHOOK_LIST) !== undefined && project.certificates === undefined) {
    const mode = "self-managed";
    const modes = { before: undefined, after: mode } as const;
    const files = await certificateFiles(project, modes, { force: false });
    for (const [path, content] of files) draft.set(path, content);
    await addWebhookPolicy(draft, project);
    text = await defaultWithWebhooks(project, mode, project.resources, text);
    draft.set(PROJECT_FILE, withCertificates(project.root, project.text, mode));
  }
  text = withListItems(defaultList, text, "replacements", {
    items: replacements(namesElsewhere(planned.get(MANAGER_ROLES))),
    isOurs: isReplacement,
  });
  if (text !== before) draft.set(defaultList, text);
  return draft.files;
}

interface Named {
  readonly kind: string;
  readonly name: string;
}

/** The roles and bindings that stay in a namespace of their own. */
function namesElsewhere(roles: string | undefined): readonly Named[] {
  return readDocuments(roles ?? "", MANAGER_ROLES).flatMap((object) => {
    const { kind, metadata } = object as {
      kind: string;
      metadata: Named & { annotations?: object };
    };
    const isElsewhere = NAMESPACE_ANNOTATION in (metadata.annotations ?? {});
    return isElsewhere ? [{ kind, name: metadata.name }] : [];
  });
}

const STAY = `metadata.annotations.[${NAMESPACE_ANNOTATION}]`;
const ACCOUNT = { kind: "ServiceAccount", name: "controller-manager" };

/**
 * Copies the annotation of each such object into its namespace, and the operator's account into its bindings: kustomize
 * follows no name into another namespace.
 */
function replacements(names: readonly Named[]): readonly object[] {
  const bindings = names.filter(({ kind }) => kind === "RoleBinding");
  const toBindings = (field: string): object => ({
    source: { ...ACCOUNT, fieldPath: `metadata.${field}` },
    targets: bindings.map((select) => ({ select, fieldPaths: [`subjects.0.${field}`] })),
  });
  return [
    ...names.map((named) => ({
      source: { ...named, fieldPath: STAY },
      targets: [{ select: named, fieldPaths: ["metadata.namespace"] }],
    })),
    ...(bindings.length > 0 ? [toBindings("name"), toBindings("namespace")] : []),
  ];
}

const isReplacement = (item: unknown): boolean => {
  const source = isJsonObject(item) ? item["source"] : undefined;
  if (!isJsonObject(source)) return false;
  return (
    source["fieldPath"] === STAY ||
    (source["kind"] === ACCOUNT.kind && source["name"] === ACCOUNT.name)
  );
};
