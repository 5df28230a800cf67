/** The ways in which programs build and start a controller. */

/** The pieces of such a program. */
interface Program {
  /** The expression of the reconciler; `manager` and `controller` are known. */
  readonly reconciler: string;
  readonly chain: string;
  readonly options: string;
  readonly before: readonly string[];
  readonly wiring: string;
  readonly afterwards: string;
}

/** A way to build a controller. */
export interface Wiring {
  readonly name: string;
  /** The helpers that it needs, and the text of `main.ts`. */
  write(program: Program): { readonly helpers?: string; readonly main: string };
}

const startOf = ({ options, wiring, afterwards, before }: Program, built: string): string =>
  `export function start(options: ManagerOptions): Manager {
${before.join("\n")}
  const manager = createManager({ ...options, name: "judge"${options} });
${built.includes("builder") || wiring.includes("builder") ? "  const builder = controllerFor(manager).for(Page);\n" : ""}${wiring}
${built}
${afterwards}
  return manager;
}`;

const started = ({ afterwards }: Program): string => (afterwards === "" ? "" : "const started = ");
const begin = ({ wiring }: Program): string =>
  wiring.includes("builder") ? "builder" : "controllerFor(manager).for(Page)";

/** All ways; the first is the plainest. */
export const WIRINGS: readonly Wiring[] = [
  {
    name: "a chain",
    write: (program) => ({
      main: startOf(
        program,
        `  ${started(program)}${begin(program)}${program.chain}.complete(${program.reconciler});`,
      ),
    }),
  },
  {
    name: "a builder in a variable",
    write: (program) => ({
      main: startOf(
        program,
        `  builder${program.chain};\n  ${started(program)}builder.complete(${program.reconciler});`,
      ),
    }),
  },
  {
    name: "a reconciler in a variable",
    write: (program) => ({
      main: startOf(
        program,
        `  const reconciler: Reconciler<Page> = ${program.reconciler};\n  ${started(program)}${begin(program)}${program.chain}.complete(reconciler);`,
      ),
    }),
  },
  {
    name: "a wrapped reconciler",
    write: (program) => ({
      helpers: `export function logged(inner: Reconciler<Page>): Reconciler<Page> {
  const { cleanup } = inner;
  return {
    reconcile: (request, context) => inner.reconcile(request, context),
    ...(cleanup ? { cleanup: (page, context) => cleanup.call(inner, page, context) } : {}),
  };
}`,
      main: startOf(
        program,
        `  ${started(program)}${begin(program)}${program.chain}.complete(helpers.logged(${program.reconciler}));`,
      ),
    }),
  },
  {
    name: "a chosen reconciler",
    write: (program) => ({
      main: startOf(
        program,
        `  const idle: Reconciler<Page> = { reconcile: async () => {} };\n  ${started(program)}${begin(program)}${program.chain}.complete(options.name === "idle" ? idle : ${program.reconciler});`,
      ),
    }),
  },
  {
    name: "a function that sets up",
    write: (program) => ({
      main: `${startOf({ ...program, wiring: "", afterwards: "" }, "  setUp(manager);")}
function setUp(manager: Manager): void {
${program.wiring.includes("builder") ? "  const builder = controllerFor(manager).for(Page);\n" : ""}${program.wiring}
  ${started(program)}${begin(program)}${program.chain}.complete(${program.reconciler});
${program.afterwards}
}`,
    }),
  },
];
