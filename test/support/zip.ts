/**
 * Reads one file out of a zip archive, by its central directory.
 *
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */
import { inflateRawSync } from "node:zlib";

const END = 0x06054b50;
const END_BYTES = 22;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;

/** The content of the entry called `name`. @throws Error when there is none, or it is packed in an unknown way */
export function readZipEntry(archive: Buffer, name: string): Buffer {
  let end = archive.length - END_BYTES;
  while (end >= 0 && archive.readUInt32LE(end) !== END) end -= 1;
  if (end < 0) throw new Error("This is no zip archive.");
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (archive.readUInt32LE(at) !== ENTRY) throw new Error("The zip archive is damaged.");
    const nameBytes = archive.readUInt16LE(at + 28);
    if (archive.toString("utf8", at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes) === name) {
      return contentOf(archive, at);
    }
    at += ENTRY_BYTES + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  throw new Error(`The zip archive has no ${name}.`);
}

function contentOf(archive: Buffer, entry: number): Buffer {
  const method = archive.readUInt16LE(entry + 10);
  const packedBytes = archive.readUInt32LE(entry + 20);
  const local = archive.readUInt32LE(entry + 42);
  const start =
    local + LOCAL_BYTES + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const packed = archive.subarray(start, start + packedBytes);
  if (method === STORED) return packed;
  if (method === DEFLATED) return inflateRawSync(packed);
  throw new Error(`The zip archive packs in the way ${method}.`);
}
