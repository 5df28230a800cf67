/**
 * Validation of volume sources that pods and PersistentVolumes share: disks and network file
 * systems.
 */
import {
  type FieldError,
  forbidden,
  invalidValue,
  nameErrorsAt,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../../kube/names.ts";
import { at, listAt, mapAt, numberAt, textAt } from "../../at.ts";
import { backstepErrors, csiDriverNameErrors } from "../checks.ts";

/** The owner of a volume: a pod, or a PersistentVolume. */
interface VolumeOwner {
  readonly name: string;
  readonly persistent: boolean;
}

/** Validates one source, whose path is `field`. */
export type SourceCheck = (field: string, source: unknown, owner: VolumeOwner) => FieldError[];

const SURPLUS = "may not specify more than 1 volume type";

const HOST_PATH_TYPES = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

const CACHING_MODES = ["None", "ReadOnly", "ReadWrite"];
const DISK_KINDS = ["Dedicated", "Managed", "Shared"];

const MANAGED_DISK =
  "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";

const BLOB_DISK = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
const HOSTS = "must be a host:port pair or multiple pairs separated by commas";

/** Validates that a source has the required texts. */
export const texts = (field: string, source: unknown, ...names: string[]): FieldError[] =>
  names.flatMap((name) => (textAt(source, name) === "" ? [required(`${field}.${name}`)] : []));

/** Validates a reference to a secret; that of a PersistentVolume names its namespace. */
function secretErrors(field: string, source: unknown, owner: VolumeOwner): FieldError[] {
  if (at(source, "secretRef") === undefined) return [];
  const names = owner.persistent ? ["secretRef.name", "secretRef.namespace"] : ["secretRef.name"];
  return texts(field, source, ...names);
}

const partitionErrors = (field: string, source: unknown): FieldError[] => {
  const partition = numberAt(source, "partition");
  return partition < 0 || partition > 255
    ? [invalidValue(`${field}.partition`, partition, "must be between 1 and 255, inclusive")]
    : [];
};

const lunErrors = (field: string, lun: number): FieldError[] =>
  lun < 0 || lun > 255
    ? [invalidValue(`${field}.lun`, lun, "must be between 0 and 255, inclusive")]
    : [];

const ISCSI_NAMES: readonly (readonly [prefix: string, pattern: RegExp])[] = [
  ["iqn", /iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/],
  ["eui", /^eui.[A-Za-z0-9]{16}$/],
  ["naa", /^naa.[A-Za-z0-9]{32}$/],
];

function iscsiNameErrors(field: string, name: string, owner: VolumeOwner): FieldError[] {
  const format = ISCSI_NAMES.find(([prefix]) => name.startsWith(prefix));
  if (!format) {
    const known = owner.persistent ? "" : " starting with iqn, eui, or naa";
    return [invalidValue(field, name, `must be valid format${known}`)];
  }
  return format[1].test(name) ? [] : [invalidValue(field, name, "must be valid format")];
}

function iscsiErrors(field: string, source: unknown, owner: VolumeOwner): FieldError[] {
  const portal = textAt(source, "targetPortal");
  const iqn = textAt(source, "iqn");
  const initiator = at(source, "initiatorName");
  const errors = texts(field, source, "targetPortal");
  const long =
    initiator !== undefined && `${owner.name}:${portal}`.length > 64
      ? "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified."
      : "";
  if (long !== "" && owner.persistent) {
    errors.push(invalidValue(`${field}.targetportal`, portal, long));
  }
  errors.push(
    ...(iqn === "" ? [required(`${field}.iqn`)] : iscsiNameErrors(`${field}.iqn`, iqn, owner)),
    ...lunErrors(field, numberAt(source, "lun")),
  );
  const authenticates =
    at(source, "chapAuthDiscovery") === true || at(source, "chapAuthSession") === true;
  if (authenticates && at(source, "secretRef") === undefined) {
    errors.push(required(`${field}.secretRef`));
  }
  if (owner.persistent && at(source, "secretRef") !== undefined) {
    errors.push(...texts(field, source, "secretRef.name"));
  }
  if (typeof initiator === "string") {
    errors.push(...iscsiNameErrors(`${field}.initiatorname`, initiator, owner));
  }
  return long !== "" && !owner.persistent
    ? [...errors, invalidValue(`${field.replace(/\.iscsi$/, "")}.name`, owner.name, long)]
    : errors;
}

function fibreChannelErrors(field: string, source: unknown): FieldError[] {
  const names = listAt(source, "targetWWNs");
  const ids = listAt(source, "wwids");
  const errors: FieldError[] = [];
  if (names.length === 0 && ids.length === 0) {
    const detail = "must specify either targetWWNs or wwids, but not both";
    errors.push(required(`${field}.targetWWNs`, detail));
  }
  if (names.length === 0) return errors;
  if (ids.length > 0) {
    const detail = "targetWWNs and wwids can not be specified simultaneously";
    errors.push(invalidValue(`${field}.targetWWNs`, names, detail));
  }
  return at(source, "lun") === undefined
    ? [...errors, required(`${field}.lun`, "lun is required if targetWWNs is specified")]
    : [...errors, ...lunErrors(field, numberAt(source, "lun"))];
}

function quobyteErrors(field: string, source: unknown): FieldError[] {
  const registry = textAt(source, "registry");
  const errors: FieldError[] = [];
  if (registry === "") errors.push(required(`${field}.registry`, HOSTS));
  else if (textAt(source, "tenant").length >= 65) {
    const detail = "must be a UUID and may not exceed a length of 64 characters";
    errors.push(required(`${field}.tenant`, detail));
  } else {
    for (const pair of registry.split(",")) {
      if (!/^([^:[\]]*|\[[^[\]]*\]):[^:]*$/.test(pair)) {
        errors.push(invalidValue(`${field}.registry`, registry, HOSTS));
      }
    }
  }
  return [...errors, ...texts(field, source, "volume")];
}

function flockerErrors(field: string, source: unknown): FieldError[] {
  const name = textAt(source, "datasetName");
  const uuid = textAt(source, "datasetUUID");
  const both = "datasetName and datasetUUID can not be specified simultaneously";
  return [
    ...(name === "" && uuid === ""
      ? [required(field, "one of datasetName and datasetUUID is required")]
      : []),
    ...(name !== "" && uuid !== "" ? [invalidValue(field, "resource", both)] : []),
    ...(name.includes("/")
      ? [invalidValue(`${field}.datasetName`, name, "must not contain '/'")]
      : []),
  ];
}

function flexErrors(field: string, source: unknown): FieldError[] {
  const errors = texts(field, source, "driver");
  for (const key of Object.keys(mapAt(source, "options"))) {
    const [domain = ""] = key.split("/");
    if (/\.(kubernetes|k8s)\.io$/.test(`.${domain.toLowerCase()}`)) {
      const detail = "kubernetes.io and k8s.io namespaces are reserved";
      errors.push(invalidValue(`${field}.options[${key}]`, key, detail));
    }
  }
  return errors;
}

function azureDiskErrors(field: string, source: unknown): FieldError[] {
  const errors = texts(field, source, "diskName", "diskURI");
  const uri = textAt(source, "diskURI");
  const mode = textAt(source, "cachingMode");
  const kind = textAt(source, "kind");
  if (!CACHING_MODES.includes(mode)) {
    errors.push(notSupported(`${field}.cachingMode`, mode, CACHING_MODES));
  }
  if (!DISK_KINDS.includes(kind)) errors.push(notSupported(`${field}.kind`, kind, DISK_KINDS));
  const [start, form] =
    kind === "Managed" ? ["/subscriptions/", MANAGED_DISK] : ["https://", BLOB_DISK];
  return uri.startsWith(start)
    ? errors
    : [...errors, notSupported(`${field}.diskURI`, uri, [form])];
}

function storageOsErrors(field: string, source: unknown, owner: VolumeOwner): FieldError[] {
  const name = textAt(source, "volumeName");
  const namespace = textAt(source, "volumeNamespace");
  return [
    ...(name === ""
      ? [required(`${field}.volumeName`)]
      : nameErrorsAt(`${field}.volumeName`, name, dns1123LabelErrors)),
    ...(namespace === ""
      ? []
      : nameErrorsAt(`${field}.volumeNamespace`, namespace, dns1123LabelErrors)),
    ...secretErrors(field, source, owner),
  ];
}

function glusterErrors(field: string, source: unknown, owner: VolumeOwner): FieldError[] {
  const errors = texts(field, source, "endpoints", "path");
  const namespace = at(source, "endpointsNamespace");
  if (!owner.persistent || typeof namespace !== "string") return errors;
  const detail = "if the endpointnamespace is set, it must be a valid namespace name";
  return [
    ...errors,
    ...(namespace === ""
      ? [invalidValue(`${field}.endpointsNamespace`, namespace, detail)]
      : nameErrorsAt(`${field}.endpointsNamespace`, namespace, dns1123LabelErrors)),
  ];
}

const PUBLISHING = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
];

function csiErrors(field: string, source: unknown, owner: VolumeOwner): FieldError[] {
  const errors = csiDriverNameErrors(`${field}.driver`, textAt(source, "driver"));
  if (!owner.persistent) {
    if (at(source, "nodePublishSecretRef") === undefined) return errors;
    const name = textAt(source, "nodePublishSecretRef.name");
    return [
      ...errors,
      ...(name === ""
        ? [required(`${field}.nodePublishSecretRef.name`)]
        : nameErrorsAt(`${field}.name`, name, dns1123SubdomainErrors)),
    ];
  }
  errors.push(...texts(field, source, "volumeHandle"));
  for (const part of PUBLISHING.filter((name) => at(source, name) !== undefined)) {
    const name = textAt(source, `${part}.name`);
    const namespace = textAt(source, `${part}.namespace`);
    const where = `${field}.${part}`;
    errors.push(
      ...(name === ""
        ? [required(`${where}.name`)]
        : nameErrorsAt(`${where}.name`, name, dns1123SubdomainErrors)),
      ...(namespace === ""
        ? [required(`${where}.namespace`)]
        : nameErrorsAt(`${where}.namespace`, namespace, dns1123LabelErrors)),
    );
  }
  return errors;
}

function nfsErrors(field: string, source: unknown): FieldError[] {
  const path = textAt(source, "path");
  return [
    ...texts(field, source, "server", "path"),
    ...(path.startsWith("/")
      ? []
      : [invalidValue(`${field}.path`, path, "must be an absolute path")]),
  ];
}

function hostPathErrors(field: string, source: unknown): FieldError[] {
  const path = textAt(source, "path");
  const type = textAt(source, "type");
  if (path === "") return [required(`${field}.path`)];
  return [
    ...backstepErrors(`${field}.path`, path),
    ...(HOST_PATH_TYPES.includes(type)
      ? []
      : [notSupported(`${field}.type`, type, HOST_PATH_TYPES)]),
  ];
}

function localErrors(field: string, source: unknown): FieldError[] {
  const path = textAt(source, "path");
  return path === "" ? [required(`${field}.path`)] : backstepErrors(`${field}.path`, path);
}

const listOf = (field: string, source: unknown, name: string): FieldError[] =>
  listAt(source, name).length === 0 ? [required(`${field}.${name}`)] : [];

/** The validation of disks and network file systems, by field name. */
export const DISKS: Readonly<Record<string, SourceCheck>> = {
  hostPath: hostPathErrors,
  gcePersistentDisk: (field, source) => {
    const named = field.replace(/gcePersistentDisk$/, "persistentDisk");
    return [...texts(named, source, "pdName"), ...partitionErrors(named, source)];
  },
  awsElasticBlockStore: (field, source) => [
    ...texts(field, source, "volumeID"),
    ...partitionErrors(field, source),
  ],
  nfs: nfsErrors,
  iscsi: iscsiErrors,
  glusterfs: glusterErrors,
  flocker: flockerErrors,
  rbd: (field, source) => [...listOf(field, source, "monitors"), ...texts(field, source, "image")],
  cinder: (field, source, owner) => [
    ...texts(field, source, "volumeID"),
    ...secretErrors(field, source, owner),
  ],
  cephfs: (field, source) => listOf(field, source, "monitors"),
  quobyte: quobyteErrors,
  fc: fibreChannelErrors,
  flexVolume: flexErrors,
  azureFile: (field, source, owner) => [
    ...texts(field, source, "secretName", "shareName"),
    ...(owner.persistent && at(source, "secretNamespace") === ""
      ? [required(`${field}.secretNamespace`)]
      : []),
  ],
  vsphereVolume: (field, source) => texts(field, source, "volumePath"),
  photonPersistentDisk: (field, source) => texts(field, source, "pdID"),
  portworxVolume: (field, source) => texts(field, source, "volumeID"),
  azureDisk: azureDiskErrors,
  scaleIO: (field, source) => texts(field, source, "gateway", "system", "volumeName"),
  storageos: storageOsErrors,
  local: localErrors,
  csi: csiErrors,
};

/**
 * Validates the sources of one volume: there is exactly one, and it is complete.
 *
 * @param checks - the allowed sources, in the order in which they are checked
 */
export function volumeSourceErrors(
  field: string,
  volume: object,
  checks: readonly (readonly [name: string, check: SourceCheck])[],
  owner: VolumeOwner,
): FieldError[] {
  let found = 0;
  const errors = checks.flatMap(([name, check]) => {
    const source = at(volume, name);
    if (source === undefined || source === null) return [];
    found++;
    if (found > 1 && !(owner.persistent && name === "flexVolume")) {
      return [forbidden(`${field}.${SURPLUS_NAMES[name] ?? name}`, SURPLUS)];
    }
    return check(`${field}.${name}`, source, owner);
  });
  return found === 0 ? [...errors, required(field, "must specify a volume type")] : errors;
}

/** Field names that messages about a surplus source spell otherwise. */
const SURPLUS_NAMES: Readonly<Record<string, string>> = {
  cephfs: "cephFS",
  downwardAPI: "downwarAPI",
};
