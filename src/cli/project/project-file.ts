/**
 * `PROJECT`: the user's choices, for later commands.
 *
 * It is read into plain data and edited in single lines, so comments, order and layout of the user
 * stay. Facts that can be derived from the code are not in it.
 */
import { join } from "node:path";
import { TsopError, UsageError } from "../../errors.ts";
import { dns1123SubdomainErrors } from "../../kube/names.ts";
import { readIfThere } from "./plan.ts";
import { PROJECT_FILE, projectRootOf } from "./project-root.ts";
import { broken, refuseNames } from "./project-names.ts";
import { parseUserYaml } from "./yaml/user-yaml.ts";
import type { YamlDocument } from "./yaml/yaml-documents.ts";
import { YamlText } from "./yaml/yaml-text.ts";
import { present } from "../../present.ts";

/** The form of the file that this tsop writes. */
const LAYOUT = "tsop/v1";

/** The source of the webhook server's certificate: see `docs/certificates.md`. */
export type CertificateMode = "self-managed" | "cert-manager" | "secret";

/** The modes, the usual one first. */
const CERTIFICATE_MODES: readonly CertificateMode[] = ["self-managed", "cert-manager", "secret"];

/**
 * The `storage` option of each changed version of a kind before the change: `unset` where it had
 * none.
 */
export type StorageBefore = Readonly<Record<string, "true" | "false" | "unset">>;

/** The webhooks of a version of a kind. */
export interface ProjectWebhooks {
  readonly defaulting?: boolean;
  readonly validation?: boolean;
  /** The version is the hub of `spokes`. */
  readonly conversion?: boolean;
  readonly spokes?: readonly string[];
  /** The storage options that the conversion changed, for the day when it is deleted. */
  readonly storageBefore?: StorageBefore;
}

/** One version of one kind of the project. */
export interface ProjectResource {
  /** The group without the domain; empty when the domain alone is the API group. */
  readonly group: string;
  /**
   * The end of the group, where that is not the project's domain; empty when `group` is the whole
   * group.
   */
  readonly domain?: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly controller: boolean;
  /** False for a kind that was scaffolded with `--no-resource`: its type is someone else's. */
  readonly api: boolean;
  /** The CRD is somebody else's. */
  readonly external?: true;
  /** A kind of Kubernetes itself. */
  readonly core?: true;
  readonly webhooks?: ProjectWebhooks;
  /** The scaffolded files, each with the digest of what was written: others are the user's. */
  readonly files?: Readonly<Record<string, string>>;
  /**
   * The storage options that the new version changed in the others, for the day when it is deleted.
   */
  readonly storageBefore?: StorageBefore;
}

/** A plugin of kubectl in the project. */
export interface ProjectPlugin {
  /** Its name after `kubectl`. */
  readonly name: string;
  /** The scaffolded files, each with the digest of what was written. */
  readonly files: Readonly<Record<string, string>>;
}

/** A project as its `PROJECT` file says. */
export interface Project {
  /** The folder that holds the file. */
  readonly root: string;
  readonly text: string;
  readonly projectName: string;
  readonly domain: string;
  /** The operator watches its own namespace only. */
  readonly namespaced: boolean;
  /** The role is what markers say; absent where it is what the code does, and what markers add. */
  readonly rbac?: "markers";
  /** The certificate mode; absent before the first webhook. */
  readonly certificates?: CertificateMode;
  readonly resources: readonly ProjectResource[];
  readonly plugins: readonly ProjectPlugin[];
}

/**
 * The project of `folder` or of the nearest folder above it.
 *
 * @throws UsageError `no-project` outside a project; TsopError `broken-project-file`, `foreign-project`
 */
export async function getProject(folder: string): Promise<Project> {
  const project = await findProject(folder);
  if (project) return project;
  throw new UsageError(
    "no-project",
    `There is no ${PROJECT_FILE} file in ${folder} or a folder above it.`,
    "Change to the project's folder, or start one: `tsop init --domain example.com`.",
  );
}

/** The project of `folder` or of the nearest folder above it, if there is one. @throws TsopError `broken-project-file`, `foreign-project` */
export async function findProject(folder: string): Promise<Project | undefined> {
  const root = projectRootOf(folder);
  const text = root === undefined ? undefined : await readIfThere(join(root, PROJECT_FILE));
  return root === undefined || text === undefined ? undefined : parseProject(root, text);
}

/** Reads the text of a `PROJECT` file. */
export function parseProject(root: string, text: string): Project {
  const document = projectDocument(root, text);
  const { value: data } = document;
  if (!isRecord(data)) throw broken(root, "it is not a mapping", "Restore it from version control");
  checkLayout(root, data["layout"]);
  const projectName = data["projectName"];
  const domain = data["domain"];
  if (typeof projectName !== "string" || typeof domain !== "string") {
    throw broken(root, "`projectName` and `domain` must be strings", "Add them");
  }
  refuseNames(root, document, data);
  const [problem] = domain === "" ? [] : dns1123SubdomainErrors(domain);
  if (problem !== undefined) {
    throw broken(
      root,
      `the domain ${JSON.stringify(domain)} cannot end an API group: ${problem}`,
      "Write one such as example.com",
      document.placeOf(["domain"]),
    );
  }
  const certificates = data["certificates"];
  if (certificates !== undefined && !isMode(certificates)) {
    throw broken(
      root,
      `\`certificates\` is not one of ${CERTIFICATE_MODES.join(", ")}`,
      "Change it",
    );
  }
  const rbac = data["rbac"];
  if (rbac !== undefined && rbac !== "markers") {
    throw broken(
      root,
      `\`rbac\` is ${JSON.stringify(rbac)}, and the only value is markers`,
      "Write `rbac: markers` to have the role written from @Rbac markers only, or remove the line to have it read from the code",
      document.placeOf(["rbac"]),
    );
  }
  const list = (key: "resources" | "plugins"): readonly unknown[] => {
    const listed = data[key] ?? [];
    if (Array.isArray(listed)) return listed;
    throw broken(root, `\`${key}\` is not a list`, "Make it one");
  };
  return {
    root,
    text,
    projectName,
    domain,
    namespaced: data["namespaced"] === true,
    ...present({ rbac, certificates }),
    resources: list("resources").map((entry, index) => readResource(root, entry, index)),
    plugins: list("plugins").map((entry, index) => readPlugin(root, entry, index)),
  };
}

/** The text of the file with `resource` added, or brought up to date if it is there. */
export function withResource(project: Project, resource: ProjectResource): string {
  const yaml = editable(project);
  const index = project.resources.findIndex((known) => isSameResource(known, resource));
  if (index === -1) {
    const { group, domain, version, kind, plural } = resource;
    const names = { ...(group !== "" && { group }), ...present({ domain }) };
    yaml.add(["resources"], { ...names, version, kind, plural, ...settingsOf(resource) });
    return yaml.text;
  }
  const settings = settingsOf(resource);
  for (const key of SETTINGS) {
    const value = settings[key];
    if (value === undefined) yaml.remove(["resources", index, key]);
    else yaml.set(["resources", index, key], value);
  }
  return yaml.text;
}

/** The text of the file without that version of that kind. */
export function withoutResource(project: Project, resource: ProjectResource): string {
  const yaml = editable(project);
  const index = project.resources.findIndex((known) => isSameResource(known, resource));
  if (index !== -1) yaml.removeAt(["resources"], index);
  return yaml.text;
}

/** The text of the file with `plugin` added, or brought up to date if it is there. */
export function withPlugin(project: Project, plugin: ProjectPlugin): string {
  const yaml = editable(project);
  const index = project.plugins.findIndex(({ name }) => name === plugin.name);
  if (index === -1) yaml.add(["plugins"], plugin);
  else yaml.set(["plugins", index, "files"], plugin.files);
  return yaml.text;
}

/** The text of the file without that plugin. */
export function withoutPlugin(project: Project, plugin: ProjectPlugin): string {
  const yaml = editable(project);
  const index = project.plugins.findIndex(({ name }) => name === plugin.name);
  if (index !== -1) yaml.removeAt(["plugins"], index);
  return yaml.text;
}

/** The settings of a kind that can change. */
const SETTINGS = [
  "api",
  "controller",
  "external",
  "core",
  "webhooks",
  "files",
  "storageBefore",
] as const;

function settingsOf(
  resource: ProjectResource,
): Partial<Record<(typeof SETTINGS)[number], unknown>> {
  const { api, controller, external, core, webhooks, files, storageBefore } = resource;
  return {
    api,
    controller,
    ...(external && { external }),
    ...(core && { core }),
    ...(webhooks && { webhooks }),
    ...(files && Object.keys(files).length > 0 && { files }),
    ...(storageBefore && { storageBefore }),
  };
}

/** The text of the file with that certificate mode, or with none. */
export function withCertificates(
  root: string,
  text: string,
  mode: CertificateMode | undefined,
): string {
  const yaml = editable({ root, text });
  if (mode === undefined) yaml.remove(["certificates"]);
  else yaml.set(["certificates"], mode);
  return yaml.text;
}

/** Whether both are versions of the same kind. */
export function isSameKind(
  one: Pick<ProjectResource, "group" | "domain" | "kind">,
  other: Pick<ProjectResource, "group" | "domain" | "kind">,
): boolean {
  return one.group === other.group && one.domain === other.domain && one.kind === other.kind;
}

/** Whether both are the same version of the same kind. */
export function isSameResource(
  one: Pick<ProjectResource, "group" | "domain" | "version" | "kind">,
  other: Pick<ProjectResource, "group" | "domain" | "version" | "kind">,
): boolean {
  return isSameKind(one, other) && one.version === other.version;
}

/** The API group of a kind: `group.domain`. */
export function apiGroupOf(
  project: Pick<Project, "domain">,
  { group, domain = project.domain }: Pick<ProjectResource, "group" | "domain">,
): string {
  return [group, domain].filter((part) => part !== "").join(".");
}

const editable = ({ root, text }: Pick<Project, "root" | "text">): YamlText =>
  new YamlText(text, (now) => projectDocument(root, now));

function projectDocument(root: string, text: string): YamlDocument {
  return parseUserYaml(join(root, PROJECT_FILE), text, "broken-project-file");
}

/** kubebuilder's own files and those of a later tsop say something that this one cannot know. */
function checkLayout(root: string, layout: unknown): void {
  if (layout === undefined || layout === LAYOUT) return;
  const said = typeof layout === "string" ? layout : JSON.stringify(layout);
  throw new TsopError(
    "unknown-layout",
    `${join(root, PROJECT_FILE)} has the layout ${said}, and this tsop knows ${LAYOUT} only.`,
    /^tsop\//.test(said)
      ? "Update tsop: `npm install tsop@latest`."
      : "The project belongs to another tool. Start a tsop project in another folder: `tsop init --domain example.com`.",
  );
}

function readResource(root: string, entry: unknown, index: number): ProjectResource {
  if (!isRecord(entry)) {
    throw broken(root, `resources[${index}] is not a mapping`, "Remove or repair it");
  }
  const text = (key: string, missing?: string): string => {
    const value = entry[key] ?? missing;
    if (typeof value === "string") return value;
    throw broken(root, `resources[${index}].${key} must be a string`, "Add it");
  };
  return {
    group: text("group", ""),
    version: text("version"),
    kind: text("kind"),
    plural: text("plural"),
    api: entry["api"] !== false,
    controller: entry["controller"] === true,
    ...(entry["domain"] === undefined ? {} : { domain: text("domain") }),
    ...(entry["external"] === true ? { external: true } : {}),
    ...(entry["core"] === true ? { core: true } : {}),
    ...(entry["webhooks"] === undefined
      ? {}
      : { webhooks: readWebhooks(root, entry["webhooks"], `resources[${index}].webhooks`) }),
    ...(entry["files"] === undefined
      ? {}
      : { files: readTexts(root, entry["files"], `resources[${index}].files`) }),
    ...readStorage(root, entry["storageBefore"], `resources[${index}].storageBefore`),
  };
}

function readPlugin(root: string, entry: unknown, index: number): ProjectPlugin {
  if (!isRecord(entry) || typeof entry["name"] !== "string") {
    throw broken(root, `plugins[${index}] has no name`, "Remove or repair it");
  }
  return {
    name: entry["name"],
    files: readTexts(root, entry["files"] ?? {}, `plugins[${index}].files`),
  };
}

function readTexts(root: string, said: unknown, where: string): Record<string, string> {
  if (isRecord(said) && isTexts(Object.values(said))) return said as Record<string, string>;
  throw broken(root, `${where} is not a mapping of strings`, "Fix it, or remove it");
}

function readStorage(
  root: string,
  said: unknown,
  where: string,
): { readonly storageBefore?: StorageBefore } {
  if (said === undefined) return {};
  const isSetting = (value: unknown): boolean => /^(true|false|unset)$/.test(String(value));
  if (!isRecord(said) || !Object.values(said).every(isSetting)) {
    throw broken(root, `${where} is not true, false, or unset`, "Change it");
  }
  const entries = Object.entries(said).map(([version, value]) => [version, String(value)]);
  return { storageBefore: Object.fromEntries(entries) as StorageBefore };
}

function readWebhooks(root: string, said: unknown, where: string): ProjectWebhooks {
  if (!isRecord(said)) throw broken(root, `${where} is not a mapping`, "Make it one");
  const flag = (name: "defaulting" | "validation" | "conversion"): ProjectWebhooks => {
    const value = said[name];
    if (value === undefined) return {};
    if (typeof value !== "boolean") {
      throw broken(root, `${where}.${name} is neither true nor false`, "Change it");
    }
    return { [name]: value };
  };
  const { spokes } = said;
  if (spokes !== undefined && !isTexts(spokes)) {
    throw broken(root, `${where}.spokes is not a list of versions`, "Make it one");
  }
  return {
    ...flag("defaulting"),
    ...flag("validation"),
    ...flag("conversion"),
    ...present({ spokes }),
    ...readStorage(root, said["storageBefore"], `${where}.storageBefore`),
  };
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

const isMode = (value: unknown): value is CertificateMode =>
  CERTIFICATE_MODES.some((mode) => mode === value);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
