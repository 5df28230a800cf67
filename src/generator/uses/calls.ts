/** The rights that calls of `tsop` need, by the member that is called. */
import { WATCH_VERBS } from "../../kube/needed-rights.ts";
import { tableOf } from "../../table.ts";
import { EACH, type Path } from "./paths.ts";

/** The rights that a call needs for a kind. */
export interface CallRights {
  /** The index of the argument with the token, or with an object of the kind. */
  readonly kind: number;
  /** The way from that argument to its tokens: `["kinds", EACH]`; empty when absent. */
  readonly path?: Path;
  readonly verbs: readonly string[];
  /** The verbs in place of `verbs` where the kind is watched, so that it is read from memory. */
  readonly watched?: readonly string[];
  /**
   * The verbs beside `verbs` where an owner is given and the kind is not watched: the object is
   * read to find its controller.
   */
  readonly forOwner?: readonly string[];
  /** The index of the function that may change the status as well: it is patched then. */
  readonly statusIn?: number;
  /** The index of what makes the new content, when that is a function: it is given the object as it is now. */
  readonly changesIn?: number;
  /** The kind is watched from here on. */
  readonly watches?: boolean;
  /** Each argument is such a one as the first. */
  readonly suffix?: string;
  /** The index of the content that is written: that of roles and bindings needs rights itself. */
  readonly body?: number;
  /** The index of the options that may have an `owner`, whose deletion the child blocks. */
  readonly owner?: number;
  /** The index of the options that may have an `index`. */
  readonly index?: number;
}

const WATCHED = { verbs: WATCH_VERBS, watches: true } as const;

/** The rights by member: `Client.create`, `createOrUpdate`. */
export const CALLS = tableOf<CallRights>({
  "Reader.get": { kind: 0, verbs: ["get"], watched: WATCH_VERBS },
  "Reader.find": { kind: 0, verbs: ["get"], watched: WATCH_VERBS },
  "Reader.list": { kind: 0, verbs: ["list"], watched: WATCH_VERBS, index: 1 },
  "Reader.listAll": { kind: 0, verbs: ["list"] },
  "Client.watch": { kind: 0, verbs: ["watch"] },
  "Client.create": { kind: 0, verbs: ["create"], body: 1 },
  "Client.update": { kind: 0, verbs: ["update"], body: 1 },
  "Client.patch": { kind: 0, verbs: ["patch"], body: 2 },
  "Client.apply": { kind: 0, verbs: ["create", "patch"], forOwner: ["get"], body: 1, owner: 2 },
  "Client.delete": { kind: 0, verbs: ["delete"] },
  "Client.deleteAllOf": { kind: 0, verbs: ["deletecollection"] },
  "StatusClient.patch": { kind: 0, verbs: ["patch"], suffix: "/status", changesIn: 1 },
  "StatusClient.update": { kind: 0, verbs: ["update"], suffix: "/status" },
  "StatusClient.apply": { kind: 0, verbs: ["patch"], suffix: "/status" },
  "SubresourceClient.get": { kind: 0, verbs: ["get"], suffix: "/*" },
  "SubresourceClient.create": { kind: 0, verbs: ["create"], suffix: "/*" },
  "SubresourceClient.update": { kind: 0, verbs: ["update"], suffix: "/*" },
  "SubresourceClient.patch": { kind: 0, verbs: ["patch"], suffix: "/*" },
  "ControllerBuilder.for": { kind: 0, ...WATCHED },
  "ControllerBuilder.owns": { kind: 0, ...WATCHED },
  "ControllerBuilder.watches": { kind: 0, ...WATCHED },
  "ControllerBuilder.dependents": {
    kind: 0,
    path: ["kinds", EACH],
    verbs: [...WATCH_VERBS, "create", "patch", "delete"],
    watches: true,
  },
  "Controller.watch": { kind: 0, ...WATCHED },
  "Cache.addIndex": { kind: 0, ...WATCHED },
  createOrUpdate: {
    kind: 1,
    verbs: ["get", "create", "update"],
    watched: [...WATCH_VERBS, "create", "update"],
    body: 3,
  },
  createOrPatch: {
    kind: 1,
    verbs: ["get", "create", "patch"],
    watched: [...WATCH_VERBS, "create", "patch"],
    statusIn: 3,
    body: 3,
  },
  findOwned: { kind: 1, verbs: ["get"], watched: WATCH_VERBS },
  createOrUpdateOwned: {
    kind: 1,
    verbs: ["get", "create", "update"],
    watched: [...WATCH_VERBS, "create", "update"],
    body: 3,
    owner: 4,
  },
  deleteOwned: { kind: 1, verbs: ["get", "delete"] },
  timerSource: { kind: 1, ...WATCHED },
  addFinalizer: { kind: 1, verbs: ["patch"] },
  removeFinalizer: { kind: 1, verbs: ["patch"] },
});

/** The rights that a call needs for a subresource of pods. */
export interface PodRights {
  readonly suffix: string;
  readonly verbs: readonly string[];
}

/**
 * The methods that reach into pods, whose kind no argument says. API servers ask for both verbs
 * where something is run.
 */
export const POD_CALLS = tableOf<PodRights>({
  "PodClient.logs": { suffix: "/log", verbs: ["get"] },
  "PodClient.exec": { suffix: "/exec", verbs: ["create", "get"] },
  "PodClient.attach": { suffix: "/attach", verbs: ["create", "get"] },
  "PodClient.connect": { suffix: "/portforward", verbs: ["create", "get"] },
  "PodClient.portForward": { suffix: "/portforward", verbs: ["create", "get"] },
});

/** The types that speak with the API, or lead to one that does: where one is lost, so are its calls. */
export const API_TYPES: ReadonlySet<string> = new Set([
  "Client",
  "Reader",
  "StatusClient",
  "SubresourceClient",
  "PodClient",
  "Manager",
  "Cluster",
  "ControllerBuilder",
]);
