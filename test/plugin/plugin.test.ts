import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "../../src/controlplane/control-plane.ts";
import { ConfigMap, Namespace, Node } from "../../src/k8s.ts";
import { columns, kubectlPlugin, pluginCommand } from "../../src/plugin.ts";
import { clientFor } from "../../src/testing/access.ts";
import { callPlugin, type PluginOutcome } from "../../src/testing/call-plugin.ts";
import { hasKubectl, Kubectl } from "../support/kubectl.ts";

const plugin = kubectlPlugin({
  name: "maps",
  summary: "Show ConfigMaps.",
  commands: {
    list: {
      summary: "List them.",
      args: "[NAME...]",
      examples: ["maps list -A"],
      async run(call) {
        const found = await call.select(ConfigMap);
        call.print(found, [
          columns.name,
          { name: "DATA", cell: ({ data = {} }) => Object.keys(data).length },
        ]);
      },
      complete: async ({ client, namespace }) =>
        (await client.list(ConfigMap, { namespace })).map(({ metadata }) => metadata.name),
    },
    nodes: {
      summary: "List nodes.",
      args: "[NAME...]",
      run: async (call) => call.print(await call.select(Node), [columns.name]),
    },
    greet: pluginCommand({
      summary: "Greet.",
      args: "NAME [OTHER]",
      flags: {
        loud: { type: "boolean", help: "in capitals" },
        word: { type: "string", help: "the greeting" },
      },
      run({ args, flags, out }) {
        const text = `${flags.word ?? "hello"} ${args.join(" and ")}`;
        out(flags.loud ? text.toUpperCase() : text);
      },
    }),
  },
});

let cluster: ControlPlane;

beforeAll(async () => {
  cluster = await startControlPlane();
  const client = clientFor(cluster);
  await client.create(Namespace, { metadata: { name: "shop" } });
  const data = { page: "<b>fish & chips</b>", lines: "one\ntwo\n", number: "0123", "a.b": "" };
  const labels = { app: "web" };
  await client.create(ConfigMap, { metadata: { name: "one", namespace: "shop", labels }, data });
  await client.create(ConfigMap, { metadata: { name: "two", namespace: "shop" }, data: {} });
});
afterAll(() => cluster.stop());

const call = (line: string): Promise<PluginOutcome> =>
  callPlugin(cluster, plugin, line === "" ? [] : line.split(" "));

const ignore = (): void => undefined;

describe("a plugin of kubectl", () => {
  it("selects as kubectl does: a namespace, all of them, labels, names", async () => {
    expect((await call("list -n shop")).out).toMatch(/^NAME +DATA\n(?:.*\n)*one +4\ntwo +0\n$/);
    expect((await call("-n=shop list one")).out).toBe("NAME   DATA\none    4\n");
    expect((await call("list -nshop -lapp=web --no-headers")).out).toBe("one   4\n");
    expect((await call("list -A -l app=web")).out).toBe(
      "NAMESPACE   NAME   DATA\nshop        one    4\n",
    );
    expect(await call("list -l app=none -n shop")).toEqual({
      code: 0,
      out: "",
      err: "No resources found in shop namespace.\n",
    });
    expect((await call("nodes")).out).toMatch(/^NAME\n\S/);
  });

  it("tells names that are not there, prints the others, and fails", async () => {
    expect(await call("list one nobody -n shop")).toEqual({
      code: 1,
      out: "NAME   DATA\none    4\n",
      err: 'Error from server (NotFound): configmaps "nobody" not found\n',
    });
    expect((await call("list one -A")).err).toContain(
      "a resource cannot be retrieved by name across all namespaces",
    );
    expect((await call("list one -l app=web")).err).toContain(
      "name cannot be provided when a selector is specified",
    );
  });

  it("acts as another user, whom the server may refuse", async () => {
    const { code, err } = await call("list -n shop --as jane --as-group devs");
    expect(code).toBe(1);
    expect(err).toBe(
      'Error from server (Forbidden): configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "shop"\n',
    );
  });

  it("takes flags and arguments of a command's own, and says what is wrong with them", async () => {
    expect((await call("greet --loud jane --word=hi joe")).out).toBe("HI JANE AND JOE\n");
    for (const [line, problem] of [
      ["greet", "an argument is missing: NAME [OTHER]"],
      ["greet a b c", 'the command takes NAME [OTHER], and nothing else, not "a" "b" "c"'],
      ["greet a --word", "flag needs an argument: --word"],
      ["greet a --loud=maybe", 'invalid argument "maybe" for "--loud": it is true or false'],
      ["list --loud", "unknown flag: --loud"],
      ["list -x", "unknown shorthand flag: 'x' in -x"],
      ["list -o xml", 'unable to match a printer suitable for the output format "xml"'],
    ] as const) {
      const { code, err } = await call(line);
      expect({ line, code, err }).toMatchObject({ code: 1 });
      expect(err).toContain(`error: ${problem}`);
      expect(err).toContain(`See 'kubectl maps ${line.split(" ")[0] ?? ""} --help' for usage.`);
    }
    expect((await call("lst")).err).toContain('unknown command "lst" for "kubectl maps"');
  });

  it("has help of its own and of each command", async () => {
    for (const line of ["", "--help", "help"]) {
      const { code, out } = await call(line);
      expect([line, code]).toEqual([line, 0]);
      expect(out).toContain("  list    List them.");
    }
    const { out } = await call("help greet");
    expect(out).toBe((await call("greet -h")).out);
    expect(out).toMatch(/ {4}--loud +in capitals/);
    expect(out).toMatch(/-n, --namespace <name> +the namespace/);
  });

  it("completes commands, flags, values and names, and no name twice", async () => {
    const complete = async (...words: string[]): Promise<string> =>
      (await callPlugin(cluster, plugin, ["__complete", ...words])).out;
    expect(await complete("l")).toBe("list\tList them.\n:4\n");
    expect(await complete("greet", "--lo")).toBe("--loud\tin capitals\n:4\n");
    expect(await complete("list", "-o", "")).toBe("json\nyaml\nwide\nname\n:4\n");
    expect(await complete("list", "-n", "sh")).toBe("shop\n:4\n");
    expect(await complete("list", "-n", "shop", "o")).toBe("one\n:4\n");
    expect(await complete("list", "-n", "shop", "one", "o")).toBe(":4\n");
    expect(await complete("greet", "")).toBe(":4\n");
  });

  it.each([
    ["Webs", {}],
    ["webs", {}],
    ["webs", { help: { summary: "", run: ignore } }],
    ["webs", { list: { summary: "", args: "[NAME] OTHER", run: ignore } }],
    [
      "webs",
      {
        list: {
          summary: "",
          flags: { namespace: { type: "string", help: "" } },
          run: ignore,
        },
      },
    ],
  ] as const)("is refused where kubectl could not call it: %s %o", (name, commands) => {
    expect(() => kubectlPlugin({ name, summary: "", commands })).toThrow(
      /^The (?:plugin|command|flag)/,
    );
  });
});

describe.skipIf(!hasKubectl)("the output of a plugin", () => {
  it.each(["json", "yaml", "name"])(
    "is that of kubectl get, byte by byte: -o %s",
    async (format) => {
      const kubectl = new Kubectl(cluster.kubeconfig);
      try {
        for (const line of [
          `-n shop -o ${format}`,
          `one -n shop -o ${format}`,
          `-l app=x -o ${format}`,
        ]) {
          const { out } = await call(`list ${line}`);
          const expected = await kubectl.output(["get", "configmaps", ...line.split(" ")]);
          expect(out).toBe(expected);
        }
      } finally {
        kubectl.close();
      }
    },
  );
});
