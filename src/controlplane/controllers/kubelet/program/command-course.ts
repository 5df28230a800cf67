/** The course of a command. Times are milliseconds since its start. */
export interface CommandRun {
  /** When it ends; `undefined` when it never does. */
  readonly endMs: number | undefined;
  readonly exitCode: number;
  /** Whether it ends because it takes more memory than the container may have. */
  readonly isOutOfMemory: boolean;
  /** What it prints. */
  readonly output: readonly { readonly atMs: number; readonly text: string }[];
  /** The files that it writes and removes; the text of a removed one is `undefined`. */
  readonly files: readonly {
    readonly atMs: number;
    readonly path: string;
    readonly text: string | undefined;
  }[];
}
