import type { CountedMeta, ObjectMeta } from "../../src/kube/object.ts";

/** An object of a test as one that was read: what the server sets is there for the compiler, and nothing looks at it. */
export function asRead<T extends { metadata: ObjectMeta }>(
  object: T,
): Omit<T, "metadata"> & { metadata: CountedMeta & T["metadata"] } {
  return object as Omit<T, "metadata"> & { metadata: CountedMeta & T["metadata"] };
}
