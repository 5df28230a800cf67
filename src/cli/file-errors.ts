/** The meaning of a failed operation on a file, and what to do about it. */
import { messageOf, TsopError } from "../errors.ts";
import { NOT_REGULAR } from "../regular-file.ts";
import { tableOf } from "../table.ts";

/** The operating system's complaint, and the next step. */
interface FileProblem {
  readonly problem: string;
  readonly fix: string;
}

const PERMISSION: FileProblem = {
  problem: "permission denied",
  fix: "Give your user permission, or work on a copy that your user owns.",
};
const TOO_MANY: FileProblem = {
  problem: "too many files are open",
  fix: "Raise the limit (`ulimit -n`), or end what holds them open, and run the command again.",
};
const FULL: FileProblem = {
  problem: "no space is left on the disk",
  fix: "Free some space and run the command again.",
};

/** The problems by the code of the operating system's error. */
const PROBLEMS = tableOf<FileProblem>({
  EACCES: PERMISSION,
  EPERM: PERMISSION,
  EROFS: {
    problem: "the file system is read-only",
    fix: "Run the command where files can be written, or mount the folder writable.",
  },
  ENOSPC: FULL,
  EDQUOT: { ...FULL, problem: "the disk quota is used up" },
  [NOT_REGULAR]: {
    problem: "it is a device, a pipe, or a socket, but a file is expected",
    fix: "Replace it by a file, or remove it.",
  },
  EISDIR: {
    problem: "it is a folder, but a file is expected",
    fix: "Move the folder away, or name a file.",
  },
  ENOTDIR: {
    problem: "a part of the path is a file, but a folder is expected",
    fix: "Move that file away, or name another path.",
  },
  EEXIST: {
    problem: "the name is already taken",
    fix: "Move it away, or name another path.",
  },
  ENOTEMPTY: {
    problem: "the folder is not empty",
    fix: "Move its contents, or choose another path.",
  },
  ENOENT: {
    problem: "there is no such file or folder",
    fix: "Check the path, and run the command again.",
  },
  ELOOP: {
    problem: "its symbolic links lead in a circle",
    fix: "Remove the links, or name the file itself.",
  },
  EMFILE: TOO_MANY,
  ENFILE: TOO_MANY,
  ENAMETOOLONG: {
    problem: "the name is longer than the file system takes",
    fix: "Use a shorter name, or move the project to a shorter path.",
  },
  EBUSY: {
    problem: "another program uses it",
    fix: "Close that program and run the command again.",
  },
  EIO: {
    problem: "the disk failed to read or write it",
    fix: "Check the disk, and run the command again.",
  },
});

interface SystemError extends Error {
  readonly code?: string;
  readonly path?: string;
  readonly syscall?: string;
}

/** The problem of a file, and the next step; the bare message where the error is of another kind. */
export function fileProblem(thrown: unknown): FileProblem {
  const known = knownProblem(thrown);
  return known ?? { problem: messageOf(thrown), fix: "Make that place readable and writable." };
}

/** The error of a file operation that was not expected to fail; `undefined` for any other error. */
export function fileError(thrown: unknown): TsopError | undefined {
  const known = knownProblem(thrown);
  const { path } = thrown as SystemError;
  if (!known || path === undefined) return undefined;
  return new TsopError("file-failed", `${path} cannot be used: ${known.problem}.`, known.fix, {
    cause: thrown,
  });
}

function knownProblem(thrown: unknown): FileProblem | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { code, syscall } = thrown as SystemError;
  return code !== undefined && syscall !== undefined ? PROBLEMS.get(code) : undefined;
}
