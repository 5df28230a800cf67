// The public API of tsop/testing, for reviews: a change of it is seen here.
// Made from the code by `npm run make -- api`.

interface CheckConversionOptions {
  readonly folder?: string;
  readonly crd?: SentObject;
  readonly runs?: number;
  readonly seed?: number;
  readonly prepare?: (object: SentObject) => void;
  readonly lossless?: boolean;
}

interface ControlPlane extends AsyncDisposable {
  readonly url: string;
  readonly kubeconfig: string;
  readonly listens: boolean;
  readonly clock: Clock;
  readonly caCertificate: string;
  kubeconfigFor(identity: Identity): string;
  request(request: DirectRequest): DirectExchange;
  routeService(service: string, address: ServiceAddress | undefined): void;
  settle(): Promise<void>;
  compact(): void;
  dropConnections(): void;
  objects(resource: string, namespace?: string): readonly SentObject[];
  onChange(listener: (change: StoredChange) => void): () => void;
  fork(): Promise<ControlPlane>;
  stop(): Promise<void>;
}

interface ControlPlaneOptions {
  readonly port?: number;
  readonly host?: string;
  readonly listen?: boolean;
  readonly controllers?: "on" | "off" | "no-kubelet";
  readonly disableAdmissionPlugins?: readonly AdmissionPlugin[];
  readonly dataDir?: string;
  readonly nodes?: number;
  readonly podTiming?: "real" | "instant";
  readonly serviceAddresses?: Readonly<Record<string, string>>;
  readonly webhookKubeconfig?: string;
  readonly clock?: Clock;
  readonly log?: Logger;
}

interface ConversionReport {
  readonly objects: number;
  readonly kept: {
    readonly hub: readonly string[];
    readonly spoke: readonly string[];
  };
}

interface CrdManifest extends ManifestObject {
  readonly spec?: unknown;
}

interface DirectAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | ((write: (piece: string) => void) => Promise<void>);
}

interface DirectExchange {
  readonly answer: Promise<DirectAnswer>;
  leave(): void;
  cut(): void;
}

interface DirectRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly certificate?: Certificate;
}

interface EventuallyOptions {
  readonly timeoutMs?: number;
  readonly intervalMs?: number;
  readonly clock?: Clock;
}

type FaultCounts = Readonly<Record<string, number>>;

interface Faults {
  readonly refuse?: number;
  readonly reset?: number;
  readonly cut?: number;
  readonly status?: Readonly<Record<number, number>>;
  readonly delayMs?: number;
}

class FaultyTransport implements Transport {
  constructor(inner: Transport, clock: Clock, faults: Faults);
  get counts(): FaultCounts;
  set healthy(healthy: boolean);
  request(request: TransportRequest): Promise<TransportResponse>;
  upgrade(request: TransportRequest): Promise<UpgradeAnswer>;
  get server(): string;
  close(): void;
  get isQuiet(): boolean | undefined;
  get clock(): Clock | undefined;
}

class HttpsTransport implements Transport {
  constructor(config: ClusterConfig, userAgent: string, clock?: Clock);
  get server(): string;
  observeTrust(observer: TrustObserver): void;
  request(request: TransportRequest): Promise<TransportResponse>;
  upgrade(request: TransportRequest): Promise<UpgradeAnswer>;
  close(): void;
}

interface InProcessOptions {
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly userAgent?: string;
}

interface PluginOutcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface PodScript {
  remove(): Promise<void>;
}

type PodSimulation =
  | "fail"
  | `fail:${number}`
  | "slow"
  | `slow:${number}`
  | "never-ready"
  | "liveness-fails"
  | `liveness-fails:${number}`
  | "readiness-fails"
  | `readiness-fails:${number}`
  | "startup-fails"
  | "no-image"
  | "oom"
  | `oom:${number}`
  | "run"
  | `process:${string}`;

type RecordedOutcome =
  | {
      readonly is: "success";
      readonly requeueAfterMs?: number;
    }
  | {
      readonly is: "error";
      readonly message: string;
      readonly stack?: string;
    };

interface ReplayOptions {
  readonly log?: Logger;
}

interface ReplayReport {
  readonly controller: string;
  readonly key: string;
  readonly recorded: RecordedOutcome;
  readonly replayed: RecordedOutcome;
  readonly writes: readonly ReplayedWrite[];
  readonly differences: readonly string[];
  readonly unanswered: readonly string[];
  readonly notRecorded: readonly string[];
}

interface ReplayedWrite {
  readonly request: string;
  readonly recorded?: string;
  readonly replayed?: string;
  readonly isSame: boolean;
}

interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly stream?: readonly StreamStep[];
  readonly then?: "close" | "reset" | "hang";
  readonly reset?: boolean;
  readonly fails?: ConnectionFailure;
}

class ScriptedTransport implements Transport {
  readonly server = "https://scripted:6443";
  readonly seen: SeenRequest[];
  constructor(clock: Clock, replies: readonly Reply[]);
  request(request: TransportRequest): Promise<TransportResponse>;
  close(): void;
}

interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly sincePreviousMs: number | undefined;
}

interface SimulatedPods {
  readonly namespace?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

interface StoredChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly resource: string;
  readonly object: SentObject;
  readonly old?: SentObject;
}

class VirtualClock implements Clock {
  constructor(options?: {
    readonly startMs?: number;
    readonly seed?: number;
    readonly shuffle?: boolean;
  });
  now(): number;
  monotonicMs(): number;
  after(delayMs: number, run: () => void): Timer;
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  random(): number;
  seededBytes(size: number): Uint8Array;
  get pending(): number;
  advance(durationMs: number): Promise<void>;
  advanceToNext(withinMs?: number): Promise<boolean>;
}

function callPlugin(
  controlPlane: ControlPlane,
  plugin: KubectlPlugin,
  args: readonly string[],
): Promise<PluginOutcome>;

function checkConversion<Hub extends KubeObject, Spoke extends KubeObject>(
  converter: Converter<Hub, Spoke>,
  options?: CheckConversionOptions,
): Promise<ConversionReport>;

function clientFor(controlPlane: ControlPlane): Client;

function eventually<T>(check: () => T | Promise<T>, options?: EventuallyOptions): Promise<T>;

function faults(config: ClusterConfig, share: Faults, clock?: Clock): FaultyTransport;

function inProcess(controlPlane: ControlPlane, options?: InProcessOptions): Transport;

function installCrds(
  controlPlane: ControlPlane,
  ...crds: readonly (string | CrdManifest)[]
): Promise<void>;

function installOperator(controlPlane: ControlPlane, folder?: string): Promise<ClusterConfig>;

function installWebhooks(
  controlPlane: ControlPlane,
  handlers: readonly WebhookHandler[],
  folder?: string,
): Promise<WebhookServerOptions>;

function replayReconcile(
  file: string,
  setUp: (manager: Manager) => unknown,
  { log }?: ReplayOptions,
): Promise<ReplayReport>;

const silentLogger: Logger;

function simulatePods(
  controlPlane: ControlPlane,
  pods: SimulatedPods,
  simulation: PodSimulation,
): Promise<PodScript>;

function startControlPlane(options?: ControlPlaneOptions): Promise<ControlPlane>;

function withSeeds(
  count: number,
  run: (clock: VirtualClock, seed: number) => Promise<void>,
): Promise<void>;

// Named by these, and not exported.

const ADMISSION_PLUGINS: readonly [
  "AlwaysAdmit",
  "AlwaysDeny",
  "AlwaysPullImages",
  "CertificateApproval",
  "CertificateSigning",
  "CertificateSubjectRestriction",
  "ClusterTrustBundleAttest",
  "DefaultIngressClass",
  "DefaultStorageClass",
  "DefaultTolerationSeconds",
  "DenyServiceExternalIPs",
  "EventRateLimit",
  "ExtendedResourceToleration",
  "ImagePolicyWebhook",
  "LimitPodHardAntiAffinityTopology",
  "LimitRanger",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionWebhook",
  "NamespaceAutoProvision",
  "NamespaceExists",
  "NamespaceLifecycle",
  "NodeDeclaredFeatureValidator",
  "NodeRestriction",
  "OwnerReferencesPermissionEnforcement",
  "PersistentVolumeClaimResize",
  "PodGroupProtection",
  "PodNodeSelector",
  "PodResizeValidator",
  "PodSecurity",
  "PodTolerationRestriction",
  "PodTopologyLabels",
  "Priority",
  "ResourceQuota",
  "RuntimeClass",
  "ServiceAccount",
  "StorageObjectInUseProtection",
  "TaintNodesByCondition",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionWebhook",
];

type AdmissionPlugin = (typeof ADMISSION_PLUGINS)[number];

interface Certificate {
  readonly user: string;
  readonly groups: readonly string[];
}

interface ConnectionSink {
  data(bytes: Buffer): void;
  closed(error?: Error): void;
}

interface Identity {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly key?: KeyObject;
}

interface ManifestObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta & {
    name: string;
  };
}

type ServiceAddress = string | Promise<string>;

interface StreamStep {
  readonly pauseMs?: number;
  readonly raw?: string | Uint8Array;
  readonly type?: string;
  readonly object?: unknown;
}

interface TrustItem {
  readonly what: "server" | "certificate-authority" | "client-certificate" | "token";
  readonly file?: string | undefined;
  readonly address?: string;
  readonly validFromMs?: number;
  readonly validUntilMs?: number;
}

interface TrustObserver {
  used(item: TrustItem, isRenewal: boolean): void;
  unusable(reason: string | undefined): void;
}

type UpgradeAnswer = UpgradedConnection | UpgradeRefusal;

interface UpgradeRefusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

interface UpgradedConnection {
  readonly headers: Readonly<Record<string, string>>;
  open(sink: ConnectionSink): void;
  write(bytes: Uint8Array): boolean;
  drained(): Promise<void>;
  pause(): void;
  resume(): void;
  close(): void;
  readonly closed: Promise<void>;
}
