/**
 * Tar archives that have the same bytes whenever they have the same content: sorted, with neither
 * owners nor times.
 *
 * @see https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06
 */
import { InternalError, TsopError } from "../../../errors.ts";

const BLOCK = 512;
/** The longest name in the header; nothing here needs more. */
const MAX_NAME = 100;
const FOLDER = "5";
const FILE = "0";
/** The modes of files and of what is entered or run. */
const READS = 0o644;
const RUNS = 0o755;

/**
 * The archive of the files, by path, with the folders above them.
 *
 * @param programs - those of the files that can be run
 */
export function writeTar(
  files: ReadonlyMap<string, Buffer>,
  programs: ReadonlySet<string> = new Set(),
): Buffer {
  const blocks: Buffer[] = [];
  const folders = new Set<string>();
  for (const path of [...files.keys()].sort()) {
    for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) {
      const folder = path.slice(0, end + 1);
      if (!folders.has(folder)) blocks.push(header(folder, 0, FOLDER, RUNS));
      folders.add(folder);
    }
    const content = files.get(path) ?? Buffer.alloc(0);
    blocks.push(header(path, content.length, FILE, programs.has(path) ? RUNS : READS), content);
    blocks.push(Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK));
  }
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function header(name: string, size: number, type: string, mode: number): Buffer {
  if (Buffer.byteLength(name) > MAX_NAME) throw new InternalError(`${name} is too long for a tar`);
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number): void => {
    block.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at);
  };
  block.write(name, 0);
  octal(mode, 100, 8);
  octal(0, 108, 8); // the user
  octal(0, 116, 8); // the group
  octal(size, 124, 12);
  octal(0, 136, 12); // the time
  block.write(" ".repeat(8), 148);
  block.write(type, 156);
  block.write("ustar\0" + "00", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

/**
 * The files of an archive, by path.
 *
 * @param from - where it is from, for errors
 * @throws TsopError `image-base` for a file that is not an archive, or is cut off
 */
export function readTar(archive: Buffer, from: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (let at = 0; at + BLOCK <= archive.length;) {
    const block = archive.subarray(at, at + BLOCK);
    if (block.every((byte) => byte === 0)) break;
    const size = Number.parseInt(textAt(block, 124, 12), 8);
    const end = at + BLOCK + size;
    if (textAt(block, 257, 5) !== "ustar" || Number.isNaN(size) || end > archive.length) {
      throw new TsopError(
        "image-base",
        `${from} is not a whole tar archive.`,
        "Name an OCI layout, as a folder or a tar: `crane pull --format=oci IMAGE base`.",
      );
    }
    const type = textAt(block, 156, 1);
    const prefix = textAt(block, 345, 155);
    const name = `${prefix === "" ? "" : `${prefix}/`}${textAt(block, 0, MAX_NAME)}`;
    if (type === FILE || type === "") {
      files.set(name.replace(/^\.\//, ""), archive.subarray(at + BLOCK, end));
    }
    at = end + ((BLOCK - (size % BLOCK)) % BLOCK);
  }
  return files;
}

function textAt(block: Buffer, at: number, length: number): string {
  const [text = ""] = block.toString("latin1", at, at + length).split("\0");
  return text.trim();
}
