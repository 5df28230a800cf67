/** The flags of the commands that write a package into a directory of the project. */
import { Option } from "../command.ts";

/** The description of `--output-dir`, whose default differs. */
export const OUTPUT_DIR = "directory of the package in the project";

export const force = new Option("--force", "overwrite files that you changed").default(false);
