/**
 * The files of a project: CRDs, the manager's role, webhook configurations, and the kustomizations that list them.
 */
import type { JsonObject } from "../../kube/object.ts";
import { toYaml } from "../../kube/text/yaml.ts";
import type { GrantModel, WebhookModel } from "../model.ts";
import {
  CERTIFICATE_ROLES,
  CONVERSION_ROLES,
  CRD_LIST,
  CRD_REFERENCES,
  GENERATED_HEADER as HEADER,
  MANAGER_ROLES,
  USER_ROLES,
  WEBHOOK_LIST,
  WEBHOOK_SERVICE_FILE,
} from "../stamp.ts";
import {
  type CertificateMode,
  certificateRolesOf,
  conversionRolesOf,
} from "./certificate-roles.ts";
import { type VersionedKind, crdOf, crdPath } from "./crd.ts";
import { managerRoles } from "./manager-roles.ts";
import { userRolesOf } from "./user-roles.ts";
import { asksService, CRD_NAME_REFERENCES, webhookService } from "./webhook-service.ts";
import { webhookConfigurations } from "./webhooks.ts";

const WEBHOOK_FOLDER = "config/webhook/";

export interface ManifestParts {
  readonly grants: readonly GrantModel[];
  readonly kinds: readonly VersionedKind[];
  readonly webhooks: readonly WebhookModel[];
  /** The project; absent where nothing is known of it. */
  readonly project:
    | {
        readonly projectName: string;
        readonly namespaced: boolean;
        readonly certificates?: CertificateMode;
      }
    | undefined;
}

/** All generated files, by their path in the project. */
export function manifestsOf({
  grants,
  kinds,
  webhooks,
  project,
}: ManifestParts): Map<string, string> {
  const files = new Map<string, string>();
  const add = (path: string, ...documents: readonly object[]): void => {
    files.set(path, HEADER + documents.map(document).join(""));
  };
  const crds = kinds.map((kind) => ({ path: crdPath(kind), crd: crdOf(kind) }));
  for (const { path, crd } of crds) add(path, crd);
  const conversions = crds.map(({ crd }) => conversionClientOf(crd));
  if (crds.length > 0) {
    const named = conversions.some((client) => client?.["service"] !== undefined);
    if (named) add(CRD_REFERENCES, CRD_NAME_REFERENCES);
    add(
      CRD_LIST,
      kustomization(
        crds.map(({ path }) => path.replace("config/crd/", "")),
        named ? [CRD_REFERENCES.replace("config/crd/", "")] : [],
      ),
    );
  }
  const clients = [...webhooks.map(({ entry }) => entry.clientConfig), ...conversions];
  const service = project && clients.some(asksService) ? [webhookService(project.projectName)] : [];
  if (webhooks.length > 0) add("config/webhook/manifests.yaml", ...webhookConfigurations(webhooks));
  if (service.length > 0) add(WEBHOOK_SERVICE_FILE, ...service);
  const ofWebhooks = [...files.keys()].filter((path) => path.startsWith(WEBHOOK_FOLDER));
  if (ofWebhooks.length > 0) {
    const resources = ofWebhooks.map((path) => path.replace(WEBHOOK_FOLDER, ""));
    add(WEBHOOK_LIST, kustomization(resources));
  }
  const userRoles = userRolesOf(kinds);
  if (userRoles.length > 0) add(USER_ROLES, ...userRoles);
  const certificateRoles = project ? certificateRolesOf({ kinds, webhooks, project }) : [];
  if (certificateRoles.length > 0) add(CERTIFICATE_ROLES, ...certificateRoles);
  const conversionRoles = project ? conversionRolesOf({ kinds, project }) : [];
  if (conversionRoles.length > 0) add(CONVERSION_ROLES, ...conversionRoles);
  const roles = managerRoles(grants, project);
  if (roles.length > 0) add(MANAGER_ROLES, ...roles);
  return files;
}

const document = (value: object): string => `---\n${toYaml(value)}`;

/** The client configuration for conversions; `undefined` where there is none. */
function conversionClientOf(crd: JsonObject): JsonObject | undefined {
  const { spec } = crd as { spec: { conversion?: { webhook?: { clientConfig?: JsonObject } } } };
  return spec.conversion?.webhook?.clientConfig;
}

function kustomization(
  resources: readonly string[],
  configurations: readonly string[] = [],
): JsonObject {
  return {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources: [...resources],
    ...(configurations.length > 0 ? { configurations: [...configurations] } : {}),
  };
}
