import {
  CustomResource,
  ListMap,
  MaxItems,
  MaxLength,
  MinItems,
  MinLength,
  PrintColumn,
  Resource,
  type Condition,
  type Int32,
  type Int64,
  type Time,
} from "tsop";

/**
 * A host that a certificate is for; HTTP-01 cannot prove a wildcard.
 * @pattern ^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$
 */
export type Host = string;

/** The desired state of a Certificate. */
export class CertificateSpec {
  /** The Secret that gets the key and the certificate. One that something else made is left as it is. */
  @MinLength(1) @MaxLength(253) secretName!: string;
  /** The hosts that the certificate is for. */
  @MinItems(1) @MaxItems(100) dnsNames!: Host[];
}

/** The challenge that an ACME server requests at `http://<host>/.well-known/acme-challenge/<token>`. */
export class Challenge {
  host!: string;
  token!: string;
  /** What has to be there. It is no secret: the server reads it over HTTP. */
  answer!: string;
}

/** An order that is under way. */
export class Order {
  url!: string;
  /** When it was made: the older it is, the more seldom it is looked at. */
  since!: Time;
  /** The hosts that are not proven yet. */
  challenges!: Challenge[];
}

/** The observed state of a Certificate. */
export class CertificateStatus {
  /** The `metadata.generation` that this status reflects. */
  observedGeneration?: Int64;
  /** When the certificate in the Secret ends. */
  notAfter?: Time;
  /** When it will be renewed: after two thirds of its lifetime. */
  renewAt?: Time;
  /** The order that is under way. */
  order?: Order;
  /** How many orders failed since the last certificate. */
  failures?: Int32;
  /** Until then nothing is asked of the ACME server. */
  retryAt?: Time;
  /** `Ready` says whether the Secret has a valid certificate for all hosts, `Issuing` whether one is being asked for. */
  @ListMap("type") conditions?: Condition[];
}

/** A certificate of an ACME server, in a Secret, which is renewed before it ends. */
@Resource({
  group: "certs.example.com",
  version: "v1",
  plural: "certificates",
  shortNames: ["cert"],
  userRoles: "separate",
})
@PrintColumn(
  "Ready",
  (certificate: Certificate) =>
    certificate.status?.conditions?.find((c) => c.type === "Ready")?.status,
)
@PrintColumn("Secret", (certificate: Certificate) => certificate.spec.secretName)
@PrintColumn("Renewal", (certificate: Certificate) => certificate.status?.renewAt)
@PrintColumn("Age", (certificate: Certificate) => certificate.metadata.creationTimestamp)
export class Certificate extends CustomResource<CertificateSpec, CertificateStatus> {}
