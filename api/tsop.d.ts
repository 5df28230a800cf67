// The public API of tsop, for reviews: a change of it is seen here.
// Made from the code by `npm run make -- api`.

const AcceptNumber: Marker<() => TextMarker>;

interface Activity {
  readonly busy: readonly string[];
  readonly waiting: readonly WaitingKey[];
  readonly queue?: QueueState;
}

const AddSchema: Marker<(values_0: Schema) => FieldOrClassMarker<unknown>>;

interface AddedWatch {
  readonly synced: Promise<void>;
  remove(): void;
}

interface AdmissionAnswer {
  readonly allowed: boolean;
  readonly message?: string;
  readonly code?: number;
  readonly object?: SentObject;
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

interface AdmissionHandler<T extends KubeObject = KubeObject> {
  handle(review: Review<T>): AdmissionAnswer | Promise<AdmissionAnswer>;
}

type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

interface AdmissionRequest<T extends KubeObject = KubeObject> {
  readonly uid: string;
  readonly operation: AdmissionOperation;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subResource?: string;
  readonly requestKind?: GroupVersionKind;
  readonly requestResource?: GroupVersionResource;
  readonly requestSubResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly userInfo: UserInfo;
  readonly object?: Sent<T>;
  readonly oldObject?: T;
  readonly dryRun: boolean;
  readonly options?: JsonObject;
}

interface AnyIntent extends Typed {
  metadata: IntentMeta;
}

interface ApiWarning {
  readonly code: number;
  readonly agent: string;
  readonly text: string;
  readonly method: string;
  readonly path: string;
}

interface ApplyOptions extends ApplyStatusOptions {
  readonly owner?: KubeObject | undefined;
}

interface ApplyStatusOptions extends WriteOptions {
  readonly force?: boolean | undefined;
}

const AtLeastOneOf: Marker<<const K extends string>(...fields: K[]) => FieldsMarker<K>>;

const AtMostOneOf: Marker<<const K extends string>(...fields: K[]) => FieldsMarker<K>>;

const Atomic: Marker<() => ObjectMarker>;

type Base64 = string;

class BucketRateLimiter implements RateLimiter {
  constructor(clock: Clock, qps?: number, burst?: number);
  when(): number;
  allow(): boolean;
  forget(): void;
  retries(): number;
}

interface Cache {
  setNamespaces(namespaces: readonly string[] | undefined): void;
  setLabelSelector(token: ReadToken, selector: string | undefined): void;
  remove(token: ReadToken): void;
  synced(): Promise<void>;
  addIndex<T extends KubeObject>(token: ReadToken<T>, name: string, values: IndexFunction<T>): void;
  health(): InformerHealth[];
  stats(): InformerStats[];
}

interface CacheOptions {
  readonly namespaces?: readonly string[];
  readonly kinds?: readonly KindCache[];
  readonly reads?: UnwatchedReads;
  readonly resyncMs?: number;
  readonly watchList?: boolean;
}

type CauseType = "event" | "timer" | "retry" | "requeue" | "other";

const Cel: Marker<(rule: string, options?: CelOptions) => FieldOrClassMarker<unknown>>;

interface CelOptions {
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?:
    | "FieldValueInvalid"
    | "FieldValueForbidden"
    | "FieldValueRequired"
    | "FieldValueDuplicate";
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

type ClassMarker<T> = <C extends abstract new (...args: never[]) => T>(
  target: C,
  context?: ClassDecoratorContext<C>,
) => void;

interface CleanupContext extends ReconcileContext {
  readonly deletedAtMs: number;
  readonly deadlineMs: number;
}

interface Client extends Reader {
  readonly status: StatusClient;
  readonly pods: PodClient;
  readonly live: Client;
  create<T extends SentObject>(
    token: Token<T>,
    object: NewObject<T>,
    options?: WriteOptions,
  ): Promise<T>;
  update<T extends KubeObject>(
    token: Token<T>,
    object: NoInfer<T> & Whole,
    options?: WriteOptions,
  ): Promise<T>;
  patch<T extends KubeObject>(
    token: ReadToken<T>,
    key: ObjectKey,
    patch: Patch,
    options?: PatchOptions,
  ): Promise<T>;
  apply<T extends KubeObject>(
    token: Token<T>,
    intent: Intent<T>,
    options?: ApplyOptions,
  ): Promise<T>;
  delete(token: ReadToken, key: ObjectKey, options?: DeleteOptions): Promise<void>;
  deleteAllOf(token: ReadToken, options?: Selection & DeleteOptions): Promise<void>;
  watch<T extends KubeObject>(
    token: ReadToken<T>,
    options?: Selection & {
      readonly resourceVersion?: string | undefined;
    },
  ): Promise<WatchStream<T>>;
  subresource(name: string): SubresourceClient;
  dynamic(apiVersion: string, kind: string, plural?: string): Promise<ResourceType>;
  raw(request: RawRequest): Promise<RawAnswer>;
}

interface ClientCertificates {
  readonly caFile: string;
  readonly names?: readonly string[];
}

type ClientMiddleware = (request: RestRequest, next: SendRequest) => Promise<unknown>;

interface Clock {
  now(): number;
  monotonicMs(): number;
  after(
    delayMs: number,
    run: () => void,
    options?: {
      readonly unref?: boolean;
    },
  ): Timer;
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  random(): number;
  seededBytes?(size: number): Uint8Array;
}

interface Cluster {
  readonly name: string;
  readonly client: Client;
  readonly cache: Cache;
}

interface ClusterConfig {
  readonly server: string;
  readonly ca?: string;
  readonly caFile?: string;
  readonly serverName?: string;
  readonly skipTlsVerify?: boolean;
  readonly proxy?: string;
  readonly credentials: CredentialSource;
  readonly namespace: string;
  readonly inCluster?: boolean;
  readonly impersonate?: Impersonation;
  readonly answerTimeoutMs?: number;
  readonly source?: ConfigSource;
  readonly connect?: (config: ClusterConfig, userAgent: string) => Transport;
}

interface ClusterConfigOptions {
  readonly kubeconfig?: string;
  readonly kubeconfigText?: string;
  readonly context?: string;
  readonly clock?: Clock;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly serviceAccountFolder?: string;
  readonly answerTimeoutMs?: number;
  readonly onWarning?: (message: string) => void;
}

interface ClusterOptions {
  readonly name: string;
  readonly config: ClusterConfig;
  readonly fieldManager?: string;
  readonly cache?: CacheOptions;
  readonly transport?: Transport;
}

interface ColumnOptions {
  readonly type?: "integer" | "number" | "string" | "boolean" | "date";
  readonly format?:
    | "int32"
    | "int64"
    | "float"
    | "double"
    | "byte"
    | "date"
    | "date-time"
    | "password";
  readonly description?: string;
  readonly priority?: number;
  readonly unchecked?: boolean;
}

interface Condition {
  lastTransitionTime: Time;
  message: string;
  observedGeneration?: Int64;
  reason: string;
  status: "True" | "False" | "Unknown";
  type: string;
}

type ConditionChange = Omit<StatusCondition, "lastTransitionTime">;

interface ConditionChanges {
  readonly true: (reason: string, message: string) => ConditionChange;
  readonly false: (reason: string, message: string) => ConditionChange;
  readonly unknown: (reason: string, message: string) => ConditionChange;
}

class ConnectionError extends TsopError {
  readonly name = "ConnectionError";
  readonly failure: ConnectionFailure;
  readonly reusedConnection: boolean;
  constructor(
    failure: ConnectionFailure,
    server: string,
    detail: string,
    options?: ErrorOptions & {
      readonly reusedConnection?: boolean;
      readonly subject?: "server" | "connection" | "answer";
      readonly fix?: string;
    },
  );
}

type ConnectionFailure =
  | "refused"
  | "reset"
  | "timeout"
  | "unknown-host"
  | "tls"
  | "answer"
  | "other";

type Content<T extends KubeObject> = Omit<T, "apiVersion" | "kind" | "metadata">;

class Controller {
  readonly name: string;
  readonly needLeaderElection: boolean;
  activity(): Activity;
  enqueue(key: ObjectKey, hint?: EnqueueHint): void;
  watch<T extends KubeObject>(
    token: ReadToken<T>,
    options: WatchReaction<T> & WatchOptions<T>,
  ): AddedWatch;
  start(signal: AbortSignal): Promise<void>;
  replay({ key, ...begin }: ReplayStart): Promise<void>;
}

class ControllerBuilder<K extends KubeObject = KubeObject> {
  for<T extends KubeObject>(token: ReadToken<T>, options?: WatchOptions<T>): ControllerBuilder<T>;
  owns<T extends KubeObject>(token: ReadToken<T>, options?: OwnsOptions<T>): this;
  dependents<const Kinds extends readonly ReadToken[]>(
    options: DependentsOptions<K, Kinds>,
  ): Dependents<K, Kinds>;
  watches<T extends KubeObject>(
    token: ReadToken<T>,
    options: WatchReaction<T> & WatchOptions<T> & WatchPlace,
  ): this;
  watchesSource(source: Source): this;
  named(name: string): this;
  withEventFilter(predicate: Predicate): this;
  withOptions(options: ControllerOptions): this;
  complete(reconciler: Reconciler<K>): Controller;
}

interface ControllerOptions {
  readonly maxConcurrentReconciles?: number;
  readonly rateLimiter?: RateLimiter;
  readonly newQueue?: (
    clock: Clock,
    limiter: RateLimiter | undefined,
    observer: QueueObserver,
  ) => RateLimitingQueue;
  readonly reconcileTimeoutMs?: number;
  readonly needLeaderElection?: boolean;
  readonly cleanupTimeoutMs?: number;
  readonly finalizer?: string;
}

function ConversionWebhook<Hub extends KubeObject, Spoke extends KubeObject>(
  hub: Token<Hub>,
  spoke: Token<Spoke>,
): ClassMarker<Strict<Converter<Hub, Spoke>>>;

interface Converter<Hub extends KubeObject, Spoke extends KubeObject> {
  toHub(spoke: Sent<Spoke>): Content<Hub>;
  fromHub(hub: Sent<Hub>): Content<Spoke>;
}

interface CountedMeta extends StoredMeta {
  generation: number;
}

interface CreateClientOptions {
  readonly name?: string;
  readonly clock?: Clock;
  readonly dryRun?: boolean;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  readonly warnings?: WarningOption;
  readonly middlewares?: readonly ClientMiddleware[];
}

interface CreateOrPatchResult<T extends KubeObject> {
  readonly result: CreateOrUpdateResult;
  readonly statusPatched: boolean;
  readonly object: T;
}

type CreateOrUpdateResult = "created" | "updated" | "unchanged";

interface CredentialSource {
  get(signal?: AbortSignal): Promise<Credentials>;
  invalidate(): void;
  readonly recipe?: CredentialRecipe;
  readonly problem?: string | undefined;
}

interface Credentials {
  readonly token?: string;
  readonly basic?: {
    readonly username: string;
    readonly password: string;
  };
  readonly certificate?: {
    readonly cert: string;
    readonly key: string;
  };
}

abstract class CustomResource<Spec = object, Status = object> implements KubeObject {
  apiVersion: string;
  kind: string;
  metadata: CountedMeta;
  spec: Spec;
  status?: Status;
}

const DEPENDENTS_ANNOTATION = "tsop.dev/dependents";

type DebugEndpoint = LocalDebugEndpoint | ReviewedDebugEndpoint;

const Default: Marker<<const D extends Constant>(value: D) => ValueMarker<Mutable<D>>>;

interface Defaulter<T extends KubeObject> {
  default(object: Sent<T>, review: Review<T>): void | Promise<void>;
}

interface DeleteOptions {
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan" | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly preconditions?:
    | {
        readonly uid?: string | undefined;
        readonly resourceVersion?: string | undefined;
      }
    | undefined;
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Dependent = ObjectDependent | ExternalDependent;

interface DependentOptions<T extends KubeObject> {
  readonly after?: readonly Dependent[];
  readonly ready?: (object: T) => boolean;
  readonly onImmutable?: OnImmutable;
}

class Dependents<
  O extends KubeObject = KubeObject,
  Kinds extends readonly ReadToken[] = readonly ReadToken[],
> {
  reconcile(owner: O, signal?: AbortSignal): Promise<DependentsState<ObjectOf<Kinds[number]>>>;
  cleanup(
    owner: O,
    { signal, log }: Pick<ReconcileContext, "signal" | "log">,
  ): Promise<Result | undefined>;
}

interface DependentsOptions<
  O extends KubeObject,
  Kinds extends readonly ReadToken[] = readonly ReadToken[],
> {
  readonly kinds: Kinds;
  readonly externals?: readonly External<O>[];
  readonly desired: (owner: O) => readonly Dependent[] | Promise<readonly Dependent[]>;
  readonly deletion?: "reverse";
}

interface DependentsState<T extends KubeObject = KubeObject> {
  readonly ready: boolean;
  readonly waitingFor: readonly string[];
  readonly objects: readonly T[];
  readonly pruned: readonly string[];
}

const Description: Marker<(values_0: string) => FieldOrClassMarker<unknown>>;

type Double = number;

type Duration = string;

const Embed: Marker<
  <const Path extends string = never>(options: EmbedOptions<Path>) => EmbedMarker<Path>
>;

interface EmbedOptions<Path extends string = string> {
  readonly only?: readonly Path[];
  readonly omit?: readonly Path[];
  readonly descriptions?: boolean | number;
  readonly defaults?: boolean;
  readonly metadata?: boolean;
}

const EmbeddedResource: Marker<() => ObjectMarker>;

interface Endpoint {
  readonly port: number;
  readonly host?: string;
}

type Enqueue = (key: ObjectKey, hint?: EnqueueHint) => void;

interface EnqueueHint {
  readonly priority?: number;
  readonly cause?: string;
  readonly causeType?: CauseType;
  readonly event?: ObjectEvent;
  readonly writtenAtMs?: number;
}

const Enum: Marker<
  <const V extends readonly (string | number | boolean | null)[]>(
    ...values: V
  ) => ValueMarker<V[number]>
>;

interface EventDetails {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly action?: string;
  readonly related?: KubeObject;
}

type EventHandler<T extends KubeObject = KubeObject> = (
  event: ObjectEvent<T>,
  enqueue: Enqueue,
) => void | Promise<void>;

interface EventRecorder {
  event(object: KubeObject, details: EventDetails): void;
}

const ExactlyOneOf: Marker<<const K extends string>(...fields: K[]) => FieldsMarker<K>>;

const Example: Marker<<const D extends Constant>(value: D) => ValueMarker<Mutable<D>>>;

const ExclusiveMaximum: Marker<(values_0: number) => FieldMarker<number>>;

const ExclusiveMinimum: Marker<(values_0: number) => FieldMarker<number>>;

type Expectation =
  | {
      readonly state: "none" | "fulfilled";
    }
  | {
      readonly state: "waiting";
      readonly requeueAfterMs: number;
    }
  | {
      readonly state: "timed-out";
      readonly sinceMs: number;
    };

class Expectations {
  constructor(clock: Clock);
  expect(key: ObjectKey, what: string, withinMs: number): void;
  check(key: ObjectKey, what: string, isFulfilled: boolean): Expectation;
  forget(key: ObjectKey): void;
}

interface External<O extends KubeObject = KubeObject> {
  readonly name: string;
  ensure(owner: O, context: ExternalContext): Promise<boolean>;
  remove(owner: O, context: ExternalContext): Promise<boolean>;
}

interface ExternalContext {
  readonly signal?: AbortSignal | undefined;
}

interface ExternalDependent {
  readonly is: "external";
  readonly external: External;
  readonly after: readonly Dependent[] | undefined;
}

const ExternalDocs: Marker<(url: string, description?: string) => FieldOrClassMarker<unknown>>;

interface ExternalOptions<O extends KubeObject, S> {
  readonly name: string;
  ensure(owner: O, context: ExternalContext): Promise<S>;
  ready?(state: S): boolean;
  remove(owner: O, context: ExternalContext): Promise<boolean | undefined>;
}

interface ExternalResourceOptions extends Pick<
  ResourceOptions,
  "group" | "version" | "kind" | "plural" | "scope"
> {
  readonly external: true;
}

interface FieldChange {
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

interface FieldChanges {
  readonly changes: readonly FieldChange[];
  readonly more?: number;
}

interface FieldMarker<T> {
  <This, V extends T | null | undefined>(
    value: undefined,
    context: ClassFieldDecoratorContext<This, V>,
  ): void;
  <O extends object, K extends keyof O>(
    target: O,
    key: O[K] extends T | null | undefined ? K : never,
  ): void;
}

type FieldOf<T> = ((object: T) => unknown) | string;

type FieldOrClassMarker<T> = FieldMarker<T> & ClassMarker<T>;

interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

interface FlagOption {
  readonly type: "boolean" | "string" | "port";
  readonly help: string;
  readonly placeholder?: string;
  readonly check?: (value: string) => void;
}

type FlagOptions = Readonly<Record<string, FlagOption>>;

type FlagValues<F extends FlagOptions> = {
  readonly [Name in keyof F]: F[Name]["type"] extends "boolean"
    ? boolean
    : F[Name]["type"] extends "port"
      ? number | undefined
      : string | undefined;
};

type Float = number;

const Format: Marker<(format: TextFormat) => TextMarker>;

const Granular: Marker<() => ObjectMarker>;

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

type HealthCheck = () => void | Promise<void>;

interface IdleOptions {
  readonly timeoutMs?: number;
}

interface IdleState {
  readonly waiting: readonly WaitingKey[];
}

const Ignore: Marker<() => FieldOrClassMarker<unknown>>;

const Immutable: Marker<() => FieldOrClassMarker<unknown>>;

type IndexFunction<T extends KubeObject> = (object: T) => readonly string[];

interface InformerHealth {
  readonly resource: string;
  readonly state: ReflectorState;
  readonly synced: boolean;
  readonly objects: number;
  readonly counts: Readonly<Record<InformerOccurrence, number>>;
  readonly problem?: string;
}

interface InformerStats {
  readonly resource: string;
  readonly objects: number;
  readonly sizeBytes: number;
  readonly resourceVersion: string;
}

type Int = number;

type Int32 = number;

type Int64 = number;

type IntOrString = number | string;

type Intent<T extends SentObject> = AnyIntent & PartFields<ContentOf<T>>;

type IntentMeta = WrittenMeta & {
  name: string;
};

class ItemExponentialFailureRateLimiter implements RateLimiter {
  constructor(baseMs?: number, maxMs?: number);
  when(key: string): number;
  forget(key: string): void;
  retries(key: string): number;
}

class ItemFastSlowRateLimiter implements RateLimiter {
  constructor(fastMs: number, slowMs: number, fastAttempts: number);
  when(key: string): number;
  forget(key: string): void;
  retries(key: string): number;
}

interface JournalAnswer {
  readonly version: 1;
  readonly operator: string;
  readonly instance: string;
  readonly nowMs: number;
  readonly entries: readonly JournalEntry[];
  readonly queues: readonly QueueState[];
  readonly usedRights: readonly UsedRight[];
}

interface JournalCause extends Partial<FieldChanges> {
  readonly type: CauseType;
  readonly text: string;
  readonly object?: JournalObject;
  readonly writtenBy?: string;
}

interface JournalEntry {
  readonly number: number;
  readonly id: string;
  readonly controller: string;
  readonly kind?: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly name: string;
  readonly atMs: number;
  readonly durationMs: number;
  readonly causes: readonly JournalCause[];
  readonly failures: number;
  readonly queueDepth: number;
  readonly reads: readonly JournalRead[];
  readonly writes: readonly JournalWrite[];
  readonly leftOut?: number;
  readonly outcome: "success" | "requeue_after" | "error";
  readonly requeueAfterMs?: number;
  readonly error?: JournalError;
}

interface JournalError {
  readonly message: string;
  readonly code?: string;
  readonly place?: string;
  readonly stack?: string;
}

interface JournalObject {
  readonly kind?: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly resourceVersion?: string;
}

interface JournalRead {
  readonly from: "cache" | "server";
  readonly object: JournalObject;
  readonly found: number;
  readonly times: number;
}

interface JournalWrite extends Partial<FieldChanges> {
  readonly verb: string;
  readonly object: JournalObject;
  readonly subresource?: string;
  readonly afterMs: number;
  readonly durationMs: number;
  readonly dryRun?: true;
  readonly unchanged?: true;
  readonly sentOnly?: true;
  readonly error?: string;
}

type Json =
  | string
  | number
  | boolean
  | null
  | Json[]
  | {
      [key: string]: Json;
    };

type JsonObject = Record<string, unknown>;

type JsonPatchOperation =
  | {
      readonly op: "add" | "replace" | "test";
      readonly path: string;
      readonly value: Json;
    }
  | {
      readonly op: "remove";
      readonly path: string;
    }
  | {
      readonly op: "move" | "copy";
      readonly from: string;
      readonly path: string;
    };

interface KeyGate {
  readonly settled: boolean;
  mayWork(key: string): boolean;
  enter(key: string): boolean;
  leave(key: string): void;
  onChange(changed: () => void, signal: AbortSignal): void;
}

type KeywordsFor<T> = unknown extends T ? Schema : Described & Pick<Schema, KeywordsOf<T>>;

interface KindCache {
  readonly resource: ResourceInfo;
  readonly namespaces: readonly string[] | undefined;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly transform: ((object: KubeObject) => KubeObject) | undefined;
  readonly reads: UnwatchedReads | undefined;
}

interface KindCacheOptions<T extends KubeObject> {
  readonly namespaces?: readonly string[];
  readonly labels?: Readonly<Record<string, string>> | string;
  readonly fields?: string;
  readonly transform?: (object: T) => T;
  readonly reads?: UnwatchedReads;
}

interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: StoredMeta;
}

type LabelOperator = "exists" | "!" | "in" | "notin" | "=" | "==" | "!=" | "gt" | "lt";

interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

type Labels = Readonly<Record<string, string>>;

interface LeaderElectionOptions {
  readonly id: string;
  readonly namespace?: string;
  readonly identity?: string;
  readonly leaseDurationMs?: number;
  readonly renewDeadlineMs?: number;
  readonly retryPeriodMs?: number;
}

const ListAtomic: Marker<() => FieldMarker<readonly unknown[]>>;

const ListMap: Marker<<const K extends string>(...keys: K[]) => KeyedListMarker<K>>;

interface ListOptions extends Selection {
  readonly index?:
    | {
        readonly name: string;
        readonly value: string;
      }
    | undefined;
}

const ListSet: Marker<() => FieldMarker<readonly unknown[]>>;

interface LocalDebugEndpoint {
  readonly port: number;
  readonly token?: string;
  readonly reviewed?: never;
  readonly tls?: never;
  readonly clients?: never;
}

interface Logger {
  debug: LogMethod;
  info: LogMethod;
  warn: LogMethod;
  error: LogMethod;
  isLevelEnabled?(level: "debug"): boolean;
  child(fields: Record<string, unknown>): Logger;
}

interface Manager {
  readonly name: string;
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: RuntimeMetrics;
  readonly shards: Shards | undefined;
  setLogLevel(levels: LogLevels): void;
  readonly elected: Promise<void>;
  readonly webhooks: Webhooks;
  readonly ports: ManagerPorts;
  add(
    runnable: Runnable & {
      readonly name?: string;
    },
  ): void;
  addHealthCheck(name: string, check: HealthCheck): void;
  addReadyCheck(name: string, check: HealthCheck): void;
  recorder(component: string): EventRecorder;
  start(signal: AbortSignal): Promise<void>;
  idle(options?: IdleOptions): Promise<IdleState>;
}

interface ManagerOptions {
  readonly config?: ClusterConfig;
  readonly name?: string;
  readonly log?: Logger;
  readonly logLevel?: LogLevels;
  readonly logFormat?: LogFormat;
  readonly metrics?: MetricsEndpoint;
  readonly health?: Endpoint;
  readonly debug?: DebugEndpoint;
  readonly recordings?: RecordingOptions;
  readonly webhooks?: WebhookServerOptions;
  readonly serverMemoryBytes?: number;
  readonly leaderElection?: LeaderElectionOptions;
  readonly sharding?: ShardingOptions;
  readonly gracefulShutdownMs?: number;
  readonly stuckAfterMs?: number;
  readonly cache?: CacheOptions;
  readonly dryRun?: boolean;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  readonly warnings?: WarningOption;
  readonly middlewares?: readonly ClientMiddleware[];
  readonly tracing?: TracingApi;
  readonly clock?: Clock;
  readonly transport?: Transport;
}

interface ManagerPorts {
  readonly metrics?: number;
  readonly health?: number;
  readonly webhooks?: number;
  readonly debug?: number;
}

type MapFunction<T extends KubeObject> = (
  object: T,
) => Iterable<ObjectKey> | Promise<Iterable<ObjectKey>>;

const MaxItems: Marker<(values_0: number) => FieldMarker<readonly unknown[]>>;

const MaxLength: Marker<(values_0: number) => TextMarker>;

class MaxOfRateLimiter implements RateLimiter {
  constructor(...limiters: readonly RateLimiter[]);
  when(key: string): number;
  forget(key: string): void;
  retries(key: string): number;
}

const MaxProperties: Marker<(values_0: number) => ObjectMarker>;

const Maximum: Marker<(values_0: number) => FieldMarker<number>>;

interface MetadataObject extends KubeObject {
  readonly [onlyMetadata]: true;
}

interface MetadataToken extends ReadableType<MetadataObject> {
  readonly metadataOnly: true;
}

interface MetricsEndpoint extends Endpoint {
  readonly reviewed?: boolean;
  readonly tls?: CertificateSource;
  readonly clients?: ClientCertificates;
}

type MicroTime = string;

const MinItems: Marker<(values_0: number) => FieldMarker<readonly unknown[]>>;

const MinLength: Marker<(values_0: number) => TextMarker>;

const MinProperties: Marker<(values_0: number) => ObjectMarker>;

const Minimum: Marker<(values_0: number) => FieldMarker<number>>;

const MultipleOf: Marker<(values_0: number) => FieldMarker<number>>;

function MutatingWebhook<T extends KubeObject>(
  token: Token<T>,
  options?: MutatingWebhookOptions,
): ClassMarker<Mutating<T>>;
function MutatingWebhook(
  target: WebhookTarget & MutatingWebhookOptions,
): ClassMarker<Mutating<KubeObject>>;

interface MutatingWebhookOptions extends WebhookOptions {
  readonly reinvocationPolicy?: "Never" | "IfNeeded";
}

type NewMeta = WrittenMeta &
  (
    | {
        name: string;
      }
    | {
        generateName: string;
      }
  );

type NewObject<T extends SentObject> = Typed &
  Whole &
  (T extends KubeObject
    ? {
        metadata: NewMeta;
      }
    : {
        metadata?: WrittenMeta | undefined;
      }) &
  (string extends T["apiVersion"] ? PartFields<ContentOf<T>> : FullFields<ContentOf<T>>);

type Num = number;

interface ObjectDependent {
  readonly is: "object";
  readonly token: Token;
  readonly intent: AnyIntent;
  readonly isReady: ((object: KubeObject) => boolean) | undefined;
  readonly onImmutable: OnImmutable;
  readonly after: readonly Dependent[] | undefined;
}

type ObjectEvent<T extends KubeObject = KubeObject> =
  | {
      readonly type: "create";
      readonly object: T;
      readonly initial: boolean;
    }
  | {
      readonly type: "update";
      readonly old: T;
      readonly object: T;
    }
  | {
      readonly type: "delete";
      readonly object: T;
      readonly tombstone: boolean;
    };

const ObjectFields: (fields: ObjectFieldsOptions) => ClassMarker<KubeObject>;

interface ObjectFieldsOptions {
  readonly apiVersion?: Schema | false;
  readonly kind?: Schema | false;
  readonly metadata?: Schema | false;
}

interface ObjectKey {
  readonly namespace?: string | undefined;
  readonly name: string;
}

interface ObjectMarker {
  <This, V extends object | null | undefined>(
    value: undefined,
    context: ClassFieldDecoratorContext<This, V> & NoList<V>,
  ): void;
  <O extends object, K extends keyof O>(
    target: O,
    key: O[K] extends object | null | undefined
      ? unknown extends NoList<O[K]>
        ? K
        : never
      : never,
  ): void;
  <C extends abstract new (...args: never[]) => object>(
    target: C,
    context?: ClassDecoratorContext<C>,
  ): void;
}

interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

type ObjectProgress = "InProgress" | "Failed" | "Current" | "Terminating" | "NotFound" | "Unknown";

interface ObjectStatus {
  readonly status: ObjectProgress;
  readonly reason?: string;
  readonly message: string;
}

type OnImmutable = "recreate" | "fail";

type Outcome = Result | void;

interface Owned {
  kind?: string | undefined;
  metadata?: Pick<WrittenMeta, "name" | "namespace" | "ownerReferences"> | undefined;
}

interface OwnedBy {
  readonly owner: KubeObject;
}

interface OwnsOptions<T extends KubeObject> extends WatchOptions<T> {
  readonly everyOwner?: boolean;
}

const PAUSED_ANNOTATION = "tsop.dev/paused";

interface Patch {
  readonly contentType: string;
  readonly body: unknown;
}

interface PatchOptions extends WriteOptions {
  readonly optimisticLock?: KubeObject | undefined;
}

const Pattern: Marker<(values_0: string | RegExp) => TextMarker>;

interface PodAttachOptions {
  readonly container?: string;
  readonly stdin?: boolean;
  readonly tty?: boolean;
  readonly signal?: AbortSignal;
}

interface PodClient {
  logs(key: ObjectKey, options?: PodLogOptions): AsyncIterable<string>;
  exec(key: ObjectKey, options: PodExecOptions): Promise<PodProcess>;
  attach(key: ObjectKey, options?: PodAttachOptions): Promise<PodProcess>;
  connect(
    key: ObjectKey,
    port: number,
    options?: Pick<PortForwardOptions, "signal">,
  ): Promise<Duplex>;
  portForward(key: ObjectKey, port: number, options?: PortForwardOptions): Promise<PortForward>;
}

interface PodExecOptions extends PodAttachOptions {
  readonly command: readonly string[];
}

interface PodLogOptions {
  readonly container?: string;
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly sinceSeconds?: number;
  readonly tailLines?: number;
  readonly timestamps?: boolean;
  readonly signal?: AbortSignal;
}

interface PodProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exitCode: Promise<number>;
  resize(size: { readonly columns: number; readonly rows: number }): void;
  output(): Promise<ProcessOutput>;
  close(): void;
}

interface PollOptions<V> {
  readonly name: string;
  readonly everyMs: number;
  readonly timeoutMs?: number;
  readonly poll: (signal: AbortSignal) => Promise<Iterable<readonly [key: ObjectKey, value: V]>>;
}

class PollSource<V> implements Source {
  constructor(parts: PollParts, options: PollOptions<V>);
  find(key: ObjectKey): V | undefined;
  start(enqueue: Enqueue, signal: AbortSignal, report?: SourceReport): SourceRun;
}

interface PortForward {
  readonly port: number;
  close(): Promise<void>;
}

interface PortForwardOptions {
  readonly localPort?: number;
  readonly signal?: AbortSignal;
  readonly onError?: (error: Error) => void;
}

type Predicate<T extends KubeObject = KubeObject> = (event: ObjectEvent<T>) => boolean;

const PreserveUnknownFields: Marker<() => FieldOrClassMarker<unknown>>;

const PrintColumn: <T>(
  name: string,
  path: string | ((object: T) => unknown),
  options?: ColumnOptions,
) => ClassMarker<T>;

class PriorityQueue extends WorkQueue {
  constructor(clock: Clock, limiter?: RateLimiter, observer?: QueueObserver);
}

interface ProcessOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Quantity = QuantityText;
const Quantity: QuantityArithmetic;

type Query = Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>;

interface QueueObserver {
  added(key: string): void;
  taken(key: string, addedAtMs: number): void;
  done(key: string): void;
  delayed(key: string): void;
}

interface QueueState {
  readonly controller: string;
  readonly inHand: readonly string[];
  readonly depth: number;
  readonly waiting: readonly {
    readonly key: string;
    readonly atMs: number;
  }[];
}

interface RateLimiter {
  when(key: string): number;
  forget(key: string): void;
  retries(key: string): number;
}

interface RateLimitingQueue {
  readonly length: number;
  readonly shuttingDown: boolean;
  add(key: string, priority?: number): void;
  addAfter(key: string, delayMs: number, priority?: number): void;
  addRateLimited(key: string, priority?: number): number;
  forget(key: string): void;
  retries(key: string): number;
  priority(key: string): number;
  delayed?(): readonly {
    readonly key: string;
    readonly readyAtMs: number;
  }[];
  take?(): string | undefined;
  get(signal?: AbortSignal): Promise<string | undefined>;
  done(key: string): void;
  shutDown(): void;
}

class RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  text(): string;
  json(): unknown;
}

interface RawRequest {
  readonly method?: RestRequest["method"];
  readonly path: string;
  readonly query?: Query;
  readonly body?: string | object;
  readonly contentType?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

const RawSchema: Marker<(values_0: Schema) => FieldOrClassMarker<unknown>>;

const Rbac: RbacMarker;

interface RbacRule {
  readonly groups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly urls?: readonly string[];
  readonly verbs: readonly Verb[];
  readonly namespace?: string;
  readonly roleName?: string;
}

interface RbacScope {
  readonly subresource?: string;
  readonly resourceNames?: readonly string[];
  readonly namespace?: string;
  readonly roleName?: string;
}

type ReadToken<T extends SentObject = KubeObject> = ReadableType<T> | ResourceClass<T>;

interface Reader {
  get<T extends KubeObject>(token: ReadToken<T>, key: ObjectKey): Promise<T>;
  find<T extends KubeObject>(token: ReadToken<T>, key: ObjectKey): Promise<T | undefined>;
  list<T extends KubeObject>(token: ReadToken<T>, options?: ListOptions): Promise<T[]>;
  listAll<T extends KubeObject>(token: ReadToken<T>, options?: Selection): AsyncIterable<T>;
}

interface ReconcileContext {
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly causes: readonly string[];
  readonly failures: number;
  readonly nowMs: number;
}

interface Reconciler<T extends KubeObject = KubeObject> {
  reconcile(request: Request, context: ReconcileContext): Promise<Outcome>;
  cleanup?(object: T, context: CleanupContext): Promise<Outcome>;
  onError?(object: T, error: Error, context: ReconcileContext): Promise<void>;
}

interface RecordingOptions {
  readonly folder: string;
  readonly reconciles?: "failed" | "all";
  readonly most?: number;
}

interface Request {
  readonly key: ObjectKey;
}

const Required: Marker<() => FieldOrClassMarker<unknown>>;

function Resource(options: ResourceOptions | ExternalResourceOptions): ClassMarker<KubeObject>;

interface ResourceInfo {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly metadataOnly?: true;
  readonly external?: boolean;
}

interface ResourceOptions {
  readonly group: string;
  readonly version: string;
  readonly kind?: string;
  readonly plural?: string;
  readonly singular?: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope?: "Namespaced" | "Cluster";
  readonly storage?: boolean;
  readonly served?: boolean;
  readonly deprecated?: boolean | string;
  readonly statusSubresource?: boolean;
  readonly userRoles?: "separate" | "aggregated";
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly descriptions?: boolean | number;
  readonly conversion?: Readonly<Record<string, Json>> | false;
  readonly external?: false;
}

interface ResourceType<T extends SentObject = KubeObject> extends ReadableType<T> {
  readonly metadataOnly?: never;
}

interface RestRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly takesFailures?: boolean;
  readonly raw?: boolean;
  readonly upgrades?: boolean;
  readonly onItem?: (item: unknown) => void;
  readonly withoutManagedFields?: boolean;
  readonly onManagedFields?: ManagedFieldsListener | undefined;
}

interface Result {
  readonly requeueAfterMs?: number;
  readonly priority?: number;
}

interface Review<T extends KubeObject = KubeObject> {
  readonly request: AdmissionRequest<T>;
  readonly signal: AbortSignal;
  warn(message: string): void;
}

interface ReviewedDebugEndpoint {
  readonly port: number;
  readonly host?: string;
  readonly reviewed: true;
  readonly tls: CertificateSource;
  readonly clients?: ClientCertificates;
  readonly token?: never;
}

interface Runnable {
  start(signal: AbortSignal): Promise<void>;
  readonly needLeaderElection?: boolean;
  activity?(): Activity;
}

interface RuntimeMetrics {
  readonly registry: Registry;
}

const Scale: <T>(paths: ScalePaths<T>) => ClassMarker<T>;

interface ScalePaths<T> {
  readonly spec: string | ((object: T) => unknown);
  readonly status: string | ((object: T) => unknown);
  readonly selector?: string | ((object: T) => unknown);
  readonly unchecked?: boolean;
}

const Selectable: <T>(path: string | ((object: T) => unknown)) => ClassMarker<T>;

interface Selection {
  readonly namespace?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | string | undefined;
  readonly fields?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

class SelectorError extends Error {
  readonly name = "SelectorError";
}

interface SelfManagedCertificate {
  readonly namePrefix: string;
  readonly namespace?: string;
}

type SendRequest = (request: RestRequest) => Promise<unknown>;

type Sent<T extends SentObject> = Omit<T, "metadata"> & {
  metadata: ObjectMeta;
};

interface SentObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

interface ShardingOptions {
  readonly id: string;
  readonly namespace?: string;
  readonly identity?: string;
  readonly leaseDurationMs?: number;
  readonly renewDeadlineMs?: number;
  readonly retryPeriodMs?: number;
}

interface Shards {
  readonly members: readonly string[];
  readonly settled: boolean;
  mayWork(key: string): boolean;
  onChange(changed: () => void, signal: AbortSignal): void;
}

interface Source {
  start(enqueue: Enqueue, signal: AbortSignal, report?: SourceReport): SourceRun;
}

interface SourceReport {
  readonly log: Logger;
  failed(): void;
}

interface SourceRun {
  readonly synced: Promise<unknown>;
  readonly ended: Promise<void>;
  readonly resync?: () => void;
}

interface Status {
  kind: "Status";
  apiVersion: "v1";
  metadata: ListMeta;
  status: "Success" | "Failure";
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code: number;
}

interface StatusClient {
  patch<
    T extends KubeObject & {
      status?: object;
    } & Whole,
  >(
    object: T,
    status: StatusPatch<T> | ((status: T["status"]) => StatusPatch<T>),
    options?: StatusPatchOptions,
  ): Promise<T>;
  update<
    T extends KubeObject & {
      status?: object;
    } & Whole,
  >(
    object: T,
    options?: WriteOptions,
  ): Promise<T>;
  apply<T extends KubeObject>(
    token: Token<T>,
    intent: Intent<T>,
    options?: ApplyStatusOptions,
  ): Promise<T>;
}

interface StatusCondition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason: string;
  message: string;
  lastTransitionTime: string;
  observedGeneration?: number;
}

class StatusError extends Error {
  readonly name = "StatusError";
  readonly code: number;
  readonly reason: string;
  constructor(status: Status, options?: ErrorOptions);
  get status(): Status;
}

type StatusPatch<
  T extends {
    status?: object;
  },
> = {
  [K in keyof NonNullable<T["status"]>]?: NonNullable<T["status"]>[K] | null | undefined;
};

interface StatusPatchOptions extends WriteOptions {
  readonly optimisticLock?: boolean | undefined;
}

interface StoredMeta extends ObjectMeta {
  name: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
}

type Str<_Keywords extends KeywordsFor<string>> = string;

interface SubresourceClient {
  get(token: Token, key: ObjectKey): Promise<SentObject>;
  create(token: Token, key: ObjectKey, body: object, options?: WriteOptions): Promise<SentObject>;
  update(token: Token, key: ObjectKey, body: object, options?: WriteOptions): Promise<SentObject>;
  patch(token: Token, key: ObjectKey, patch: Patch, options?: PatchOptions): Promise<SentObject>;
}

interface SummaryOptions {
  readonly ready: readonly (ConditionChange | string)[];
  readonly stalled?: readonly (ConditionChange | string)[];
  readonly observedGeneration: number | undefined;
  readonly names?: {
    readonly reconciling?: string;
    readonly stalled?: string;
  };
}

class TerminalError extends TsopError {
  readonly name = "TerminalError";
  constructor(message: string, options?: ErrorOptions);
}

type TextFormat = (typeof textFormats)[number];

interface TextMarker {
  <This, V>(
    value: undefined,
    context: ClassFieldDecoratorContext<This, V> &
      ([Extract<V, string>] extends [never] ? never : unknown),
  ): void;
  <O extends object, K extends keyof O>(
    target: O,
    key: [Extract<O[K], string>] extends [never] ? never : K,
  ): void;
}

type Time = string;

interface Timer {
  cancel(): void;
}

interface TimerOptions<T extends KubeObject> {
  readonly everyMs: number | ((object: T) => number | undefined);
  readonly initialDelayMs?: number;
  readonly idleMs?: number;
}

const Title: Marker<(values_0: string) => FieldOrClassMarker<unknown>>;

type Token<T extends SentObject = KubeObject> = ResourceType<T> | ResourceClass<T>;

interface TracingApi {
  readonly trace: {
    getTracer(name: string): {
      startSpan(name: string, options?: TracingSpanOptions, context?: never): TracingSpan;
    };
    setSpan(context: never, span: never): unknown;
    getSpan(context: never): unknown;
  };
  readonly context: {
    active(): unknown;
    with(context: never, run: () => unknown): unknown;
  };
  readonly propagation: {
    inject(context: never, carrier: Record<string, string>): void;
    extract(context: never, carrier: Readonly<Record<string, unknown>>): unknown;
  };
}

interface TracingSpan {
  setAttribute(key: string, value: string | number | boolean | string[]): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  recordException(exception: Error, time?: number): void;
  end(endTime?: number): void;
}

interface TracingSpanOptions {
  kind?: number;
  attributes?: Record<string, string | number | boolean | string[]>;
  startTime?: number;
}

interface Transport {
  readonly server: string;
  request(request: TransportRequest): Promise<TransportResponse>;
  upgrade?(request: TransportRequest): Promise<UpgradeAnswer>;
  close(): void;
  observeTrust?(observer: TrustObserver): void;
  readonly isQuiet?: boolean | undefined;
  readonly clock?: Clock | undefined;
}

interface TransportRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  readonly mayPause?: boolean;
  readonly lastCheck?: () => void;
}

interface TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
  cancel(): void;
}

class TsopError extends Error {
  readonly name: string;
  readonly code: string;
  readonly fix: string;
  constructor(code: string, message: string, fix: string, options?: ErrorOptions);
}

type Unstored<T extends KubeObject> = Omit<T, "metadata"> & {
  metadata: Omit<T["metadata"], "resourceVersion"> & Pick<Partial<StoredMeta>, "resourceVersion">;
};

type UnwatchedReads = "live" | "fail";

interface UsedRight {
  readonly verb: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly count: number;
  readonly refused: number;
}

interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

function ValidatingWebhook<T extends KubeObject>(
  token: Token<T>,
  options?: WebhookOptions,
): ClassMarker<Validating<T>>;
function ValidatingWebhook(
  target: WebhookTarget & WebhookOptions,
): ClassMarker<Validating<KubeObject>>;

interface ValidationReview<T extends KubeObject = KubeObject> extends Review<T> {
  invalid(field: FieldOf<T>, detail: string): void;
  required(field: FieldOf<T>, detail?: string): void;
  forbidden(field: FieldOf<T>, detail: string): void;
  notSupported(field: FieldOf<T>, supported: readonly string[]): void;
  duplicate(field: FieldOf<T>): void;
  deny(message: string): void;
}

interface Validator<T extends KubeObject> {
  validateCreate?(object: Unstored<T>, review: ValidationReview<T>): void | Promise<void>;
  validateUpdate?(object: T, old: T, review: ValidationReview<T>): void | Promise<void>;
  validateDelete?(object: T, review: ValidationReview<T>): void | Promise<void>;
}

type Verb =
  | "get"
  | "list"
  | "watch"
  | "create"
  | "update"
  | "patch"
  | "delete"
  | "deletecollection"
  | "impersonate"
  | "bind"
  | "escalate"
  | "use"
  | "*"
  | (string & {});

interface WaitingKey {
  readonly controller: string;
  readonly key: ObjectKey;
  readonly atMs: number;
}

type WarningHandler = (warning: ApiWarning) => void;

type WarningOption = "ignore" | WarningHandler;

interface WatchBookmark {
  readonly type: "BOOKMARK";
  readonly object: {
    apiVersion: string;
    kind: string;
    metadata: {
      resourceVersion: string;
      annotations?: Record<string, string>;
    };
  };
}

type WatchEvent<T extends KubeObject = KubeObject> =
  | {
      readonly type: "ADDED" | "MODIFIED" | "DELETED";
      readonly object: T;
    }
  | WatchBookmark;

interface WatchOptions<T extends KubeObject> {
  readonly predicates?: readonly Predicate<T>[];
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
}

interface WatchPlace {
  readonly cluster?: Cluster;
}

type WatchReaction<T extends KubeObject> =
  | {
      readonly map: MapFunction<T>;
      readonly handler?: never;
    }
  | {
      readonly handler: EventHandler<T>;
      readonly map?: never;
    };

type WatchStream<T extends KubeObject = KubeObject> = AsyncIterable<readonly WatchEvent<T>[]>;

type WebhookCertificate =
  | CertificatePaths
  | {
      readonly selfManaged: SelfManagedCertificate;
    };

type WebhookHandler =
  | Defaulter<KubeObject>
  | Validator<KubeObject>
  | AdmissionHandler
  | AnyConverter;

type WebhookOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT" | "*";

interface WebhookOptions {
  readonly name?: string;
  readonly path?: string;
  readonly url?: string;
  readonly service?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly port?: number;
  };
  readonly operations?: readonly WebhookOperation[];
  readonly failurePolicy?: "Fail" | "Ignore";
  readonly matchPolicy?: "Exact" | "Equivalent";
  readonly sideEffects?: "None" | "NoneOnDryRun";
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly ("v1" | "v1beta1")[];
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly matchConditions?: readonly {
    readonly name: string;
    readonly expression: string;
  }[];
  readonly scope?: "Namespaced" | "Cluster" | "*";
  readonly configuration?: string;
}

interface WebhookServerOptions {
  readonly port: number;
  readonly host?: string;
  readonly certificate: WebhookCertificate;
  readonly clients?: ClientCertificates;
  readonly drainMs?: number;
  readonly listening?: (port: number) => void;
}

interface WebhookTarget {
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  readonly resources: readonly string[];
  readonly name: string;
}

interface Webhooks {
  add(handler: WebhookHandler): void;
}

type With<T, _Keywords extends KeywordsFor<T>> = T;

class WithMaxWaitRateLimiter implements RateLimiter {
  constructor(limiter: RateLimiter, maxMs: number);
  when(key: string): number;
  forget(key: string): void;
  retries(key: string): number;
}

interface WithSecretData {
  readonly data?: Readonly<Record<string, string>> | undefined;
}

class WorkQueue implements RateLimitingQueue {
  constructor(clock: Clock, limiter?: RateLimiter, observer?: QueueObserver, line?: Line);
  get length(): number;
  get shuttingDown(): boolean;
  add(key: string, priority?: number): void;
  addAfter(key: string, delayMs: number, priority?: number): void;
  addRateLimited(key: string, priority?: number): number;
  forget(key: string): void;
  retries(key: string): number;
  priority(key: string): number;
  delayed(): readonly {
    readonly key: string;
    readonly readyAtMs: number;
  }[];
  take(): string | undefined;
  get(signal?: AbortSignal): Promise<string | undefined>;
  done(key: string): void;
  shutDown(): void;
}

interface WriteOptions {
  readonly fieldManager?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
  readonly signal?: AbortSignal | undefined;
}

function addFinalizer<T extends KubeObject>(
  client: Client,
  token: ReadToken<T>,
  object: T,
  finalizer: string,
  options?: WriteOptions,
): Promise<T>;

function cacheOf<T extends KubeObject>(
  token: ReadToken<T>,
  options: KindCacheOptions<T>,
): KindCache;

function channelSource(keys: AsyncIterable<ObjectKey>): Source;

function conditionOfType(type: string): ConditionChanges;

function controllerFor(manager: Manager): ControllerBuilder;

function controllerOf(object: Pick<Owned, "metadata">): OwnerReference | undefined;

function createClient(config: ClusterConfig, options?: CreateClientOptions): Client;

function createCluster(manager: Manager, options: ClusterOptions): Cluster;

function createManager(options?: ManagerOptions): Manager;

function createOrPatch<
  T extends KubeObject & {
    status?: object;
  },
>(
  client: Client,
  token: Token<T>,
  key: ObjectKey,
  mutate: (object: NewObject<T>) => void,
  options?: WriteOptions,
): Promise<CreateOrPatchResult<T>>;

function createOrUpdate<T extends KubeObject>(
  client: Client,
  token: Token<T>,
  key: ObjectKey,
  mutate: (object: NewObject<T>) => void,
  options?: WriteOptions,
): Promise<{
  readonly result: CreateOrUpdateResult;
  readonly object: T;
}>;

function createOrUpdateOwned<T extends KubeObject>(
  client: Client,
  token: Token<T>,
  key: ObjectKey,
  mutate: (object: NewObject<T>) => void,
  { owner, ...options }: OwnedBy & WriteOptions,
): Promise<{
  readonly result: CreateOrUpdateResult;
  readonly object: T;
}>;

function deleteOwned<T extends KubeObject>(
  client: Client,
  token: Token<T>,
  key: ObjectKey,
  { owner, ...options }: OwnedBy & Omit<DeleteOptions, "preconditions">,
): Promise<void>;

function dependent<T extends KubeObject>(
  token: Token<T>,
  intent: Intent<T>,
  options?: DependentOptions<T>,
): Dependent;
function dependent<O extends KubeObject>(
  external: External<O>,
  options?: Pick<DependentOptions<O>, "after">,
): Dependent;

function external<O extends KubeObject, S = unknown>(options: ExternalOptions<O, S>): External<O>;

function findCondition<
  C extends {
    readonly type: string;
  },
>(conditions: readonly C[] | undefined, type: string): C | undefined;

function findOwned<T extends KubeObject>(
  client: Client,
  token: ReadToken<T>,
  key: ObjectKey,
  by: OwnedBy,
): Promise<T | undefined>;

function formatDuration(ms: number): string;

function formatFieldSelector(requirements: readonly FieldRequirement[]): string;

function formatIsoDuration(ms: number): string;

function formatKey(key: ObjectKey): string;

function formatLabelSelector(selector: LabelSelector | readonly LabelRequirement[]): string;

function hasControllerReference(object: Owned): boolean;

function hasFinalizer(object: SentObject, finalizer: string): boolean;

function hasOwnerReference(object: Owned, { owner }: OwnedBy): boolean;

function hashOf(value: unknown, length?: number): string;

const isAlreadyExists: (thrown: unknown) => thrown is StatusError;

function isBeingDeleted(object: SentObject): boolean;

const isConflict: (thrown: unknown) => thrown is StatusError;

function isControlledBy(object: Owned, { owner }: OwnedBy): boolean;

const isExpired: (thrown: unknown) => thrown is StatusError;

const isForbidden: (thrown: unknown) => thrown is StatusError;

const isInvalid: (thrown: unknown) => thrown is StatusError;

const isNotFound: (thrown: unknown) => thrown is StatusError;

function isPaused({ metadata }: KubeObject): boolean;

function jsonPatch(operations: readonly JsonPatchOperation[]): Patch;

function keyOf({ metadata: { namespace, name } }: { readonly metadata: ObjectKey }): ObjectKey;

function labelRequirements(selector: LabelSelector): LabelRequirement[];

function loadClusterConfig(options?: ClusterConfigOptions): ClusterConfig;

const managerFlags: {
  readonly "leader-elect": {
    readonly type: "boolean";
    readonly help: "elect a leader: of several replicas, one works at a time";
  };
  readonly "metrics-port": {
    readonly type: "port";
    readonly help: "serve /metrics over TLS to authorized clients";
  };
  readonly "metrics-cert-path": {
    readonly type: "string";
    readonly help: "a folder with tls.crt and tls.key; without it, self-signed";
  };
  readonly "metrics-insecure": {
    readonly type: "boolean";
    readonly help: "serve /metrics in clear text, to this machine only";
  };
  readonly "health-port": {
    readonly type: "port";
    readonly help: "serve /healthz and /readyz";
  };
  readonly "debug-port": {
    readonly type: "port";
    readonly help: "keep a journal for `tsop why`, served to this machine only";
  };
  readonly "log-level": {
    readonly type: "string";
    readonly help: "debug, info, warn or error, and levels of components: info,controller/web=debug";
    readonly placeholder: "levels";
    readonly check: (levels: string) => undefined;
  };
  readonly "log-format": {
    readonly type: "string";
    readonly help: "json or text (text on a terminal, json elsewhere)";
    readonly placeholder: "format";
    readonly check: (format: string) => undefined;
  };
};

function managerOptions(
  flags: FlagValues<typeof managerFlags>,
  {
    leaderElection,
  }: {
    readonly leaderElection: LeaderElectionOptions;
  },
): Pick<
  ManagerOptions,
  "leaderElection" | "metrics" | "health" | "debug" | "logLevel" | "logFormat"
>;

function matchesFields(
  requirements: readonly FieldRequirement[],
  valueOf: (field: string) => string,
): boolean;

function matchesLabelSelector(selector: LabelSelector | undefined, labels?: Labels): boolean;

function matchesLabels(requirements: readonly LabelRequirement[], labels?: Labels): boolean;

function mergeFrom<T extends KubeObject>(
  base: T,
  changed: T,
  {
    optimisticLock,
  }?: {
    readonly optimisticLock?: boolean;
  },
): Patch;

function mergePatch(body: object): Patch;

function metadataOf(token: ReadToken): MetadataToken;

function mutableCopy<T>(object: T): T;

function parseDuration(text: string): number;

function parseFieldSelector(text: string): FieldRequirement[];

function parseIsoDuration(text: string): number;

function parseLabelSelector(text: string): LabelRequirement[];

const predicates: {
  generationChanged: () => Predicate;
  resourceVersionChanged: () => Predicate;
  labelsChanged: () => Predicate;
  annotationsChanged: () => Predicate;
  finalizersChanged: () => Predicate;
  deletionStarted: () => Predicate;
  hasLabels: (labels: Readonly<Record<string, string>>) => Predicate;
  on: (...types: readonly ObjectEvent["type"][]) => Predicate;
  and: <T extends KubeObject>(...all: readonly Predicate<T>[]) => Predicate<T>;
  or: <T extends KubeObject>(...any: readonly Predicate<T>[]) => Predicate<T>;
  not: <T extends KubeObject>(predicate: Predicate<T>) => Predicate<T>;
};

function readFlags<const F extends FlagOptions>(options: F): FlagValues<F>;

function removeControllerReference(object: Owned, { owner }: OwnedBy): boolean;

function removeFinalizer<T extends KubeObject>(
  client: Client,
  token: ReadToken<T>,
  object: T,
  finalizer: string,
  options?: WriteOptions,
): Promise<T>;

function removeOwnerReference(object: Owned, { owner }: OwnedBy): boolean;

function secretData(texts: Readonly<Record<string, string>>): Record<string, string>;

function secretText({ data }: WithSecretData, key: string): string | undefined;

function setCondition<C extends StatusCondition>(
  conditions: readonly C[] | undefined,
  change: ConditionChange,
  nowMs: number,
): (C | StatusCondition)[];

function setControllerReference(object: Owned, { owner }: OwnedBy): void;

function setOwnerReference(object: Owned, { owner }: OwnedBy): void;

function setupSignalHandler(): AbortSignal;

function shortName(parts: readonly string[], max?: number): string;

function statusOf(object: KubeObject | undefined, nowMs: number): ObjectStatus;

function strategicPatch(body: object): Patch;

function summarize<C extends StatusCondition>(
  conditions: readonly C[] | undefined,
  { ready, stalled, observedGeneration, names }: SummaryOptions,
  nowMs: number,
): (C | StatusCondition)[];

function timerSource<T extends KubeObject>(
  {
    cache,
    clock,
  }: {
    readonly cache: Cache;
    readonly clock: Clock;
  },
  token: ReadToken<T>,
  { everyMs, initialDelayMs, idleMs }: TimerOptions<T>,
): Source;

const webhookFlags: {
  readonly "webhook-port": {
    readonly type: "port";
    readonly help: "serve webhooks for the API server";
  };
  readonly "webhook-cert-path": {
    readonly type: "string";
    readonly help: "a folder with tls.crt and tls.key; without it, self-managed";
  };
  readonly "webhook-name-prefix": {
    readonly type: "string";
    readonly help: "the prefix of the names of the deployed objects, for a self-managed certificate";
  };
  readonly "webhook-client-ca": {
    readonly type: "string";
    readonly help: "a file with the CA of the API servers' client certificates; without it, all clients";
  };
  readonly "webhook-client-names": {
    readonly type: "string";
    readonly help: "the common names of these certificates, with commas; without them, all of the CA";
  };
};

function webhookOptions(
  flags: FlagValues<typeof webhookFlags>,
  {
    namePrefix,
  }: {
    readonly namePrefix: string;
  },
): {
  readonly webhooks?: WebhookServerOptions;
};

// Named by these, and not exported.

type AnyConverter = Converter<KubeObject, KubeObject>;

interface Body extends AsyncIterable<Uint8Array> {
  whole?(): Promise<Buffer>;
}

interface CertificateFilePaths {
  readonly cert: string;
  readonly key: string;
}

interface CertificatePaths {
  readonly certFile: string;
  readonly keyFile: string;
}

type CertificateSource = CertificatePaths | "self-signed";

interface ConfigSource {
  readonly first: ClusterConfig;
  get(): ClusterConfig | Promise<ClusterConfig>;
  invalidate(): void;
  readonly problem: string | undefined;
}

interface ConnectionSink {
  data(bytes: Buffer): void;
  closed(error?: Error): void;
}

type Constant =
  | string
  | number
  | boolean
  | null
  | readonly Constant[]
  | {
      readonly [key: string]: Constant;
    };

type ContentOf<T extends SentObject> = keyof T extends keyof SentObject
  ? object | JsonObject
  : Omit<T, keyof SentObject>;

type CredentialRecipe =
  | {
      readonly kind: "fixed";
      readonly credentials: Credentials;
    }
  | {
      readonly kind: "token-file";
      readonly path: string;
      readonly token?: string;
    }
  | {
      readonly kind: "certificate-files";
      readonly files: CertificateFilePaths;
    }
  | {
      readonly kind: "combined";
      readonly parts: readonly CredentialRecipe[];
    }
  | {
      readonly kind: "exec";
      readonly config: ExecConfig;
      readonly environment: Readonly<Record<string, string | undefined>>;
    };

type Described = Pick<
  Schema,
  | "title"
  | "description"
  | "default"
  | "example"
  | "externalDocs"
  | "nullable"
  | "enum"
  | "allOf"
  | "anyOf"
  | "oneOf"
  | "not"
  | "x-kubernetes-validations"
>;

interface Effect {
  readonly schema?: Schema;
  readonly required?: boolean;
  readonly ignored?: boolean;
  readonly replaces?: boolean;
  readonly embed?: EmbedOptions;
  readonly optionalFields?: readonly string[];
  readonly immutable?: boolean;
}

interface EmbedMarker<Path extends string> {
  <This, V>(
    value: undefined,
    context: ClassFieldDecoratorContext<This, V> &
      ([FirstStep<Path>] extends [FieldOf<V>] ? unknown : never),
  ): void;
  <O extends object, K extends keyof O>(
    target: O,
    key: [FirstStep<Path>] extends [FieldOf<O[K]>] ? K : never,
  ): void;
}

interface ExecConfig {
  readonly apiVersion: string;
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: readonly {
    readonly name: string;
    readonly value: string;
  }[];
  readonly installHint?: string;
  readonly interactiveMode?: "Never" | "IfAvailable" | "Always";
  readonly cluster?: Readonly<Record<string, unknown>>;
}

type FieldOf<V> = Extract<keyof Part<Part<NonNullable<V>>>, string>;

interface FieldsMarker<K extends string> {
  <
    This,
    V extends
      | {
          readonly [P in K]?: unknown;
        }
      | null
      | undefined,
  >(
    value: undefined,
    context: ClassFieldDecoratorContext<This, V> &
      ([K] extends [OptionalField<NonNullable<V>>] ? unknown : never),
  ): void;
  <O extends object, P extends keyof O>(
    target: O,
    key: [K] extends [OptionalField<NonNullable<O[P]>>] ? P : never,
  ): void;
  <C extends abstract new (...args: never[]) => object>(
    target: C & ([K] extends [OptionalField<InstanceType<C>>] ? unknown : never),
    context?: ClassDecoratorContext<C>,
  ): void;
}

type FirstStep<Path extends string> = Path extends `${infer Step}.${string}` ? Step : Path;

type Full<T> = T extends Scalar
  ? T
  : T extends (infer Item)[]
    ? Full<Item>[]
    : T extends object
      ? FullFields<T>
      : T;

type FullFields<T> = {
  [K in keyof T]: undefined extends T[K] ? Full<T[K]> | undefined : Full<T[K]>;
};

interface Impersonation {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

type InformerOccurrence =
  | "list"
  | "watch"
  | "short-watch"
  | "silent-watch"
  | "stale-event"
  | "unreadable-object"
  | "index-error";

type ItemKey<V> = NonNullable<V> extends readonly (infer I)[] ? Extract<keyof I, string> : never;

interface KeyedListMarker<K extends string> {
  <This, V extends readonly object[] | null | undefined>(
    value: undefined,
    context: ClassFieldDecoratorContext<This, V> & ([K] extends [ItemKey<V>] ? unknown : never),
  ): void;
  <O extends object, P extends keyof O>(
    target: O,
    key: [K] extends [ItemKey<O[P]>] ? P : never,
  ): void;
}

type KeywordsOf<T> = T extends string
  ? TextKeywords
  : T extends number
    ? NumberKeywords
    : T extends readonly unknown[]
      ? ListKeywords
      : T extends boolean | null | undefined
        ? never
        : ObjectKeywords;

interface Line {
  readonly size: number;
  add(waiting: Waiting): void;
  raise(waiting: Waiting, priority: number): void;
  take(): Waiting | undefined;
}

type ListKeywords =
  | "minItems"
  | "maxItems"
  | "x-kubernetes-list-type"
  | "x-kubernetes-list-map-keys";

interface ListMeta {
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}

type LogFormat = "json" | "text";

type LogLevel = "debug" | "info" | "warn" | "error";

type LogLevels = LogLevel | `${LogLevel},${string}`;

interface LogMethod {
  (fields: object, message?: string): void;
  (message: string): void;
}

interface ManagedFieldsEntry {
  manager?: string;
  operation?: "Apply" | "Update";
  apiVersion?: string;
  time?: string;
  fieldsType?: "FieldsV1";
  fieldsV1?: JsonObject;
  subresource?: string;
}

type ManagedFieldsListener = (object: KubeObject, managedFields: () => unknown) => void;

type Marker<Call> = Call & {
  readonly [definition]: MarkerDefinition;
};

interface MarkerDefinition {
  readonly on: MarkerTarget;
  readonly parameters: readonly Parameter<unknown>[];
  readonly last: "once" | "optional" | "repeated";
  effect(...values: unknown[]): Effect;
}

type MarkerTarget = "number" | "string" | "array" | "object" | "any";

type Mutable<T> = T extends readonly unknown[] | Record<string, unknown>
  ? {
      -readonly [K in keyof T]: Mutable<T[K]>;
    }
  : T;

type Mutating<T extends KubeObject> = Strict<Defaulter<T>> | Strict<AdmissionHandler<T>>;

type NoList<V> = [Extract<V, readonly unknown[]>] extends [never] ? unknown : never;

type NumberKeywords =
  | "minimum"
  | "maximum"
  | "exclusiveMinimum"
  | "exclusiveMaximum"
  | "multipleOf"
  | "format";

type ObjectKeywords =
  | "minProperties"
  | "maxProperties"
  | "required"
  | "x-kubernetes-map-type"
  | "x-kubernetes-preserve-unknown-fields"
  | "x-kubernetes-embedded-resource";

type ObjectOf<Kind extends ReadToken> =
  Kind extends ReadToken<infer T extends KubeObject> ? T : never;

type OptionalField<T> = {
  [P in keyof T]-?: undefined extends T[P] ? P : never;
}[keyof T];

interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

interface Parameter<T> {
  readonly says: string;
  readonly names?: readonly string[];
  accepts(value: unknown): value is T;
  parse(text: string): unknown;
}

type Part<V> = V extends readonly (infer I)[]
  ? NonNullable<I>
  : V extends object
    ? string extends keyof V
      ? NonNullable<V[keyof V]>
      : V
    : never;

type Part<T> = T extends Scalar
  ? T
  : T extends (infer Item)[]
    ? Part<Item>[]
    : T extends object
      ? PartFields<T>
      : T;

type PartFields<T> = {
  [K in keyof T]?: Part<T[K]> | undefined;
};

interface PollParts {
  readonly clock: Clock;
  readonly log: Logger;
}

interface QuantityArithmetic {
  readonly add: (...terms: readonly Quantity[]) => string;
  readonly subtract: (left: Quantity, right: Quantity) => string;
  readonly multiply: (quantity: Quantity, factor: number | bigint) => string;
  readonly compare: (left: Quantity, right: Quantity) => number;
  readonly format: (quantity: Quantity) => string;
  readonly value: (quantity: Quantity) => bigint;
  readonly number: (quantity: Quantity) => number;
}

type QueryValue = string | number | boolean;

interface RbacMarker {
  (token: Token, verbs: readonly Verb[], scope?: RbacScope): ClassMarker<object>;
  (rule: RbacRule): ClassMarker<object>;
}

interface ReadableType<T extends SentObject> extends ResourceInfo {
  readonly [objectType]?: T;
}

type ReflectorState =
  | "idle"
  | "listing"
  | "streaming"
  | "synced"
  | "backoff"
  | "denied"
  | "stopped";

interface ReplayStart {
  readonly key: string;
  readonly causes: readonly string[];
  readonly failures: number;
  readonly nowMs: number;
}

type ResourceClass<T extends SentObject = KubeObject> = abstract new (...args: never[]) => T;

type Scalar = string | number | bigint | boolean | null | undefined;

interface Schema {
  type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  format?: string;
  title?: string;
  description?: string;
  default?: Json;
  example?: Json;
  externalDocs?: {
    url?: string;
    description?: string;
  };
  nullable?: boolean;
  enum?: Json[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  minProperties?: number;
  maxProperties?: number;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  not?: Schema;
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-embedded-resource"?: boolean;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  "x-kubernetes-list-map-keys"?: string[];
  "x-kubernetes-map-type"?: "granular" | "atomic";
  "x-kubernetes-validations"?: ValidationRule[];
  "x-kubernetes-patch-strategy"?: string;
  "x-kubernetes-patch-merge-key"?: string;
}

interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

type Strict<Methods> = {
  [K in keyof Methods]: NonNullable<Methods[K]> extends (...sent: infer Sent) => infer Said
    ? (...sent: Sent) => Said
    : never;
};

type TextKeywords = "minLength" | "maxLength" | "pattern" | "format";

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

interface Typed {
  apiVersion?: string | undefined;
  kind?: string | undefined;
}

type Unfilled<T> = T extends readonly (infer I)[]
  ? readonly Unfilled<I>[]
  : T extends object
    ? {
        readonly [K in keyof T]?: Unfilled<T[K]>;
      }
    : T;

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

type Validating<T extends KubeObject> = Strict<Validator<T>> | Strict<AdmissionHandler<T>>;

interface ValidationRule {
  rule: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
  fieldPath?: string;
  optionalOldSelf?: boolean;
}

interface ValueMarker<D> {
  <This, V>(
    value: undefined,
    context: ClassFieldDecoratorContext<This, V> & ([D] extends [Unfilled<V>] ? unknown : never),
  ): void;
  <O extends object, K extends keyof O>(
    target: O,
    key: [D] extends [Unfilled<O[K]>] ? K : never,
  ): void;
}

interface Waiting {
  readonly key: string;
  priority: number;
  turn: number;
}

interface Whole {
  readonly [onlyMetadata]?: never;
}

type WrittenMeta = {
  [K in keyof ObjectMeta]?: ObjectMeta[K] | undefined;
};

const definition: unique symbol;

const objectType: unique symbol;

const onlyMetadata: unique symbol;

const textFormats: readonly [
  "bsonobjectid",
  "byte",
  "cidr",
  "creditcard",
  "date",
  "date-time",
  "duration",
  "email",
  "hexcolor",
  "hostname",
  "ipv4",
  "ipv6",
  "isbn",
  "isbn10",
  "isbn13",
  "k8s-long-name",
  "k8s-short-name",
  "mac",
  "password",
  "rgbcolor",
  "ssn",
  "uri",
  "uuid",
  "uuid3",
  "uuid4",
  "uuid5",
];
