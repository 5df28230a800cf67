/**
 * Accepts the names of new definitions, establishes them, and clears up after deleted ones.
 *
 * Part of the API server itself: it runs even where no other controller does. Run it in a
 * `WorkLoop`.
 */
import { timeOf } from "../../kube/values/times.ts";
import { copyJson, sameJson } from "../../kube/json.ts";
import { DEFINITIONS } from "../builtin/tokens.ts";
import { textOf } from "../controllers/framework/keys.ts";
import { unlessGone } from "../controllers/framework/absence.ts";
import type { StoreEvent } from "../controllers/framework/client.ts";
import type { ResourceName } from "../resource-name.ts";
import {
  ObjectController,
  type Tools,
  watch,
  watchAll,
} from "../controllers/framework/controller.ts";
import { approvalOf, isProtectedGroup } from "../../kube/definition/approval.ts";
import {
  CLEANUP_FINALIZER,
  type Definition,
  type DefinitionNames,
  findCondition,
  isConditionTrue,
  setCondition,
} from "../../kube/definition/definition.ts";

/**
 * How long to wait before looking again at objects with finalizers, in milliseconds; no event
 * announces their end.
 */
const RECHECK_MS = 5000;
const APPROVAL_REASONS = {
  approved: "ApprovedAnnotation",
  bypassed: "UnapprovedAnnotation",
  invalid: "InvalidAnnotation",
  missing: "MissingAnnotation",
} as const;

type Conflict = readonly [reason: string, message: string];

const acceptedNamesOf = (definition: Definition | undefined): DefinitionNames =>
  definition?.status?.acceptedNames ?? {};

/** The controllers of kube-apiserver for CustomResourceDefinitions, as one. */
export class CrdController extends ObjectController<Definition> {
  readonly name = "kube-apiserver";
  readonly resource = DEFINITIONS;
  readonly watches = [
    watch(DEFINITIONS),
    watch(DEFINITIONS, (event) => this.#rivalsOf(event)),
    watchAll(definitionOf),
  ];

  readonly #graceMs: number;
  /** When a definition was first seen to be terminating, by its uid. */
  readonly #terminating = new Map<string, number>();

  /** @param graceMs - how long a deleted definition stays before its objects are removed, in milliseconds */
  constructor(tools: Tools, { graceMs }: { readonly graceMs: number }) {
    super(tools);
    this.#graceMs = graceMs;
  }

  /** The other definitions of a group, when the names of one of them change. */
  *#rivalsOf({ type, object, old }: StoreEvent<Definition>): Iterable<string> {
    const changed = !sameJson(acceptedNamesOf(object), acceptedNamesOf(old));
    if (type === "MODIFIED" && !changed) return;
    for (const other of this.#definitions()) {
      const isRival = other.spec.group === object.spec.group;
      if (isRival && other.metadata.name !== object.metadata.name) yield textOf(other);
    }
  }

  protected async reconcile(found: Definition): Promise<number | undefined> {
    let definition = copyJson(found);
    if (definition.metadata.deletionTimestamp !== undefined) return this.#finish(definition);
    if (this.#acceptNames(definition)) definition = await this.#write(definition);
    if (this.#approve(definition)) definition = await this.#write(definition);
    if (this.#establish(definition)) await this.#write(definition);
    return undefined;
  }

  /** Accepts the names that are free. @returns whether anything changed */
  #acceptNames(definition: Definition): boolean {
    const wanted = definition.spec.names ?? {};
    const accepted = definition.status?.acceptedNames ?? {};
    if (sameJson(wanted, accepted)) return false;
    const { names, conflict } = this.#decideNames(definition, wanted, accepted);
    const changed = conflict
      ? this.#set(definition, "NamesAccepted", "False", ...conflict)
      : this.#set(definition, "NamesAccepted", "True", "NoConflicts", "no conflicts found");
    if (!changed && sameJson(names, accepted)) return false;
    (definition.status ??= {}).acceptedNames = names;
    if (!conflict && !isConditionTrue(definition, "Established")) {
      const message = "the initial names have been accepted";
      this.#set(definition, "Established", "False", "Installing", message);
    } else if (!findCondition(definition, "Established")) {
      const message = "not all names are accepted";
      this.#set(definition, "Established", "False", "NotAccepted", message);
    }
    return true;
  }

  /** The names to accept, and the reason and message of the last conflict. */
  #decideNames(
    definition: Definition,
    wanted: DefinitionNames,
    accepted: DefinitionNames,
  ): { readonly names: DefinitionNames; readonly conflict: Conflict | undefined } {
    const taken = this.#takenNames(definition);
    const names: DefinitionNames = { ...accepted };
    let conflict: Conflict | undefined;
    const inUse = (name: string): string => `${JSON.stringify(name)} is already in use`;
    const take = (part: "plural" | "singular" | "kind" | "listKind", reason: string): void => {
      const name = wanted[part] ?? "";
      const used = part === "plural" || part === "singular" ? taken.resources : taken.kinds;
      if (name !== (accepted[part] ?? "") && used.has(name)) conflict = [reason, inUse(name)];
      else names[part] = name;
    };
    take("plural", "PluralConflict");
    take("singular", "SingularConflict");
    const messages = (wanted.shortNames ?? [])
      .filter((name) => !accepted.shortNames?.includes(name) && taken.resources.has(name))
      .map(inUse);
    if (messages.length > 0) {
      const [only = ""] = messages;
      const text = messages.length === 1 ? only : `[${messages.join(", ")}]`;
      conflict = ["ShortNamesConflict", text];
    } else setOrDrop(names, "shortNames", wanted.shortNames);
    take("kind", "KindConflict");
    take("listKind", "ListKindConflict");
    setOrDrop(names, "categories", wanted.categories);
    return { names, conflict };
  }

  /** The names that the group's definitions have accepted, including the definition's own. */
  #takenNames({ spec }: Definition): {
    readonly resources: ReadonlySet<string>;
    readonly kinds: ReadonlySet<string>;
  } {
    const resources = new Set<string>();
    const kinds = new Set<string>();
    for (const other of this.#definitions()) {
      if (other.spec.group !== spec.group) continue;
      const names = acceptedNamesOf(other);
      for (const name of [names.plural, names.singular, ...(names.shortNames ?? [])]) {
        if (name) resources.add(name);
      }
      for (const kind of [names.kind, names.listKind]) if (kind) kinds.add(kind);
    }
    return { resources, kinds };
  }

  /** Sets whether a protected group is approved. @returns whether anything changed */
  #approve(definition: Definition): boolean {
    if (!isProtectedGroup(definition.spec.group ?? "")) return false;
    const { state, reason } = approvalOf(definition);
    const type = "KubernetesAPIApprovalPolicyConformant";
    const status = state === "approved" ? "True" : "False";
    return this.#set(definition, type, status, APPROVAL_REASONS[state], reason);
  }

  /** @returns whether the definition is served from now on */
  #establish(definition: Definition): boolean {
    if (!isConditionTrue(definition, "NamesAccepted")) return false;
    if (isConditionTrue(definition, "Established")) return false;
    const message = "the initial names have been accepted";
    return this.#set(definition, "Established", "True", "InitialNamesAccepted", message);
  }

  /** Removes the objects of a deleted definition, then lets the definition go. */
  async #finish(definition: Definition): Promise<number | undefined> {
    const { finalizers = [], uid = "" } = definition.metadata;
    if (!finalizers.includes(CLEANUP_FINALIZER)) return undefined;
    const now = this.clock.monotonicMs();
    const sinceMs = this.#terminating.get(uid) ?? now;
    this.#terminating.set(uid, sinceMs);
    if (now - sinceMs < this.#graceMs) return sinceMs + this.#graceMs - now;
    let current = definition;
    if (findCondition(definition, "Terminating")?.reason !== "InstanceDeletionInProgress") {
      const message = "CustomResource deletion is in progress";
      this.#set(current, "Terminating", "True", "InstanceDeletionInProgress", message);
      current = await this.#write(current);
    }
    if (isConditionTrue(current, "Established")) {
      if (!(await this.#removeObjects(current))) return RECHECK_MS;
      const message = "removed all instances";
      this.#set(current, "Terminating", "False", "InstanceDeletionCompleted", message);
    } else {
      const message = "resource was never established";
      this.#set(current, "Terminating", "False", "NeverEstablished", message);
    }
    current.metadata.finalizers = finalizers.filter((name) => name !== CLEANUP_FINALIZER);
    if (current.metadata.finalizers.length === 0) delete current.metadata.finalizers;
    await this.#write(current);
    this.#terminating.delete(uid);
    return undefined;
  }

  /** Sets a condition. @returns whether anything but its time changed */
  #set(
    definition: Definition,
    type: string,
    status: "True" | "False",
    reason: string,
    message: string,
  ): boolean {
    const before = findCondition(definition, type);
    if (before?.status === status && before.reason === reason && before.message === message) {
      return false;
    }
    setCondition(definition, { type, status, reason, message }, timeOf(this.clock.now()));
    return true;
  }

  /** @returns whether no object is left */
  async #removeObjects({ spec, status }: Definition): Promise<boolean> {
    const resource: ResourceName = {
      group: spec.group ?? "",
      plural: status?.acceptedNames?.plural ?? "",
    };
    for (const { metadata } of this.client.list(resource)) {
      if (metadata.deletionTimestamp !== undefined) continue;
      await unlessGone(this.client.remove(resource, metadata));
    }
    return this.client.list(resource).length === 0;
  }

  async #write(definition: Definition): Promise<Definition> {
    const written = await this.client.update(DEFINITIONS, definition, "status");
    return copyJson(written);
  }

  #definitions(): readonly Definition[] {
    return this.client.list(DEFINITIONS);
  }
}

/** The key of the definition of a deleted object. */
const definitionOf = ({ type, resource: { plural, group } }: StoreEvent): string[] =>
  type === "DELETED" && group.includes(".") ? [`/${plural}.${group}`] : [];

function setOrDrop(
  names: DefinitionNames,
  part: "shortNames" | "categories",
  value: string[] | undefined,
): void {
  if (value && value.length > 0) names[part] = [...value];
  else delete names[part];
}
