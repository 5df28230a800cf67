/** The size of the data of ConfigMaps and Secrets. */
import { Buffer } from "node:buffer";

export const MAX_BYTES = 1024 * 1024;

export const FIXED = "field is immutable when `immutable` is set";

export const decodedBytes = (data: Readonly<Record<string, string | null>> | undefined): number =>
  Object.values(data ?? {}).reduce(
    (sum, value) => sum + Buffer.byteLength(value ?? "", "base64"),
    0,
  );
