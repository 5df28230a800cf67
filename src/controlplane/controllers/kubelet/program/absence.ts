/** Names that say of themselves that there is nothing of that name, as tests and examples use them. */

const NO_SUCH =
  /(?:^|[^a-z])(?:no[^a-z]?such|non-?existent|not-?exist|does[^a-z]?not[^a-z]?exist|missing)(?:[^a-z]|$)/i;

/** Whether a program's name says that it does not exist: `/no/such/program`, `nonexistent`. */
export const isNoProgram = (program: string): boolean => NO_SUCH.test(program);

/** Whether an image's name says that it cannot be pulled: the tag `none`, `nonexistent`, a registry in `.invalid`. */
export const isNoImage = (image: string): boolean =>
  NO_SUCH.test(image) ||
  /:(?:none|invalid)$/.test(image) ||
  /^[^/]*\.invalid(?::\d+)?\//.test(image);
