/**
 * The optional parts of `config/`: a kustomize component each, which `config/default` lists while the part is on.
 */
import { TsopError, UsageError } from "../../errors.ts";
import { isGenerated } from "../../generator/stamp.ts";
import { isJsonObject } from "../../kube/json.ts";
import { defaultList } from "./default-list.ts";
import type { Draft } from "./draft.ts";
import { PARTS, WEBHOOK_POLICY_FILE, type Part } from "./part-names.ts";
import { requireFile } from "./plan.ts";
import type { Project } from "./project-file.ts";
import { goingText, removeFiles, type Consent, type GoingFile } from "./removal.ts";
import { findRecord } from "./scaffold/scaffold-record.ts";
import { renderTemplates } from "./scaffold/scaffold.ts";
import { parseUserYaml, withListEntry, withListItems, withoutListEntry } from "./yaml/user-yaml.ts";

/** Parts that a new project has. */
export const USUAL_PARTS: readonly Part[] = ["metrics", "network-policy"];

/** The parts that a part cannot be without. */
const NEEDS: Readonly<Partial<Record<Part, Part>>> = {
  prometheus: "metrics",
  dashboards: "metrics",
  "metrics-certs": "metrics",
};

const CRD_LIST = "config/crd/kustomization.yaml";
const CRD_PATCHES = "patches";
/** The user's patches of the generated CRDs. */
const CRD_PATCH_LIST = `config/crd/${CRD_PATCHES}/kustomization.yaml`;

const entryOf = (part: Part): string => `../${part}`;
const isListed = (part: Part): boolean => part !== "crd-patches";
/** The component that makes Prometheus verify the certificate of `metrics-certs`. */
const VERIFIED = "../prometheus/tls";

/** The files of a part as they are scaffolded, by path. */
export function partFiles(
  { root, projectName }: Pick<Project, "root" | "projectName">,
  part: Part,
  hasWebhooks: boolean,
): Promise<Map<string, string>> {
  return renderTemplates({
    root,
    template: `parts/${part}`,
    values: { projectName, hasWebhooks },
    wants: (path) => hasWebhooks || path !== WEBHOOK_POLICY_FILE,
  });
}

/** The parts that are on. @throws TsopError `broken-yaml` with the position */
export async function enabledParts(draft: Draft): Promise<ReadonlySet<Part>> {
  const listed = await componentsOf(draft);
  const hasPatches = (await draft.read(CRD_PATCH_LIST)) !== undefined;
  return new Set(
    PARTS.filter((part) => (isListed(part) ? listed.includes(entryOf(part)) : hasPatches)),
  );
}

async function componentsOf(draft: Draft): Promise<readonly unknown[]> {
  const text = await draft.read(defaultList);
  return text === undefined ? [] : componentsIn(text);
}

function componentsIn(text: string): readonly unknown[] {
  const { value } = parseUserYaml(defaultList, text, "broken-yaml");
  const components = isJsonObject(value) ? value["components"] : undefined;
  return Array.isArray(components) ? (components as unknown[]) : [];
}

/** A new scaffold of `config/default` without the parts that the old one did not have and that are not on. */
export function withoutNewParts(
  { base, theirs }: { readonly base: string; readonly theirs: string },
  enabled: ReadonlySet<Part>,
): { readonly text: string; readonly parts: readonly Part[] } {
  const [before, after] = [componentsIn(base), componentsIn(theirs)];
  const isIn = (list: readonly unknown[], part: Part): boolean => list.includes(entryOf(part));
  const parts = PARTS.filter(
    (part) => isIn(after, part) && !isIn(before, part) && !enabled.has(part),
  );
  const text = parts.reduce(
    (now, part) => withoutListEntry(defaultList, now, "components", entryOf(part)),
    theirs,
  );
  return { text, parts };
}

/** The parts to switch on and off. */
export interface Switched {
  readonly enable: readonly Part[];
  readonly disable: readonly Part[];
}

/**
 * Switches parts on and off: files that are there stay the user's when a part comes, and are
 * deleted when it goes.
 *
 * @returns the parts that are on afterwards
 * @throws UsageError `part-needed`; TsopError `file-changed` for files that the user changed and that would go, without
 *   consent
 */
export async function switchParts(
  draft: Draft,
  project: Project,
  { enable, disable }: Switched,
  consent: Consent,
): Promise<ReadonlySet<Part>> {
  const before = await enabledParts(draft);
  const after = new Set(PARTS.filter((one) => before.has(one) || enable.includes(one)));
  for (const part of disable) after.delete(part);
  requireNeeded(after);
  const hasWebhooks = project.resources.some(({ webhooks }) => webhooks !== undefined);
  for (const part of after) {
    if (before.has(part)) continue;
    for (const [path, text] of await partFiles(project, part, hasWebhooks)) {
      if ((await draft.read(path)) === undefined) draft.set(path, text);
    }
  }
  const record = await findRecord(project.root);
  const going: GoingFile[] = [];
  for (const part of before) {
    if (after.has(part)) continue;
    for (const [path, text] of await partFiles(project, part, hasWebhooks)) {
      going.push(goingText(path, [text, record?.files.get(path)]));
    }
  }
  const changed = await removeFiles(draft, going, consent);
  if (changed.length > 0) throw changedFiles(changed);
  const list = (await draft.read(defaultList)) ?? (await requireFile(project.root, defaultList));
  draft.set(defaultList, withCertificateNames(withComponents(list, after), after));
  await draft.edit(CRD_LIST, (text) => withCrdPatches(text, after.has("crd-patches")));
  return after;
}

function changedFiles(paths: readonly string[]): TsopError {
  return new TsopError(
    "file-changed",
    `${paths.join(", ")} would be deleted with the part, but you changed ${paths.length === 1 ? "it" : "them"}.`,
    `Move your changes elsewhere, then disable the part with --force; or remove its line from ${defaultList} by hand.`,
  );
}

function requireNeeded(parts: ReadonlySet<Part>): void {
  for (const part of parts) {
    const needed = NEEDS[part];
    if (needed === undefined || parts.has(needed)) continue;
    throw new UsageError(
      "part-needed",
      `The part ${part} needs the part ${needed}, which would be missing.`,
      `Enable both (tsop edit --enable ${needed} --enable ${part}), or disable both.`,
    );
  }
}

/** The list with exactly these of the parts that tsop knows; others are the user's. */
function withComponents(text: string, parts: ReadonlySet<Part>): string {
  const known = [...PARTS.filter(isListed).map(entryOf), VERIFIED];
  const isVerified = parts.has("prometheus") && parts.has("metrics-certs");
  return withListItems(defaultList, text, "components", {
    items: [...[...parts].filter(isListed).map(entryOf), ...(isVerified ? [VERIFIED] : [])],
    isOurs: (item) => typeof item === "string" && known.includes(item),
  });
}

/** The generated list of the CRDs with the user's patches in it, or without. @throws TsopError `broken-yaml` */
function withCrdPatches(text: string, hasPatches: boolean): string {
  if (!isGenerated(text)) return text;
  const edit = hasPatches ? withListEntry : withoutListEntry;
  return edit(CRD_LIST, text, "components", CRD_PATCHES);
}

/** The generated files, by path, where the list of the CRDs names the user's patches if there are some. */
export async function listsWithPatches(
  draft: Draft,
  files: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const text = files.get(CRD_LIST);
  if (text === undefined || (await draft.read(CRD_PATCH_LIST)) === undefined) return new Map();
  return new Map([[CRD_LIST, withCrdPatches(text, true)]]);
}

/** The names in the certificate of the metrics, and the one that Prometheus expects there. */
function withCertificateNames(text: string, parts: ReadonlySet<Part>): string {
  const certificate = { kind: "Certificate", name: "metrics-certs" };
  const service = { kind: "Service", name: "controller-manager-metrics-service" };
  const into = (index: number): object[] => [
    {
      select: certificate,
      fieldPaths: [".spec.dnsNames.0", ".spec.dnsNames.1"],
      options: { delimiter: ".", index },
    },
    ...(parts.has("prometheus")
      ? [
          {
            select: { kind: "ServiceMonitor", name: "controller-manager-metrics-monitor" },
            fieldPaths: [".spec.endpoints.0.tlsConfig.serverName"],
            options: { delimiter: ".", index },
          },
        ]
      : []),
  ];
  const items = [
    { source: { ...service, fieldPath: ".metadata.name" }, targets: into(0) },
    { source: { ...service, fieldPath: ".metadata.namespace" }, targets: into(1) },
  ];
  return withListItems(defaultList, text, "replacements", {
    items: parts.has("metrics-certs") ? items : [],
    isOurs: (item) =>
      isJsonObject(item) &&
      isJsonObject(item["source"]) &&
      item["source"]["kind"] === service.kind &&
      item["source"]["name"] === service.name,
  });
}
