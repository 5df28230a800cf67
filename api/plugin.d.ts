// The public API of tsop/plugin, for reviews: a change of it is seen here.
// Made from the code by `npm run make -- api`.

interface AnyCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

interface Column<T> {
  readonly name: string;
  readonly wide?: boolean;
  cell(row: T, nowMs: number): string | number | boolean | null | undefined;
}

interface CommandWithFlags<F extends FlagOptions> extends PluginCommand {
  readonly flags: F;
  run(call: PluginCall<FlagValues<F>>): Promise<void> | void;
  complete?(call: PluginCall<FlagValues<F>>): Promise<readonly string[]> | readonly string[];
}

type Format = (typeof FORMATS)[number];

interface KubectlPlugin {
  readonly name: string;
  readonly summary: string;
  readonly commands: ReadonlyMap<string, PluginCommand>;
}

interface PluginCall<F = Readonly<Record<string, string | number | boolean | undefined>>> {
  readonly client: Client;
  readonly args: readonly string[];
  readonly flags: F;
  readonly namespace: string | undefined;
  readonly selector: string | undefined;
  readonly format: Format | undefined;
  readonly nowMs: number;
  readonly select: <T extends KubeObject>(token: ReadToken<T>) => Promise<T[]>;
  readonly print: <T extends KubeObject>(
    objects: readonly T[],
    shown: readonly Column<NoInfer<T>>[],
  ) => void;
  readonly table: <T>(
    rows: readonly T[],
    shown: readonly Column<NoInfer<T>>[],
    indent?: string,
  ) => void;
  readonly out: (line: string) => void;
  readonly fail: (line: string) => void;
}

interface PluginCommand {
  readonly summary: string;
  readonly args?: string;
  readonly examples?: readonly string[];
  readonly flags?: FlagOptions;
  run(call: PluginCall): Promise<void> | void;
  complete?(call: PluginCall): Promise<readonly string[]> | readonly string[];
}

interface PluginOptions {
  readonly name: string;
  readonly summary: string;
  readonly commands: Readonly<Record<string, PluginCommand>>;
}

const columns: {
  readonly namespace: {
    readonly name: "NAMESPACE";
    readonly cell: ({ metadata }: KubeObject) => string | undefined;
  };
  readonly name: {
    readonly name: "NAME";
    readonly cell: ({ metadata }: KubeObject) => string;
  };
  readonly status: {
    readonly name: "STATUS";
    readonly cell: (object: KubeObject, nowMs: number) => ObjectProgress;
  };
  readonly message: {
    readonly name: "MESSAGE";
    readonly wide: true;
    readonly cell: (object: KubeObject, nowMs: number) => string;
  };
  readonly age: {
    readonly name: "AGE";
    readonly cell: ({ metadata }: KubeObject, nowMs: number) => string;
  };
};

function conditionsOf(object: KubeObject): readonly AnyCondition[];

function kubectlPlugin({ name, summary, commands }: PluginOptions): KubectlPlugin;

const pluginCommand: <const F extends FlagOptions>(command: CommandWithFlags<F>) => PluginCommand;

function runPlugin(plugin: KubectlPlugin): Promise<void>;

// Named by these, and not exported.

const FORMATS: readonly ["json", "yaml", "wide", "name"];
