/** Checks that a second pass changes nothing in a control plane. */
import type { ControlPlane, StoredChange } from "../../controlplane/control-plane.ts";
import type { SentObject } from "../../kube/object.ts";
import { describeObject, type Finding } from "./findings.ts";

/** Objects that report the work, or that a process is alive. */
const NOT_WORK: ReadonlySet<string> = new Set([
  "events",
  "events.events.k8s.io",
  "leases.coordination.k8s.io",
]);

/** The fields that change with each write. */
const OF_EACH_WRITE = ["resourceVersion", "managedFields", "generation"];

/** Formats the difference of two values; `undefined` when there is none. */
type ShowDifference = (before: unknown, after: unknown) => string | undefined;

/**
 * Runs the pass once, lets the control plane's own controllers react, and runs it again.
 *
 * @throws the error of `pass`
 */
export async function findingOfSecondPass(
  pass: () => unknown,
  controlPlane: ControlPlane,
  show: ShowDifference,
): Promise<Finding> {
  await pass();
  await controlPlane.settle();
  const writes: StoredChange[] = [];
  const end = controlPlane.onChange((change) => {
    if (!NOT_WORK.has(change.resource)) writes.push(change);
  });
  try {
    await pass();
  } finally {
    end();
  }
  if (writes.length === 0) {
    return {
      pass: true,
      message: "Expected the second pass to write something. It wrote nothing.",
    };
  }
  const count = writes.length === 1 ? "1 write" : `${writes.length} writes`;
  const shown = writes.map((write) => describeWrite(write, show)).join("\n\n");
  return {
    pass: false,
    message: `Expected the second pass not to write anything, because the first did all of the work. It made ${count}:\n\n${shown}`,
  };
}

const VERBS = { ADDED: "created", MODIFIED: "changed", DELETED: "deleted" } as const;

function describeWrite({ type, object, old }: StoredChange, show: ShowDifference): string {
  const head = `${VERBS[type]} ${describeObject(object)}`;
  if (type !== "MODIFIED" || !old) return head;
  const difference = show(contentOf(old), contentOf(object));
  return difference === undefined ? head : `${head}\n${difference}`;
}

function contentOf(object: SentObject): object {
  const metadata: Record<string, unknown> = { ...object.metadata };
  for (const field of OF_EACH_WRITE) Reflect.deleteProperty(metadata, field);
  return { ...object, metadata };
}
