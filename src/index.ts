/**
 * The exports for an operator: markers and runtime.
 *
 * @module
 */
export { TerminalError, TsopError } from "./errors.ts";

// Markers: what a user writes on the classes of a kind and on its controllers.
export { type CelOptions, AtLeastOneOf, AtMostOneOf, Cel, ExactlyOneOf } from "./markers/rules.ts";
export {
  AcceptNumber,
  AddSchema,
  Default,
  Description,
  EmbeddedResource,
  Enum,
  Example,
  ExclusiveMaximum,
  ExclusiveMinimum,
  ExternalDocs,
  Format,
  Ignore,
  Immutable,
  MaxItems,
  MaxLength,
  MaxProperties,
  Maximum,
  MinItems,
  MinLength,
  MinProperties,
  Minimum,
  MultipleOf,
  Pattern,
  PreserveUnknownFields,
  RawSchema,
  Required,
  Title,
} from "./markers/validation.ts";
export type { TextFormat } from "./markers/text-formats.ts";
export { Embed } from "./markers/embed.ts";
export type { KeywordsFor, Str, With } from "./markers/constrained.ts";
export { Atomic, Granular, ListAtomic, ListMap, ListSet } from "./markers/topology.ts";
export {
  type ColumnOptions,
  CustomResource,
  ObjectFields,
  type ObjectFieldsOptions,
  PrintColumn,
  Resource,
  type ExternalResourceOptions,
  type ResourceOptions,
  Scale,
  type ScalePaths,
  Selectable,
} from "./markers/resource.ts";
export { Rbac, type RbacRule, type RbacScope, type Verb } from "./markers/rbac.ts";
export {
  ConversionWebhook,
  MutatingWebhook,
  type MutatingWebhookOptions,
  ValidatingWebhook,
  type WebhookOperation,
  type WebhookOptions,
  type WebhookTarget,
} from "./markers/webhook.ts";
export type {
  ClassMarker,
  EmbedOptions,
  FieldMarker,
  FieldOrClassMarker,
  ObjectMarker,
  TextMarker,
} from "./markers/marker.ts";
export type {
  Base64,
  Double,
  Duration,
  Float,
  Int,
  Int32,
  Int64,
  IntOrString,
  MicroTime,
  Num,
  Time,
} from "./kube/scalars.ts";
export { Quantity } from "./kube/values/quantity-text.ts";
export { secretData, secretText, type WithSecretData } from "./kube/values/secret-text.ts";
export type { Condition } from "./generated/k8s/meta-v1.ts";

// Runtime: what runs in the operator's process.
export { createManager } from "./runtime/manager/create-manager.ts";
export type { Manager, ManagerPorts } from "./runtime/manager/manager.ts";
export type {
  DebugEndpoint,
  LocalDebugEndpoint,
  ReviewedDebugEndpoint,
} from "./runtime/journal/debug-endpoint.ts";
export type { UsedRight } from "./runtime/journal/used-rights.ts";
export type { RecordingOptions } from "./runtime/replay/recorder.ts";
export type { JournalAnswer } from "./runtime/journal/debug-server.ts";
export type {
  FieldChange,
  FieldChanges,
  JournalCause,
  JournalEntry,
  JournalError,
  JournalObject,
  JournalRead,
  JournalWrite,
} from "./runtime/journal/entry.ts";
export type { QueueState, Activity, WaitingKey } from "./runtime/controller/activity.ts";
export type {
  CauseType,
  Enqueue,
  EnqueueHint,
  EventHandler,
  MapFunction,
  WatchOptions,
  WatchReaction,
} from "./runtime/controller/sources/handlers.ts";
export type { IdleOptions, IdleState } from "./runtime/manager/idle.ts";
export type { ManagerOptions } from "./runtime/manager/manager-options.ts";
export type {
  SelfManagedCertificate,
  WebhookCertificate,
  WebhookServerOptions,
} from "./runtime/webhook/certificate.ts";
export type { WebhookHandler } from "./runtime/webhook/handlers.ts";
export type { Webhooks } from "./runtime/webhook/webhook-host.ts";
export { type Cluster, type ClusterOptions, createCluster } from "./runtime/manager/cluster.ts";
export type { ClientCertificates } from "./runtime/serving/client-certificates.ts";
export type { HealthCheck, MetricsEndpoint } from "./runtime/serving/health.ts";
export type { Endpoint } from "./runtime/serving/listening.ts";
export type { LeaderElectionOptions } from "./runtime/leader-election/leader-election.ts";
export type { RuntimeMetrics } from "./runtime/metrics/metrics.ts";
export type { Runnable } from "./runtime/manager/run-group.ts";
export {
  type FlagOption,
  type FlagOptions,
  type FlagValues,
  readFlags,
} from "./runtime/manager/flags.ts";
export {
  managerFlags,
  managerOptions,
  webhookFlags,
  webhookOptions,
} from "./runtime/manager/manager-flags.ts";
export { setupSignalHandler } from "./runtime/manager/signals.ts";
export {
  type ControllerBuilder,
  controllerFor,
  type OwnsOptions,
  type WatchPlace,
} from "./runtime/builder/builder.ts";
export type { ControllerOptions } from "./runtime/controller/controller-parts.ts";
export type { Controller } from "./runtime/controller/controller.ts";
export {
  type Dependent,
  dependent,
  type DependentOptions,
  type External,
  external,
  type ExternalContext,
  type ExternalDependent,
  type ExternalOptions,
  type ObjectDependent,
  type OnImmutable,
} from "./runtime/controller/dependent.ts";
export {
  DEPENDENTS_ANNOTATION,
  type Dependents,
  type DependentsOptions,
  type DependentsState,
} from "./runtime/controller/dependents.ts";
export { type Expectation, Expectations } from "./runtime/controller/expectations.ts";
export { type PollOptions, PollSource } from "./runtime/controller/sources/polling.ts";
export {
  type ObjectEvent,
  type Predicate,
  predicates,
} from "./runtime/controller/sources/predicates.ts";
export type {
  CleanupContext,
  Outcome,
  ReconcileContext,
  Reconciler,
  Request,
  Result,
} from "./runtime/controller/reconciler.ts";
export type { SourceReport } from "./runtime/controller/sources/source-report.ts";
export type { AddedWatch } from "./runtime/controller/sources/running-sources.ts";
export {
  channelSource,
  type Source,
  type SourceRun,
} from "./runtime/controller/sources/sources.ts";
export { type TimerOptions, timerSource } from "./runtime/controller/sources/timers.ts";
export type { CacheOptions } from "./runtime/cache/cache.ts";
export type { Cache, InformerHealth, InformerStats } from "./runtime/cache/cache-view.ts";
export {
  cacheOf,
  type KindCache,
  type KindCacheOptions,
  type UnwatchedReads,
} from "./runtime/cache/kind-cache.ts";
export { mutableCopy } from "./runtime/cache/freeze.ts";
export type { IndexFunction } from "./runtime/cache/indexer.ts";
export type {
  ApplyOptions,
  ApplyStatusOptions,
  Client,
  DeleteOptions,
  PatchOptions,
  Reader,
  StatusClient,
  StatusPatch,
  StatusPatchOptions,
  SubresourceClient,
  WriteOptions,
} from "./runtime/client/client.ts";
export type { ListOptions, Selection } from "./runtime/rest/selection.ts";
export { createClient, type CreateClientOptions } from "./runtime/client/create-client.ts";
export {
  createOrPatch,
  type CreateOrPatchResult,
  createOrUpdate,
  type CreateOrUpdateResult,
} from "./runtime/client/create-or-update.ts";
export { createOrUpdateOwned, deleteOwned, findOwned } from "./runtime/client/owned-objects.ts";
export { addFinalizer, removeFinalizer } from "./runtime/client/finalizer.ts";
export {
  jsonPatch,
  type JsonPatchOperation,
  mergeFrom,
  mergePatch,
  type Patch,
  strategicPatch,
} from "./runtime/client/patches.ts";
export type {
  PodAttachOptions,
  PodClient,
  PodExecOptions,
  PodLogOptions,
  PortForwardOptions,
} from "./runtime/client/pods/pod-client.ts";
export type { PodProcess, ProcessOutput } from "./runtime/client/pods/pod-process.ts";
export type { PortForward } from "./runtime/client/pods/port-forward.ts";
export type { RawAnswer } from "./runtime/rest/raw-answer.ts";
export type { RawRequest } from "./runtime/rest/raw-request.ts";
export type {
  ClientMiddleware,
  Query,
  RestRequest,
  SendRequest,
} from "./runtime/rest/rest-client.ts";
export type { ApiWarning, WarningHandler, WarningOption } from "./runtime/rest/warnings.ts";
export type { WatchBookmark, WatchEvent, WatchStream } from "./runtime/rest/watch-events.ts";
export type { TracingApi, TracingSpan, TracingSpanOptions } from "./runtime/tracing/tracing-api.ts";
export type { EventDetails, EventRecorder } from "./runtime/events/recorder.ts";
export {
  BucketRateLimiter,
  ItemExponentialFailureRateLimiter,
  ItemFastSlowRateLimiter,
  MaxOfRateLimiter,
  type RateLimiter,
  WithMaxWaitRateLimiter,
} from "./runtime/queue/rate-limiters.ts";
export {
  PriorityQueue,
  type QueueObserver,
  type RateLimitingQueue,
  WorkQueue,
} from "./runtime/queue/work-queue.ts";
export type { KeyGate } from "./runtime/sharding/key-gate.ts";
export type { ShardingOptions, Shards } from "./runtime/sharding/shard-member.ts";
export type { ClusterConfig } from "./runtime/transport/cluster-config.ts";
export type { Credentials, CredentialSource } from "./runtime/transport/credentials/credentials.ts";
export { type ClusterConfigOptions, loadClusterConfig } from "./runtime/kubeconfig/load-config.ts";
export {
  ConnectionError,
  type ConnectionFailure,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "./runtime/transport/transport.ts";
export type { Clock, Timer } from "./clock.ts";
export type { Logger } from "./log.ts";
export type {
  AdmissionAnswer,
  AdmissionHandler,
  AdmissionOperation,
  AdmissionRequest,
  Defaulter,
  FieldOf,
  GroupVersionKind,
  GroupVersionResource,
  Review,
  Unstored,
  UserInfo,
  ValidationReview,
  Validator,
} from "./kube/webhooks/admission.ts";
export type { Content, Converter } from "./kube/webhooks/conversion.ts";
export {
  type ConditionChange,
  type ConditionChanges,
  conditionOfType,
  findCondition,
  setCondition,
  type StatusCondition,
} from "./kube/progress/conditions.ts";
export {
  formatDuration,
  formatIsoDuration,
  parseDuration,
  parseIsoDuration,
} from "./kube/values/duration.ts";
export { statusOf } from "./kube/progress/kstatus.ts";
export type { ObjectProgress, ObjectStatus } from "./kube/progress/status-view.ts";
export { hashOf, shortName } from "./kube/stable-names.ts";
export {
  formatFieldSelector,
  formatLabelSelector,
  labelRequirements,
} from "./kube/selectors/selector-format.ts";
export {
  type FieldRequirement,
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  type LabelSelector,
  matchesFields,
  matchesLabels,
  matchesLabelSelector,
  parseFieldSelector,
  parseLabelSelector,
  SelectorError,
} from "./kube/selectors/selector.ts";
export { summarize, type SummaryOptions } from "./kube/progress/summary.ts";
export { hasFinalizer, isBeingDeleted } from "./kube/finalizers.ts";
export { isPaused, PAUSED_ANNOTATION } from "./kube/paused.ts";
export type { AnyIntent, Intent, IntentMeta, NewMeta, NewObject } from "./kube/input.ts";
export {
  type CountedMeta,
  formatKey,
  type Json,
  type JsonObject,
  keyOf,
  type KubeObject,
  type ObjectKey,
  type ObjectMeta,
  type Sent,
  type SentObject,
  type StoredMeta,
} from "./kube/object.ts";
export {
  controllerOf,
  hasControllerReference,
  hasOwnerReference,
  isControlledBy,
  type Owned,
  type OwnedBy,
  removeControllerReference,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from "./kube/owner.ts";
export {
  type MetadataObject,
  metadataOf,
  type MetadataToken,
  type ReadToken,
  type ResourceInfo,
  type ResourceType,
  type Token,
} from "./kube/resource.ts";
export {
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  type Status,
  StatusError,
} from "./kube/status.ts";
