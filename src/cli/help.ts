/** The parts of `--help` beside flags: examples of each command, exit codes, environment. */
import type { Command } from "commander";
import { tableOf } from "../table.ts";

/** Examples by command, the most usual first. */
export const EXAMPLES = tableOf<readonly string[]>({
  init: [
    "tsop init --domain example.com",
    "tsop init web-operator --domain example.com --owner 'Jane Doe' --license mit",
  ],
  "create api": [
    "tsop create api --group web --version v1 --kind MyWeb --field image:string=nginx --field 'port:int?'",
    "tsop create api --group web --version v1 --kind MyWeb --image nginx:1.29",
    "tsop create api --group web --version v2 --kind MyWeb",
    "tsop create api --group web --version v1 --kind MyWeb --force --dry-run --diff",
  ],
  "create controller": [
    "tsop create controller --group web --version v1 --kind MyWeb",
    "tsop create controller --group apps --version v1 --kind Deployment",
  ],
  "create webhook": [
    "tsop create webhook --group web --version v1 --kind MyWeb --defaulting --validation",
    "tsop create webhook --group web --version v1 --kind MyWeb --conversion --spoke v1alpha1,v1beta1",
    "tsop create webhook --group apps --version v1 --kind Deployment --validation",
  ],
  "create plugin": [
    "tsop create plugin webs",
    "tsop create plugin webs --group web --version v1 --kind MyWeb --dry-run --diff",
  ],
  "delete plugin": ["tsop delete plugin webs"],
  "delete api": [
    "tsop delete api --group web --version v1 --kind MyWeb",
    "tsop delete api --group web --version v1 --kind MyWeb --dry-run --diff",
  ],
  "delete controller": ["tsop delete controller --group web --version v1 --kind MyWeb"],
  "delete webhook": [
    "tsop delete webhook --group web --version v1 --kind MyWeb",
    "tsop delete webhook --group web --version v1 --kind MyWeb --conversion",
  ],
  list: ["tsop list", "tsop list --output json"],
  validate: [
    "tsop validate config/samples",
    "kubectl kustomize config/default | tsop validate -",
    "tsop validate crds/ app.yaml --namespace shop --output json",
  ],
  doctor: ["tsop doctor", "tsop doctor config/", "tsop doctor manifests.yaml --output json"],
  edit: [
    "tsop edit --enable prometheus,metrics-certs",
    "tsop edit --disable network-policy --dry-run --diff",
    "tsop edit --certificates cert-manager",
    "tsop edit --certificates secret --dry-run --diff",
  ],
  upgrade: [
    "npm install tsop@latest && npx tsop upgrade --dry-run --diff",
    "tsop upgrade",
    "tsop upgrade --conflicts markers",
  ],
  manifests: [
    "tsop manifests",
    "tsop manifests --check",
    "tsop manifests --against cluster",
    "tsop manifests --against main -o json",
  ],
  explain: ["tsop explain Minimum", "tsop explain right-missing"],
  import: ["tsop import crd.yaml", "tsop import cluster --only certificates.cert-manager.io"],
  install: ["tsop install", "tsop install --context staging --dry-run"],
  uninstall: ["tsop uninstall", "tsop uninstall --delete-objects"],
  deploy: [
    "tsop deploy --image registry.example.com/web-operator:0.1.0",
    "tsop deploy --image web-operator:0.1.0 --render > install.yaml",
  ],
  chart: [
    "tsop chart --image registry.example.com/web-operator:0.1.0",
    "tsop chart --check",
    "tsop chart --output-dir dist/chart --chart-version 1.2.0 --dry-run --diff",
  ],
  bundle: [
    "tsop bundle --image registry.example.com/web-operator@sha256:0123...",
    "tsop bundle --version 0.2.0 --replaces 0.1.0 --channels stable,candidate",
    "tsop bundle --check",
  ],
  "generate client": [
    "tsop generate client",
    "tsop generate client --name @acme/web-client --output-dir dist/client",
    "tsop generate client --check",
  ],
  krew: [
    "tsop krew webs",
    "tsop krew webs --homepage https://example.com --uri https://example.com/kubectl-webs.tar.gz",
  ],
  image: [
    "tsop image --image registry.example.com/web-operator:0.1.0",
    "tsop image --image web-operator:0.1.0 --platform linux/amd64,linux/arm64",
    "tsop image --image web-operator:0.1.0 --base base.tar",
  ],
  plan: [
    "tsop plan --image registry.example.com/web-operator:0.2.0",
    "tsop plan --image web-operator:0.2.0 --context staging --output json",
  ],
  why: [
    "tsop why deployment/web",
    "tsop why myweb/web -n shop --last 20",
    "tsop why myweb/web --context staging -o json",
    "tsop why --page --context staging",
  ],
  replay: [
    "tsop replay .tsop/dev/recordings/myweb-default_web.recording.json",
    "tsop replay test/recordings/web.recording.json --inspect-brk",
  ],
  undeploy: ["tsop undeploy", "tsop undeploy --dry-run"],
  migrate: ["tsop migrate --dry-run", "tsop migrate", "tsop migrate --kind MyWeb --output json"],
  run: [
    "tsop run",
    "tsop run --context staging -- --leader-elect",
    "tsop run --webhook-address 192.168.1.20:9443",
  ],
  build: ["tsop build"],
  dev: ["tsop dev", "tsop dev --port 6443"],
  cluster: ["tsop cluster", "tsop cluster --port 6443 --nodes 3 --data-dir .tsop/data"],
  version: ["tsop version --json"],
  completion: ["source <(tsop completion bash)", "tsop completion fish | source"],
});

/** The exit codes of a command, for programs. */
export const EXIT_CODES: Readonly<Record<string, string>> = {
  "0": "done",
  "1": "failed, and stderr says why and the next step; or `doctor` or `validate` found something",
  "2": "wrong usage; nothing was done",
  "3": "`--check`, `manifests --against`, `plan` or `replay` found a difference",
};

/** The variables that commands look at. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  KUBECONFIG: "the kubeconfig files of the commands that work on a cluster, as for kubectl",
  TSOP_OPERATOR_TOKEN: "what `why --operator` shows to a debug endpoint that asks for a token",
  NO_COLOR: "no colours; FORCE_COLOR: colours without a terminal",
  TSOP_DEBUG: "a stack with each error",
  TSOP_CACHE_DIR:
    "where `manifests` keeps what lets the next run on unchanged code end at once; the user's cache folder when it is not set, never the project",
};

/** Adds the examples to each command's help, exit codes and environment to the program's. */
export function addHelp(program: Command): void {
  program.addHelpText(
    "after",
    ["", ...section("Exit codes", EXIT_CODES), "", ...section("Environment", ENVIRONMENT)].join(
      "\n",
    ),
  );
  for (const { path, command } of commandsBelow(program)) {
    const examples = EXAMPLES.get(path);
    if (!examples) continue;
    command.showHelpAfterError(`For example: ${examples[0]}\n(\`--help\` shows what it takes)`);
    command.addHelpText("after", `\nExamples:\n${examples.map((line) => `  ${line}`).join("\n")}`);
  }
}

/** All commands that help shows, with their words, in the order of the tree. */
export function commandsBelow(
  command: Command,
  path = "",
): readonly { readonly path: string; readonly command: Command }[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== "help")
    .flatMap((child) => {
      const words = `${path} ${child.name()}`.trim();
      return [{ path: words, command: child }, ...commandsBelow(child, words)];
    });
}

/** All commands with their descriptions, as a table in Markdown. */
export function commandTable(program: Command): string {
  const rows = commandsBelow(program)
    .filter(({ command }) => command.commands.length === 0)
    .map(({ path, command }) => [`\`tsop ${path}\``, command.summary()] as const);
  const width = Math.max(...rows.map(([name]) => name.length));
  const about = Math.max(...rows.map(([, summary]) => summary.length));
  return [
    ["command", "what it does"] as const,
    ["-".repeat(width), "-".repeat(about)] as const,
    ...rows,
  ]
    .map(([name, summary]) => `| ${name.padEnd(width)} | ${summary.padEnd(about)} |`)
    .join("\n");
}

function section(title: string, entries: Readonly<Record<string, string>>): string[] {
  const width = Math.max(...Object.keys(entries).map((key) => key.length));
  return [
    `${title}:`,
    ...Object.entries(entries).map(([key, text]) => `  ${key.padEnd(width)}  ${text}`),
  ];
}
