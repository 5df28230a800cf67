/**
 * Validation of volume sources that pods and PersistentVolumes share: disks and network file
 * systems.
 */
import type { SecretReference } from "../../../../generated/k8s/core-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../../kube/names.ts";
import { checkCsiDriverName, checkNoBackstep } from "../checks.ts";
import type { Volume } from "../pods/pod-shapes.ts";
import type { VolumeSpec } from "../shapes.ts";

/** The owner of a volume: a pod, or a PersistentVolume. */
interface VolumeOwner {
  /** The name of the volume. */
  readonly name: Check<string>;
  readonly persistent: boolean;
}

/** The validation of the sources of a volume, in the order in which the API server checks them. */
export type SourceChecks<V> = {
  readonly [K in keyof V]?: (source: Check<NonNullable<V[K]>>, owner: VolumeOwner) => void;
};

type Source<K extends keyof VolumeSpec> = Check<NonNullable<VolumeSpec[K]>>;

const MANAGED_DISK =
  "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";

const BLOB_DISK = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
const HOSTS = "must be a host:port pair or multiple pairs separated by commas";

const PUBLISHING_SECRETS = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
] as const;

/** Validates a reference to a secret; that of a PersistentVolume names its namespace. */
function checkSecret(secret: Check<SecretReference>, { persistent }: VolumeOwner): void {
  secret.at("name").given();
  if (persistent) secret.at("namespace").given();
}

/** @param least - the least number in the message; 0 is valid in any case, as if it were absent */
function checkByte(number: Check<number | undefined>, least = 0): void {
  const { value = 0 } = number;
  if (value < 0 || value > 255) number.invalid(`must be between ${least} and 255, inclusive`);
}

const ISCSI_NAMES: readonly (readonly [prefix: string, pattern: RegExp])[] = [
  ["iqn", /iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/],
  ["eui", /^eui.[A-Za-z0-9]{16}$/],
  ["naa", /^naa.[A-Za-z0-9]{32}$/],
];

function checkIscsiName(name: Check<string>, { persistent }: VolumeOwner): void {
  const format = ISCSI_NAMES.find(([prefix]) => name.value.startsWith(prefix));
  if (!format) {
    name.invalid(`must be valid format${persistent ? "" : " starting with iqn, eui, or naa"}`);
  } else if (!format[1].test(name.value)) name.invalid("must be valid format");
}

function checkIscsi(iscsi: Source<"iscsi">, owner: VolumeOwner): void {
  const { targetPortal, initiatorName, chapAuthDiscovery, chapAuthSession } = iscsi.value;
  const secret = iscsi.at("secretRef");
  iscsi.at("targetPortal").given();
  const isLong = initiatorName !== undefined && `${owner.name.value}:${targetPortal}`.length > 64;
  const long =
    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
  if (isLong && owner.persistent) iscsi.child("targetportal", targetPortal).invalid(long);
  if (iscsi.at("iqn").given()) checkIscsiName(iscsi.at("iqn"), owner);
  checkByte(iscsi.at("lun"));
  const authenticates = chapAuthDiscovery === true || chapAuthSession === true;
  if (authenticates && !secret.value) secret.required();
  if (owner.persistent && secret.value) secret.at("name").given();
  if (initiatorName !== undefined) {
    checkIscsiName(iscsi.child("initiatorname", initiatorName), owner);
  }
  if (isLong && !owner.persistent) owner.name.invalid(long);
}

function checkFibreChannel(channel: Source<"fc">): void {
  const names = channel.at("targetWWNs");
  const { targetWWNs = [], wwids = [], lun } = channel.value;
  if (targetWWNs.length === 0) {
    if (wwids.length === 0) {
      names.required("must specify either targetWWNs or wwids, but not both");
    }
    return;
  }
  if (wwids.length > 0) {
    names.invalid("targetWWNs and wwids can not be specified simultaneously");
  }
  if (lun !== undefined) checkByte(channel.at("lun"));
  else channel.at("lun").required("lun is required if targetWWNs is specified");
}

function checkQuobyte(quobyte: Source<"quobyte">): void {
  const registry = quobyte.at("registry");
  if (registry.given(HOSTS)) {
    if ((quobyte.value.tenant ?? "").length >= 65) {
      quobyte.at("tenant").required("must be a UUID and may not exceed a length of 64 characters");
    } else {
      for (const pair of registry.value.split(",")) {
        if (!/^([^:[\]]*|\[[^[\]]*\]):[^:]*$/.test(pair)) registry.invalid(HOSTS);
      }
    }
  }
  quobyte.at("volume").given();
}

function checkFlocker(flocker: Source<"flocker">): void {
  const { datasetName = "", datasetUUID = "" } = flocker.value;
  if (datasetName === "" && datasetUUID === "") {
    flocker.required("one of datasetName and datasetUUID is required");
  }
  if (datasetName !== "" && datasetUUID !== "") {
    flocker.invalid("datasetName and datasetUUID can not be specified simultaneously", "resource");
  }
  if (datasetName.includes("/")) flocker.at("datasetName").invalid("must not contain '/'");
}

function checkFlex(flex: Source<"flexVolume">): void {
  flex.at("driver").given();
  flex.at("options").eachEntry((option, key) => {
    const [domain = ""] = key.split("/");
    if (/\.(kubernetes|k8s)\.io$/.test(`.${domain.toLowerCase()}`)) {
      option.invalid("kubernetes.io and k8s.io namespaces are reserved", key);
    }
  });
}

function checkAzureDisk(disk: Source<"azureDisk">): void {
  const uri = disk.at("diskURI");
  disk.at("diskName").given();
  uri.given();
  disk.at("cachingMode").oneOf(["None", "ReadOnly", "ReadWrite"]);
  disk.at("kind").oneOf(["Dedicated", "Managed", "Shared"]);
  const [start, form] =
    disk.value.kind === "Managed" ? ["/subscriptions/", MANAGED_DISK] : ["https://", BLOB_DISK];
  if (!uri.value.startsWith(start)) uri.notSupported([form]);
}

function checkStorageOs(volume: Source<"storageos">, owner: VolumeOwner): void {
  volume.at("volumeName").givenName(dns1123LabelErrors);
  volume.at("volumeNamespace").nameIfGiven(dns1123LabelErrors);
  volume.at("secretRef").ifSet((secret) => checkSecret(secret, owner));
}

function checkGluster(gluster: Source<"glusterfs">, { persistent }: VolumeOwner): void {
  gluster.at("endpoints").given();
  gluster.at("path").given();
  if (!persistent) return;
  gluster.at("endpointsNamespace").ifSet((namespace) => {
    if (namespace.value !== "") namespace.named(dns1123LabelErrors);
    else {
      namespace.invalid("if the endpointnamespace is set, it must be a valid namespace name");
    }
  });
}

/** Validates a CSI volume that a pod declares. */
export function checkInlineCsi(csi: Check<NonNullable<Volume["csi"]>>): void {
  checkCsiDriverName(csi.at("driver"));
  csi.at("nodePublishSecretRef").ifSet((secret) => {
    const name = secret.at("name");
    if (name.given()) csi.child("name", name.value).named(dns1123SubdomainErrors);
  });
}

/** Validates the CSI volume of a PersistentVolume. */
export function checkCsi(csi: Source<"csi">): void {
  checkCsiDriverName(csi.at("driver"));
  csi.at("volumeHandle").given();
  for (const part of PUBLISHING_SECRETS) {
    csi.at(part).ifSet((secret) => {
      secret.at("name").givenName(dns1123SubdomainErrors);
      secret.at("namespace").givenName(dns1123LabelErrors);
    });
  }
}

function checkNfs(nfs: Source<"nfs">): void {
  const path = nfs.at("path");
  nfs.at("server").given();
  path.given();
  if (!path.value.startsWith("/")) path.invalid("must be an absolute path");
}

function checkHostPath(hostPath: Source<"hostPath">): void {
  const path = hostPath.at("path");
  if (!path.given()) return;
  checkNoBackstep(path);
  hostPath
    .at("type")
    .oneOf([
      "",
      "BlockDevice",
      "CharDevice",
      "Directory",
      "DirectoryOrCreate",
      "File",
      "FileOrCreate",
      "Socket",
    ]);
}

/** Validates that the fields are there. */
const requires =
  <T>(...fields: (keyof NonNullable<T> & string)[]) =>
  (source: Check<T>): void => {
    for (const field of fields) source.at(field).given();
  };

/** The validation of disks and network file systems, in the order of PersistentVolumes. */
export const DISKS = {
  hostPath: checkHostPath,
  gcePersistentDisk: (disk) => {
    disk.at("pdName").given();
    checkByte(disk.at("partition"), 1);
  },
  awsElasticBlockStore: (disk) => {
    disk.at("volumeID").given();
    checkByte(disk.at("partition"), 1);
  },
  glusterfs: checkGluster,
  flocker: checkFlocker,
  nfs: checkNfs,
  rbd: requires("monitors", "image"),
  quobyte: checkQuobyte,
  cephfs: requires("monitors"),
  iscsi: checkIscsi,
  cinder: (cinder, owner) => {
    cinder.at("volumeID").given();
    cinder.at("secretRef").ifSet((secret) => checkSecret(secret, owner));
  },
  fc: checkFibreChannel,
  flexVolume: checkFlex,
  azureFile: (file, { persistent }) => {
    file.at("secretName").given();
    file.at("shareName").given();
    if (persistent && file.value.secretNamespace === "") file.at("secretNamespace").required();
  },
  vsphereVolume: requires("volumePath"),
  photonPersistentDisk: requires("pdID"),
  portworxVolume: requires("volumeID"),
  azureDisk: checkAzureDisk,
  scaleIO: requires("gateway", "system", "volumeName"),
  local: (local) => {
    if (local.at("path").given()) checkNoBackstep(local.at("path"));
  },
  storageos: checkStorageOs,
} satisfies SourceChecks<VolumeSpec>;

/** Field names that messages spell otherwise. */
const SHOWN: Readonly<Record<string, string>> = { gcePersistentDisk: "persistentDisk" };
const SHOWN_SURPLUS: Readonly<Record<string, string>> = {
  cephfs: "cephFS",
  downwardAPI: "downwarAPI",
};

/** Validates the sources of one volume: there is exactly one, and it is complete. */
export function checkSources<V extends object>(
  volume: Check<V>,
  checks: SourceChecks<V>,
  owner: VolumeOwner,
  afterSource?: (name: string) => void,
): void {
  let found = 0;
  const checkSource = <K extends keyof V & string>(name: K, source: V[K]): void => {
    if (source === undefined || source === null) return;
    found++;
    if (found > 1 && !(owner.persistent && name === "flexVolume")) {
      const surplus = volume.child(SHOWN_SURPLUS[name] ?? name, source);
      surplus.forbidden("may not specify more than 1 volume type");
    } else checks[name]?.(volume.child(SHOWN[name] ?? name, source), owner);
    afterSource?.(name);
  };
  for (const name of Object.keys(checks) as (keyof V & string)[]) {
    checkSource(name, volume.value[name]);
  }
  if (found === 0) volume.required("must specify a volume type");
}
