/**
 * The fields that an endpoint ignores, and that nobody therefore comes to own by writing to it.
 *
 * @module
 */
import { FieldSet } from "./field-set.ts";

/** Which endpoint of which resource. */
interface Endpoint {
  readonly group: string;
  readonly plural: string;
  readonly builtIn: boolean;
  /** The names of the resource's subresources. */
  readonly subresources: readonly { readonly name: string }[];
}

const fields = (...paths: string[]): FieldSet =>
  FieldSet.of(...paths.map((path) => path.split(".").map((name) => `f:${name}`)));

const NOTHING = new FieldSet();
const STATUS = fields("status");
const SPEC = fields("spec");
const SPEC_AND_METADATA = fields("spec", "metadata");

/** What `/status` ignores where that is not just the spec. */
const STATUS_ENDPOINTS: Readonly<Record<string, FieldSet>> = {
  "apps/deployments": fields("spec", "metadata.labels"),
  "/pods": fields("spec", "metadata.deletionTimestamp", "metadata.ownerReferences"),
  "certificates.k8s.io/certificatesigningrequests": fields("spec", "status.conditions"),
  "networking.k8s.io/servicecidrs": SPEC_AND_METADATA,
  "storage.k8s.io/volumeattachments": SPEC_AND_METADATA,
  "storagemigration.k8s.io/storageversionmigrations": SPEC_AND_METADATA,
  "internal.apiserver.k8s.io/storageversions": SPEC_AND_METADATA,
  "flowcontrol.apiserver.k8s.io/flowschemas": SPEC_AND_METADATA,
  "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations": SPEC_AND_METADATA,
  "resource.k8s.io/resourceclaims": SPEC_AND_METADATA,
  "resource.k8s.io/devicetaintrules": SPEC_AND_METADATA,
  "admissionregistration.k8s.io/validatingadmissionpolicies": SPEC_AND_METADATA,
  "apiregistration.k8s.io/apiservices": SPEC_AND_METADATA,
  "scheduling.k8s.io/podgroups": SPEC_AND_METADATA,
};

const SIGNING_REQUESTS = "certificates.k8s.io/certificatesigningrequests";

/** The fields that a write to the endpoint leaves as they are. */
export function resetFields(endpoint: Endpoint, subresource: string): FieldSet {
  const resource = `${endpoint.group}/${endpoint.plural}`;
  switch (subresource) {
    case "":
      if (resource === SIGNING_REQUESTS) return fields("spec", "status");
      return endpoint.subresources.some(({ name }) => name === "status") ? STATUS : NOTHING;
    case "status":
      if (!endpoint.builtIn) return SPEC_AND_METADATA;
      return STATUS_ENDPOINTS[resource] ?? SPEC;
    case "approval":
      return resource === SIGNING_REQUESTS ? fields("spec", "status.certificate") : NOTHING;
    case "finalize":
      return STATUS;
    default:
      return NOTHING;
  }
}
