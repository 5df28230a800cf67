/** The rights that calls of `tsop` need. */
import { WATCH_VERBS } from "../../kube/needed-rights.ts";
import { EACH, type Path } from "./bindings.ts";
import type { Receiver } from "./receivers.ts";
import { tableOf } from "../../table.ts";

/** The rights that a call needs for a kind. */
export interface CallRights {
  /** The index of the argument with the token, or with an object of the kind. */
  readonly kind: number;
  /** The way from that argument to its tokens: `["kinds", EACH]`; empty when absent. */
  readonly path?: Path;
  /**
   * The fewest arguments: with fewer, it is another function of that name, such as
   * `map.get(MyWeb)`.
   */
  readonly least: number;
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
  /** The kind is watched from here on. */
  readonly watches?: boolean;
}

const CLIENT = tableOf<CallRights>({
  get: { kind: 0, least: 2, verbs: ["get"], watched: WATCH_VERBS },
  find: { kind: 0, least: 2, verbs: ["get"], watched: WATCH_VERBS },
  list: { kind: 0, least: 1, verbs: ["list"], watched: WATCH_VERBS },
  listAll: { kind: 0, least: 1, verbs: ["list"] },
  watch: { kind: 0, least: 1, verbs: ["watch"] },
  create: { kind: 0, least: 2, verbs: ["create"] },
  update: { kind: 0, least: 2, verbs: ["update"] },
  patch: { kind: 0, least: 3, verbs: ["patch"] },
  apply: { kind: 0, least: 2, verbs: ["create", "patch"], forOwner: ["get"] },
  delete: { kind: 0, least: 2, verbs: ["delete"] },
  deleteAllOf: { kind: 0, least: 1, verbs: ["deletecollection"] },
});

const BUILDER = tableOf<CallRights>({
  for: { kind: 0, least: 1, verbs: WATCH_VERBS, watches: true },
  owns: { kind: 0, least: 1, verbs: WATCH_VERBS, watches: true },
  watches: { kind: 0, least: 2, verbs: WATCH_VERBS, watches: true },
  watch: { kind: 0, least: 2, verbs: WATCH_VERBS, watches: true },
  dependents: {
    kind: 0,
    path: ["kinds", EACH],
    least: 1,
    verbs: [...WATCH_VERBS, "create", "patch", "delete"],
    watches: true,
  },
});

const CACHE = tableOf<CallRights>({
  informersFor: { kind: 0, least: 1, verbs: WATCH_VERBS, watches: true },
  addIndex: { kind: 0, least: 3, verbs: WATCH_VERBS, watches: true },
});

/** The kind of a status is that of the object itself. */
const STATUS = tableOf<CallRights>({
  patch: { kind: 0, least: 2, verbs: ["patch"] },
  update: { kind: 0, least: 1, verbs: ["update"] },
  apply: { kind: 0, least: 2, verbs: ["patch"] },
});

const SUBRESOURCE = tableOf<CallRights>({
  get: { kind: 0, least: 2, verbs: ["get"] },
  create: { kind: 0, least: 3, verbs: ["create"] },
  update: { kind: 0, least: 3, verbs: ["update"] },
  patch: { kind: 0, least: 3, verbs: ["patch"] },
});

const FUNCTIONS = tableOf<CallRights>({
  createOrUpdate: {
    kind: 1,
    least: 3,
    verbs: ["get", "create", "update"],
    watched: [...WATCH_VERBS, "create", "update"],
  },
  createOrPatch: {
    kind: 1,
    least: 4,
    verbs: ["get", "create", "patch"],
    watched: [...WATCH_VERBS, "create", "patch"],
    statusIn: 3,
  },
  findOwned: { kind: 1, least: 4, verbs: ["get"], watched: WATCH_VERBS },
  createOrUpdateOwned: {
    kind: 1,
    least: 5,
    verbs: ["get", "create", "update"],
    watched: [...WATCH_VERBS, "create", "update"],
  },
  deleteOwned: { kind: 1, least: 4, verbs: ["get", "delete"] },
  timerSource: { kind: 1, least: 3, verbs: WATCH_VERBS, watches: true },
  addFinalizer: { kind: 1, least: 4, verbs: ["patch"] },
  removeFinalizer: { kind: 1, least: 4, verbs: ["patch"] },
});

/**
 * The methods that reach into pods, whose kind no argument says. API servers ask for both verbs
 * where something is run.
 */
const PODS = tableOf<PodRights>({
  logs: { suffix: "/log", verbs: ["get"] },
  exec: { suffix: "/exec", verbs: ["create", "get"] },
  attach: { suffix: "/attach", verbs: ["create", "get"] },
  connect: { suffix: "/portforward", verbs: ["create", "get"] },
  portForward: { suffix: "/portforward", verbs: ["create", "get"] },
});

/** The rights that a call needs for a subresource of pods. */
export interface PodRights {
  readonly suffix: string;
  readonly verbs: readonly string[];
}

/** The rights that a method of `client.pods` needs. */
export function podRights(receiver: Receiver | undefined, name: string): PodRights | undefined {
  return receiver?.is === "pods" ? PODS.get(name) : undefined;
}

/** The rights that a function of `tsop` needs. */
export const functionRights = (name: string): CallRights | undefined => FUNCTIONS.get(name);

/**
 * The rights that a method needs; where the receiver is not known, those of a client or a builder.
 */
export function methodRights(receiver: Receiver | undefined, name: string): CallRights | undefined {
  switch (receiver?.is) {
    case undefined:
      return CLIENT.get(name) ?? BUILDER.get(name);
    case "client": {
      const rights = CLIENT.get(name);
      if (!rights || !receiver.live) return rights;
      const { kind, least, verbs } = rights;
      return { kind, least, verbs };
    }
    case "builder":
      return BUILDER.get(name);
    case "cache":
      return CACHE.get(name);
    case "status":
      return STATUS.get(name);
    case "subresource":
      return SUBRESOURCE.get(name);
    case "pods":
    case "manager":
    case "recorder":
    case "other":
      return undefined;
  }
}

/** The part of a path behind the kind: `/status`; `undefined` where it is not known. */
export function suffixOf(receiver: Receiver | undefined): string | undefined {
  if (receiver?.is === "status") return "/status";
  if (receiver?.is !== "subresource") return "";
  return receiver.subresource === undefined ? undefined : `/${receiver.subresource}`;
}

/** The rights that a call needs for an owner. */
export function ownerRights({
  verbs,
  watched,
  forOwner,
}: CallRights): Pick<CallRights, "verbs" | "watched"> {
  if (forOwner) return { verbs: [...forOwner, ...verbs], watched: verbs };
  return { verbs, ...(watched ? { watched } : {}) };
}
