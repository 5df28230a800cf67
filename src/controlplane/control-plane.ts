/** A Kubernetes API in this process, for `tsop dev`, `tsop cluster` and an operator's tests. */
import { type Clock, systemClock } from "../clock.ts";
import type { SentObject } from "../kube/object.ts";
import { TsopError } from "../errors.ts";
import { type Logger, silentLogger } from "../log.ts";
import { Admission } from "./admission/admission.ts";
import { type AdmissionPlugin, AdmissionPlugins } from "./admission-plugins.ts";
import type { Authorize } from "./admission/expressions/authorizer-library.ts";
import { ExpressionCompiler } from "./admission/expressions/expressions.ts";
import { PodSecurity } from "./admission/pod-security/pod-security.ts";
import { typeWarnings } from "./admission/policies/type-checking.ts";
import { MutatingPolicies } from "./admission/policies/mutating-policies.ts";
import { ValidatingPolicies } from "./admission/policies/validating-policies.ts";
import { WebhookAdmission } from "./admission/webhook-admission.ts";
import { WebhookUsers } from "./admission/webhook-credentials.ts";
import { WebhookCaller } from "./admission/webhook-caller.ts";
import { Aggregator } from "./aggregation/aggregator.ts";
import { signingRight } from "./request-attributes.ts";
import { identify } from "./auth/authenticator.ts";
import type { KeyPair } from "../kube/x509/certificate.ts";
import { CertificateAuthority } from "./auth/certificates.ts";
import { type ClusterKeys, createKeys, loadKeys, saveKeys } from "./auth/keys.ts";
import { authorize } from "./auth/authorizer.ts";
import { Impersonation } from "./auth/impersonation.ts";
import { ADMIN, type Identity, kubeconfigText } from "./auth/kubeconfig.ts";
import { TokenAuthority } from "./auth/tokens.ts";
import { builtInResources } from "./builtin/resources.ts";
import { createBootstrapObjects, publishServer } from "./bootstrap.ts";
import type { ServedResource } from "./kinds.ts";
import { runControllers } from "./run-controllers.ts";
import { acceptAdmitted } from "./server/write/admitted.ts";
import { converterWith } from "./server/cluster/versions.ts";
import { Api } from "./server/requests/api.ts";
import { followApiServices } from "./server/cluster/api-services.ts";
import { BookmarkTicks } from "./server/cluster/bookmark-ticks.ts";
import { type Cluster, randomUid } from "./server/cluster/cluster.ts";
import { Conversion } from "./server/cluster/conversion.ts";
import { followDefinitions, withDefinitions } from "./server/cluster/definitions.ts";
import {
  type DirectExchange,
  type DirectRequest,
  DirectServer,
} from "./server/http/direct-server.ts";
import { HttpServer } from "./server/http/http-server.ts";
import { GIT_VERSION, otherPath } from "./server/requests/other-paths.ts";
import { OpenApi } from "./openapi/openapi.ts";
import { Registry } from "./server/cluster/registry.ts";
import type { Answer, RawRequest } from "./server/requests/request.ts";
import type { LoadedState, StoreLog } from "./store/log.ts";
import { Store } from "./store/store.ts";
import { type ServiceAddress, ServiceRoutes } from "./admission/service-routes.ts";
import { followServices } from "./service-addresses.ts";
import { type ValidatingPolicy } from "./builtin/kinds/admissionregistration/policy.ts";
import { present } from "../present.ts";

/** Options of a control plane; all of them have defaults. */
export interface ControlPlaneOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  readonly host?: string;
  /**
   * False: it opens no socket, and only this process can speak to it, by `inProcess`. With a
   * `VirtualClock` time passes only in virtual steps then, and the same seed gives the same run.
   * Default true.
   */
  readonly listen?: boolean;
  /** Whether the built-in controllers run; `no-kubelet` leaves pods to the caller. */
  readonly controllers?: "on" | "off" | "no-kubelet";
  /**
   * Admission plugins to disable, by their names in kube-apiserver: `["ServiceAccount"]` allows
   * pods without controllers, as envtest does.
   */
  readonly disableAdmissionPlugins?: readonly AdmissionPlugin[];
  /** The directory that keeps objects; without it they live in memory. */
  readonly dataDir?: string;
  /** How many nodes there are. */
  readonly nodes?: number;
  /**
   * How long the work of simulated nodes takes. `real`: as on a real node, with all states between; deleted pods run until
   * their program ends or the grace period is over. `instant`: pods start and end at once, and only waits that their manifests ask
   * for take time, such as delays of probes and back-offs. Default `instant`.
   */
  readonly podTiming?: "real" | "instant";
  /**
   * Addresses (`host:port`) on this machine of Services by `namespace/name`, or
   * `namespace/name:port`: webhooks that refer to a Service are called there.
   */
  readonly serviceAddresses?: Readonly<Record<string, string>>;
  /**
   * The path of a kubeconfig with the credentials for admission webhooks, as `kubeConfigFile` in kube-apiserver's AdmissionConfiguration: its users have
   * the names of the servers, such as `shop-webhook-service.shop-system.svc` or `*.svc`. Without it, webhooks are called without credentials.
   */
  readonly webhookKubeconfig?: string;
  /** Time and randomness. A `VirtualClock` determines uids, names, keys and certificates, too. */
  readonly clock?: Clock;
  readonly log?: Logger;
}

/** A change that was stored. */
export interface StoredChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The resource, such as `configmaps` or `deployments.apps`. */
  readonly resource: string;
  /** The object now, or as it was when it was deleted; frozen. */
  readonly object: SentObject;
  /** The object before the change; absent for a new one. */
  readonly old?: SentObject;
}

/** A running control plane. */
export interface ControlPlane extends AsyncDisposable {
  /** `https://host:port`. @throws TsopError `not-listening` */
  readonly url: string;
  /** YAML, for an administrator. @throws TsopError `not-listening` */
  readonly kubeconfig: string;
  /** Whether it has a socket: false when it was started with `listen: false`. */
  readonly listens: boolean;
  /** The clock of the control plane. */
  readonly clock: Clock;
  /** PEM. */
  readonly caCertificate: string;
  /**
   * A kubeconfig for a user, with a new client certificate.
   *
   * @throws TsopError `not-listening`
   */
  kubeconfigFor(identity: Identity): string;
  /** Answers a request without a socket; `inProcess` uses it. */
  request(request: DirectRequest): DirectExchange;
  /**
   * Sets the address on this machine of a Service (`namespace/name`, or `namespace/name:port`) from
   * now on: webhooks that refer to it are called there. `undefined` removes it.
   *
   * @param address - `host:port`; calls wait for a promise
   */
  routeService(service: string, address: ServiceAddress | undefined): void;
  /** Resolves when the controllers have nothing left to do. */
  settle(): Promise<void>;
  /** Forgets all history: continued lists and older watches get 410. */
  compact(): void;
  /** Cuts all connections, as a network failure would. */
  dropConnections(): void;
  /** The objects of a resource (`configmaps`, `deployments.apps`) as they are stored, frozen. */
  objects(resource: string, namespace?: string): readonly SentObject[];
  /** Calls the listener for each change from now on. @returns a function that ends it */
  onChange(listener: (change: StoredChange) => void): () => void;
  /**
   * Another control plane that begins with the same objects, versions, keys and accounts, on a port
   * of its own and in memory; changes in one are not seen in the other. Watches from before the
   * fork must start again (410).
   */
  fork(): Promise<ControlPlane>;
  /** Ends everything; after it the data directory, if any, is complete. */
  stop(): Promise<void>;
}

/**
 * Starts a control plane and resolves when it answers.
 *
 * @example
 * await using cluster = await startControlPlane();
 * const admin = clientFor(cluster);
 * await admin.create(ConfigMap, { metadata: { namespace: "default", name: "one" } });
 *
 * @throws TsopError `port-in-use`, `unknown-admission-plugin`, `webhook-kubeconfig-unreadable`
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { dataDir, clock = systemClock } = options;
  if (dataDir === undefined) return launch(options, { keys: createKeys(clock) });
  const { StoreLog } = await import("./store/log.ts");
  const disk = new StoreLog(dataDir);
  const state = await disk.open();
  return disk.closeIfFailed(() =>
    launch(options, { keys: loadKeys(dataDir) ?? createKeys(clock), state, disk }),
  );
}

/** Starts a control plane that calls no webhooks: those of admission fail, and conversion changes only `apiVersion`. */
export async function startWithoutWebhooks(options: ControlPlaneOptions): Promise<ControlPlane> {
  return launch(options, { keys: createKeys(options.clock ?? systemClock), callsWebhooks: false });
}

/** The state that a control plane begins with. */
interface Origin {
  readonly keys: ClusterKeys;
  /** Default true. */
  readonly callsWebhooks?: boolean;
  readonly state?: LoadedState;
  /** The log of changes on disk. */
  readonly disk?: StoreLog;
  /** The addresses of Services, in place of those of the options. */
  readonly routes?: ServiceRoutes;
  /** The server's key pair; a fork has the original's. */
  readonly served?: KeyPair;
  /** The built-in resources of the original. */
  readonly builtIn?: readonly ServedResource[];
}

async function launch(options: ControlPlaneOptions, origin: Origin): Promise<ControlPlane> {
  const { host = "127.0.0.1", port = 0, clock = systemClock, log = silentLogger } = options;
  const { keys, state, disk, callsWebhooks = true } = origin;
  const plugins = new AdmissionPlugins(options.disableAdmissionPlugins);
  const authority = new CertificateAuthority(clock, keys.authority, keys.certificate);
  const ownKeys = { ...keys, certificate: authority.certificate };
  if (options.dataDir !== undefined) saveKeys(options.dataDir, ownKeys);
  const builtIn = origin.builtIn ?? withDefinitions(builtInResources());
  const registry = new Registry(builtIn);
  const store = new Store(present({ sink: disk, startVersion: state?.version }));
  for (const [collection, object] of state?.objects ?? []) store.restore(collection, object);
  followDefinitions(store, registry);
  const tokens = new TokenAuthority(clock, store, keys.tokens);
  const routes = origin.routes ?? new ServiceRoutes(Object.entries(options.serviceAddresses ?? {}));
  const { webhookKubeconfig } = options;
  const users = webhookKubeconfig === undefined ? undefined : WebhookUsers.from(webhookKubeconfig);
  const webhooks = new WebhookCaller({
    store,
    clock,
    routes,
    callsWebhooks,
    ...present({ users }),
  });
  const mayDo: Authorize = (user, attributes) => authorize(store, user, attributes);
  const newUid = (): string => randomUid(clock);
  const conversion = new Conversion(callsWebhooks ? webhooks : undefined, newUid);
  const source = { store, registry };
  const compiler = new ExpressionCompiler();
  const admissionPorts = {
    source,
    authorize: mayDo,
    compiler,
    accept: acceptAdmitted,
    convert: converterWith(conversion),
  };
  const admission = new Admission({
    ...admissionPorts,
    webhooks: new WebhookAdmission({ ...admissionPorts, caller: webhooks, newUid }),
    validating: new ValidatingPolicies(admissionPorts),
    mutating: new MutatingPolicies(admissionPorts),
    podSecurity: new PodSecurity(source),
    plugins,
  });
  const cluster: Cluster = {
    aggregator: new Aggregator({ store, routes, clock }),
    store,
    registry,
    tokens,
    admission,
    plugins,
    conversion,
    bookmarkTicks: new BookmarkTicks(clock),
    clock,
    log,
    startedAtMs: clock.now(),
    runsControllers: options.controllers !== "off",
  };
  // A fork has these objects, and reading their list takes longer than everything else.
  if (disk || !state) {
    createBootstrapObjects(cluster, {
      aggregated: options.controllers !== "off",
      // A deleted default StorageClass of a cluster that is kept on disk stays deleted.
      storageClass: (options.controllers ?? "on") === "on" && state?.version === undefined,
    });
  }
  followApiServices(cluster);
  followServices(cluster);
  cluster.aggregator.start();
  const openApi = new OpenApi(GIT_VERSION);
  const api = new Api(cluster, (request) => otherPath(cluster, openApi, request));
  const impersonation = new Impersonation(store);
  const handle = (request: RawRequest): Promise<Answer> =>
    api.handle(request, (attributes) =>
      impersonation.userFor(identify(tokens, request), request.headers, attributes),
    );
  const direct = new DirectServer(handle, () => clock.now());
  const { served } = origin;
  const http =
    options.listen === false
      ? undefined
      : new HttpServer({ host, port, handle, authority, served });
  await http?.listen();
  if (disk || !state) {
    publishServer(cluster, host, http?.port ?? NO_PORT, authority.certificate);
  }
  const urlOf = (): string => {
    if (!http) throw notListening();
    return `https://${host.includes(":") ? `[${host}]` : host}:${http.port}`;
  };
  const kubeconfigFor = ({ user, groups = [], key }: Identity): string =>
    kubeconfigText(urlOf(), authority.certificate, user, authority.client(user, groups, key));
  let adminConfig: string | undefined;
  const controllers = runControllers(cluster, options, {
    caCertificate: authority.certificate,
    checkPolicyTypes: (policy) => typeWarnings(policy as ValidatingPolicy, source, compiler),
    certificateSigner: {
      sign: (request, terms) => authority.sign(request, terms),
      mayCreate: (user, subresource) => mayDo(user, signingRight(subresource)).allowed,
    },
  });
  const stop = async (): Promise<void> => {
    controllers.stop();
    cluster.aggregator.stop();
    direct.close();
    await http?.close();
    webhooks.close();
    await disk?.close();
  };
  return {
    get url() {
      return urlOf();
    },
    get kubeconfig() {
      return (adminConfig ??= kubeconfigFor(ADMIN));
    },
    caCertificate: authority.certificate,
    listens: http !== undefined,
    clock,
    kubeconfigFor,
    request: (request) => direct.request(request),
    routeService: (service, address) => routes.set(service, address),
    settle: () => controllers.settle(),
    compact: () => store.compact(),
    dropConnections() {
      direct.dropConnections();
      http?.dropConnections();
    },
    fork() {
      // Without the data directory, which is the original's alone.
      const { controllers: mode, nodes, podTiming } = options;
      const { disableAdmissionPlugins, listen: listens } = options;
      const same = {
        host,
        clock,
        log,
        ...present({ controllers: mode, nodes, podTiming }),
        ...present({ listen: listens, disableAdmissionPlugins }),
        ...present({ webhookKubeconfig }),
      };
      return launch(same, {
        keys: ownKeys,
        callsWebhooks,
        ...present({ served: http?.served }),
        builtIn,
        routes: routes.copy(),
        state: { version: store.version, objects: store.contents() },
      });
    },
    objects: (resource, namespace) => store.list(resource, namespace),
    onChange: (listener) =>
      store.subscribe(({ type, collection, object, old }) => {
        listener({ type, resource: collection, object, ...present({ old }) });
      }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The published port of a server without one: the usual port of API servers. */
const NO_PORT = 6443;

function notListening(): TsopError {
  return new TsopError(
    "not-listening",
    "The control plane was started with `listen: false`: it has no address and no kubeconfig.",
    "Speak to it with `clientFor(cluster)`, `installOperator(cluster)` or `inProcess(cluster)` of tsop/testing, or leave out `listen: false`.",
  );
}
