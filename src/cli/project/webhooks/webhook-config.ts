/**
 * The parts of `config/` that webhooks need: the port and the certificate of the Deployment, and
 * cert-manager's objects.
 */
import { join } from "node:path";
import { TsopError } from "../../../errors.ts";
import { isJsonObject } from "../../../kube/json.ts";
import { defaultList } from "../default-list.ts";
import { readIfThere, requireFile } from "../plan.ts";
import {
  apiGroupOf,
  type CertificateMode,
  type Project,
  type ProjectResource,
} from "../project-file.ts";
import type { Consent } from "../removal.ts";
import { findRecord } from "../scaffold/scaffold-record.ts";
import { renderTemplates, type ScaffoldRequest } from "../scaffold/scaffold.ts";
import { withListEntry, withListItems, withoutListEntry } from "../yaml/user-yaml.ts";

const MANAGER_PATCH = "manager_webhook_patch.yaml";
const CERTIFICATE_PATCH = "webhook_certificate_patch.yaml";
const CERT_MANAGER_FOLDER = "config/certmanager/";

/** The Certificate of cert-manager. */
const CERTIFICATE = {
  kind: "Certificate",
  group: "cert-manager.io",
  version: "v1",
  name: "serving-cert",
};
const INJECT_FROM = ".metadata.annotations.[cert-manager.io/inject-ca-from]";

type Files = Map<string, string | undefined>;

/**
 * The files of a certificate mode, and what `config/default` says of them; `undefined` for files that go.
 *
 * @param before - the mode whose files are there; absent when there are none
 * @throws TsopError `file-changed` for files of the mode before that the user changed, unless `force`
 */
export async function certificateFiles(
  project: Project,
  modes: { readonly before: CertificateMode | undefined; readonly after: CertificateMode },
  { force, dialog }: Consent,
): Promise<Files> {
  const wanted = await modeFiles(project, modes.after);
  const earlier = modes.before ? await modeFiles(project, modes.before) : new Map<string, string>();
  const record = await findRecord(project.root);
  const files: Files = new Map();
  const changed: string[] = [];
  for (const path of new Set([...wanted.keys(), ...earlier.keys()])) {
    const live = (await readIfThere(join(project.root, path)))?.replaceAll("\r\n", "\n");
    const [after, known] = [wanted.get(path), earlier.get(path)];
    // A file that both modes have in common is the user's once it is there.
    if (live !== undefined && after === known) continue;
    const isOurs = [undefined, known, after, record?.files.get(path)].includes(live);
    if (!isOurs && !force) {
      const answer = await dialog?.ask({ path, before: live, after });
      if (answer === undefined) changed.push(path);
      if (answer === "skip") continue;
    }
    if (live !== after) files.set(path, after);
  }
  if (changed.length > 0) throw changedFiles(changed);
  return files;
}

/** The files of a mode, by path. */
const modeFiles = (project: Project, mode: CertificateMode): Promise<Map<string, string>> =>
  renderTemplates(certificateTemplate(project, mode));

/** The template and the values for the files of a mode. */
export function certificateTemplate(
  { projectName, root }: Project,
  mode: CertificateMode,
): Omit<ScaffoldRequest, "ifExists"> {
  const values = {
    projectName,
    secretName: `${projectName}-webhook-server-cert`,
    mounted: mode !== "self-managed",
    owner: mode === "cert-manager" ? "cert-manager" : "you",
  };
  return {
    root,
    template: "certificates",
    values,
    wants: (path) => {
      if (path.startsWith(CERT_MANAGER_FOLDER)) return mode === "cert-manager";
      return !path.endsWith(CERTIFICATE_PATCH) || mode !== "self-managed";
    },
  };
}

/** The text of `config/default/kustomization.yaml` with the webhooks in it, as the mode needs it. */
export async function defaultWithWebhooks(
  project: Project,
  mode: CertificateMode,
  resources: readonly ProjectResource[],
  text?: string,
): Promise<string> {
  let list = text ?? (await requireFile(project.root, defaultList));
  const withResource = (entry: string): string =>
    withListEntry(defaultList, list, "resources", entry);
  list = withResource("../webhook");
  list =
    mode === "cert-manager"
      ? withResource("../certmanager")
      : withoutListEntry(defaultList, list, "resources", "../certmanager");
  const patches = [
    { path: MANAGER_PATCH, target: { kind: "Deployment", name: "controller-manager" } },
    ...(mode === "self-managed" ? [] : [{ path: CERTIFICATE_PATCH }]),
  ];
  list = withListItems(defaultList, list, "patches", { items: patches, isOurs: isPatch });
  return withListItems(defaultList, list, "replacements", {
    items: mode === "cert-manager" ? replacements(project, resources) : [],
    isOurs: isReplacement,
  });
}

/** The text without the webhooks. */
export function defaultWithoutWebhooks(text: string): string {
  const entries = ["../webhook", "../certmanager"];
  const list = entries.reduce(
    (now, entry) => withoutListEntry(defaultList, now, "resources", entry),
    text,
  );
  const none = (now: string, key: string, isOurs: (item: unknown) => boolean): string =>
    withListItems(defaultList, now, key, { items: [], isOurs });
  return none(none(list, "patches", isPatch), "replacements", isReplacement);
}

const isPatch = (item: unknown): boolean =>
  isJsonObject(item) && (item["path"] === MANAGER_PATCH || item["path"] === CERTIFICATE_PATCH);

/**
 * The replacements that fill in the Certificate's names, and those that tell cert-manager whose
 * `caBundle` it is.
 */
function replacements(project: Project, resources: readonly ProjectResource[]): object[] {
  const service = { kind: "Service", version: "v1", name: "webhook-service" };
  const crds = resources
    .filter(({ webhooks }) => webhooks?.conversion)
    .map((one) => `${one.plural}.${apiGroupOf(project, one)}`)
    .sort()
    .map((name) => ({ kind: "CustomResourceDefinition", name }));
  const injected = [
    { kind: "ValidatingWebhookConfiguration" },
    { kind: "MutatingWebhookConfiguration" },
    ...crds,
  ];
  const names = (index: number): object => ({
    select: CERTIFICATE,
    fieldPaths: [".spec.dnsNames.0", ".spec.dnsNames.1"],
    options: { delimiter: ".", index, create: true },
  });
  const into = (index: number): object[] =>
    injected.map((select) => ({
      select,
      fieldPaths: [INJECT_FROM],
      options: { delimiter: "/", index, create: true },
    }));
  return [
    { source: { ...service, fieldPath: ".metadata.name" }, targets: [names(0)] },
    { source: { ...service, fieldPath: ".metadata.namespace" }, targets: [names(1)] },
    { source: { ...CERTIFICATE, fieldPath: ".metadata.namespace" }, targets: into(0) },
    { source: { ...CERTIFICATE, fieldPath: ".metadata.name" }, targets: into(1) },
  ];
}

/** Whether a replacement is one of those above. */
function isReplacement(item: unknown): boolean {
  if (!isJsonObject(item)) return false;
  const { source, targets } = item;
  const isCertificate = (selector: unknown): boolean =>
    isJsonObject(selector) &&
    selector["kind"] === CERTIFICATE.kind &&
    selector["name"] === CERTIFICATE.name;
  if (isCertificate(source)) return true;
  return (
    Array.isArray(targets) &&
    targets.some((one) => isJsonObject(one) && isCertificate(one["select"]))
  );
}

function changedFiles(paths: readonly string[]): TsopError {
  return new TsopError(
    "file-changed",
    `The new certificate mode replaces ${paths.join(", ")}, but you changed ${paths.length === 1 ? "it" : "them"}.`,
    "Compare with --dry-run --diff --force, then overwrite with --force.",
  );
}
