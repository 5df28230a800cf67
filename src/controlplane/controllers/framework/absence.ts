/** Writes to objects that may be gone, or exist, meanwhile. */
import { isAlreadyExists, isNotFound } from "../../../kube/status.ts";

/**
 * Whether the write found its object: an object that is gone is not a failure.
 *
 * @throws StatusError from the promise for everything but a 404
 */
export async function unlessGone(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (thrown) {
    if (isNotFound(thrown)) return false;
    throw thrown;
  }
}

/** Waits for a creation: an object that exists already is not a failure. */
export async function unlessThere(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown;
  }
}
