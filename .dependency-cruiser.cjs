/** Imports go down only. Each row: a folder of src, and the folders that it may import beside the ground. */
const MAY_IMPORT = {
  kube: [],
  markers: ["kube"],
  generator: ["markers", "kube"],
  runtime: ["markers", "kube", "generated"],
  controlplane: ["kube", "generated"],
  plugin: ["runtime", "generated", "kube"],
  cli: ["generator", "controlplane", "runtime", "markers", "kube", "generated"],
  page: ["cli/page/protocol", "runtime/journal/entry"],
};
const GROUND = "^src/(errors|log|clock|code-cache|file-lock|present|table)\\.ts$";

const downward = Object.entries(MAY_IMPORT).map(([folder, below]) => ({
  name: `${folder}-imports-downward`,
  comment: `src/${folder} may import ${[...below, "errors, log, clock, code-cache, file-lock, present, table"].join(", ")}. Move the shared piece down, or pass it in.`,
  severity: "error",
  from: { path: `^src/${folder}/` },
  to: {
    path: "^src/",
    pathNot: [`^src/${folder}/`, GROUND, ...below.map((name) => `^src/${name}[/.]`)],
  },
}));

/** Inside of src/controlplane, from the bottom up. Each row: a folder, and what else of controlplane it may import. */
const BESIDE_THE_SERVER = "(?!server/)";
const FILES = [
  "admission-plugins\\.ts$",
  "data-file\\.ts$",
  "failures\\.ts$",
  "kinds\\.ts$",
  "line-table\\.ts$",
  "request-attributes\\.ts$",
  "resource-name\\.ts$",
];
const FLOORS = {
  kinds: FILES,
  "wire/json": [],
  store: ["resource-name\\.ts$", "wire/json/"],
  auth: FILES,
  "admission/expressions": [...FILES, "auth/"],
  builtin: [...FILES, "wire/json/", "auth/", "admission/expressions/"],
  "builtin/tables": ["kinds\\.ts$", "data-file\\.ts$", "builtin/[^/]+\\.ts$"],
  "builtin/shared": [
    "kinds\\.ts$",
    "builtin/[^/]+\\.ts$",
    "builtin/tables/",
    "builtin/strategies/",
  ],
  views: ["kinds\\.ts$", "builtin/"],
  discovery: ["kinds\\.ts$", "failures\\.ts$", "views/"],
  wire: ["data-file\\.ts$", "builtin/"],
  apply: [...FILES, "builtin/", "wire/"],
  crd: [...FILES, "apply/", "builtin/", "controllers/", "discovery/"],
  openapi: ["kinds\\.ts$", "builtin/", "discovery/", "views/"],
  admission: [...FILES, "apply/", "auth/", "builtin/", "store/", "wire/"],
  controllers: ["resource-name\\.ts$", "kinds\\.ts$", "auth/", "builtin/"],
  "server/cluster": [BESIDE_THE_SERVER],
  "server/read": [BESIDE_THE_SERVER, "server/cluster/"],
  "server/write": [BESIDE_THE_SERVER, "server/cluster/"],
  "server/requests": [BESIDE_THE_SERVER, "server/cluster/", "server/read/", "server/write/"],
};

const floors = Object.entries(FLOORS).map(([folder, below]) => ({
  name: `controlplane-${folder.replace("/", "-")}-imports-downward`,
  comment: `src/controlplane/${folder} may import ${below.join(", ")} of controlplane.`,
  severity: "error",
  from: { path: `^src/controlplane/${folder}[/.]` },
  to: {
    path: "^src/controlplane/",
    pathNot: [folder + "/", ...below].map((path) => `^src/controlplane/${path}`),
  },
}));

/** A package, and the only places that know it. */
const ONLY_IN = {
  "@peculiar/asn1-schema": "^src/runtime/webhook/certificates/issue\\.ts$",
  "@peculiar/asn1-x509": "^src/runtime/webhook/certificates/issue\\.ts$",
  "ts-morph": "^src/(generator/load\\.ts|cli/vendor/)",
  commander: "^src/cli/",
  "yeoman-environment": "^src/cli/vendor/",
  "mem-fs-editor": "^src/cli/vendor/",
  handlebars: "^src/cli/",
  esbuild: "^src/cli/",
  chokidar: "^src/cli/",
  diff: "^src/cli/",
  execa: "^src/cli/processes\\.ts$",
  picocolors: "^src/cli/",
  pino: "^src/(log\\.ts|runtime/)",
  "prom-client": "^src/runtime/",
  vitest: "^src/testing/vitest-matchers\\.ts$",
  preact: "^src/page/",
  "d3-hierarchy": "^src/page/",
};

/** Inside of src/cli, from the bottom up. Each row: a folder, and what else of cli it may import beside the files on top. */
const CLI_FLOORS = {
  vendor: [],
  project: ["vendor/"],
  "project/yaml": ["project/[^/]+\\.ts$"],
  "project/scaffold": ["vendor/", "project/[^/]+\\.ts$", "project/yaml/"],
  "project/sources": ["vendor/", "project/[^/]+\\.ts$", "project/scaffold/"],
  "project/webhooks": ["project/[^/]+\\.ts$", "project/(scaffold|sources|yaml)/"],
  "project/plugins": ["project/[^/]+\\.ts$"],
  kustomize: ["project/"],
  packaging: ["project/"],
  doctor: ["project/", "kustomize/"],
  validate: ["doctor/"],
  cluster: ["project/", "kustomize/"],
  journal: ["project/", "cluster/"],
  page: ["project/", "journal/"],
  operator: ["project/", "kustomize/", "packaging/", "cluster/", "journal/", "page/"],
};

const cliFloors = Object.entries(CLI_FLOORS).map(([folder, below]) => ({
  name: `cli-${folder.replace("/", "-")}-imports-downward`,
  comment: `src/cli/${folder} may import ${below.join(", ") || "nothing else"} of cli.`,
  severity: "error",
  from: { path: `^src/cli/${folder}/` },
  to: {
    path: "^src/cli/",
    pathNot: ["[^/]+\\.ts$", `${folder}/`, ...below].map((path) => `^src/cli/${path}`),
  },
}));

/** The page runs in a browser: it shares types with the server that tells it, and nothing that runs. */
const page = [
  {
    name: "page-shares-types-alone",
    comment:
      "src/page runs in a browser. Import types of the protocol, and move what runs into src/page.",
    severity: "error",
    from: { path: "^src/page/" },
    to: { path: "^src/", pathNot: "^src/page/", dependencyTypesNot: ["type-only"] },
  },
  {
    name: "page-is-imported-by-nobody",
    comment: "src/page is bundled for browsers by scripts/page.mjs.",
    severity: "error",
    from: { path: "^src/", pathNot: "^src/page/" },
    to: { path: "^src/page/" },
  },
];

const packages = Object.entries(ONLY_IN).map(([name, where]) => ({
  name: `only-there-${name}`,
  comment: `${name} is imported in ${where} only: what an operator ships stays small.`,
  severity: "error",
  from: { path: "^src/", pathNot: where },
  to: { path: `node_modules/${name}/` },
}));

module.exports = {
  forbidden: [
    {
      name: "processes-are-started-in-one-place",
      comment:
        "Commands start processes through src/cli/processes.ts, the runtime one credential program.",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: "^src/(cli/processes|runtime/transport/credentials/exec-program)\\.ts$",
      },
      to: { path: "^(?:node:)?child_process$" },
    },
    {
      name: "no-cycles",
      severity: "error",
      comment: "Move what both need into a third file below them.",
      from: { path: "^src/" },
      to: { circular: true },
    },
    ...downward,
    ...floors,
    ...page,
    ...cliFloors,
    {
      name: "controlplane-server-is-on-top",
      severity: "error",
      comment: "Folders beside src/controlplane/server do not know of requests.",
      from: { path: "^src/controlplane/[^/]+/", pathNot: "^src/controlplane/server/" },
      to: { path: "^src/controlplane/server/" },
    },
    ...packages,
    {
      name: "ground-imports-nothing",
      severity: "error",
      comment:
        "errors, log, clock, code-cache, file-lock, present and table stand under everything.",
      from: { path: GROUND },
      to: { path: "^src/", pathNot: GROUND },
    },
    {
      name: "no-dev-dependency-in-src",
      severity: "error",
      comment:
        "A user does not have it. Bundle it (scripts/bundle-cached.mjs) or make it a dependency, with a line in the changelog.",
      from: {
        path: "^src/",
        pathNot: "^src/(page/|cli/(vendor/|processes\\.ts$)|generator/load\\.ts)",
      },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only", "npm-peer"] },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
    },
  },
};
