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
const GROUND =
  "^src/(logging/[^/]+|errors|log|clock|code-cache|file-lock|live-process|own-state|present|project-folder|regular-file|table|version)\\.ts$";

const downward = Object.entries(MAY_IMPORT).map(([folder, below]) => ({
  name: `${folder}-imports-downward`,
  comment: `src/${folder} may import ${[...below, "errors, log, logging, clock, code-cache, file-lock, live-process, own-state, present, project-folder, regular-file, table, version"].join(", ")}. Move the shared piece down, or pass it in.`,
  severity: "error",
  from: { path: `^src/${folder}/` },
  to: {
    path: "^src/",
    pathNot: [`^src/${folder}/`, GROUND, ...below.map((name) => `^src/${name}[/.]`)],
  },
}));

/**
 * The floors of a folder of src. Each row of a table: a folder in it, and what else of the area that folder may import.
 * A row also holds for nested folders, which can have stricter rows. Every folder may import the files of `ground`.
 */
const floorsOf = (area, floors, ground = []) =>
  Object.entries(floors).map(([folder, below]) => ({
    name: `${area}-${folder.replaceAll("/", "-")}-imports-downward`,
    comment: `src/${area}/${folder} may import ${below.join(", ")} of ${area}.`,
    severity: "error",
    from: { path: `^src/${area}/${folder}[/.]` },
    to: {
      path: `^src/${area}/`,
      pathNot: [folder + "/", ...below, ...ground].map((path) => `^src/${area}/${path}`),
    },
  }));

/** Inside of src/controlplane, from the bottom up. */
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
const BUILTIN_FILES = ["kinds\\.ts$", "data-file\\.ts$", "builtin/[^/]+\\.ts$"];
const SHARED_FILES = [...BUILTIN_FILES, "builtin/shared/[^/]+\\.ts$", "builtin/shared/addresses/"];
const CONTROLLER_FILES = [
  "resource-name\\.ts$",
  "kinds\\.ts$",
  "builtin/",
  "controllers/framework/",
];
const CONTROLPLANE_FLOORS = {
  kinds: FILES,
  "wire/json": [],
  store: ["resource-name\\.ts$", "wire/json/"],
  auth: FILES,
  "admission/expressions": [...FILES, "auth/"],
  builtin: [...FILES, "wire/json/", "auth/", "admission/expressions/"],
  "builtin/go": ["line-table\\.ts$"],
  "builtin/tables": BUILTIN_FILES,
  "builtin/shared": [...BUILTIN_FILES, "builtin/go/", "builtin/tables/"],
  "builtin/shared/addresses": SHARED_FILES,
  "builtin/shared/pods": [...SHARED_FILES, "builtin/go/"],
  "builtin/shared/volumes": [...SHARED_FILES, "builtin/go/", "builtin/shared/pods/"],
  "builtin/kinds": [
    ...FILES,
    ...BUILTIN_FILES,
    "wire/json/",
    "auth/",
    "admission/expressions/",
    "builtin/(go|shared|tables)/",
  ],
  views: ["kinds\\.ts$", "builtin/"],
  discovery: ["kinds\\.ts$", "failures\\.ts$", "views/"],
  "wire/bodies": ["data-file\\.ts$", "wire/json/"],
  wire: ["data-file\\.ts$", "builtin/"],
  apply: [...FILES, "builtin/", "wire/"],
  crd: [...FILES, "apply/", "builtin/", "controllers/", "discovery/"],
  openapi: ["kinds\\.ts$", "builtin/", "discovery/", "views/"],
  admission: [...FILES, "apply/", "auth/", "builtin/", "store/", "wire/"],
  controllers: ["resource-name\\.ts$", "kinds\\.ts$", "auth/", "builtin/"],
  "controllers/framework": ["resource-name\\.ts$", "kinds\\.ts$", "auth/", "builtin/"],
  "controllers/pods": CONTROLLER_FILES,
  "controllers/volumes": [...CONTROLLER_FILES, "controllers/pods/"],
  "controllers/scheduler": [...CONTROLLER_FILES, "controllers/(pods|volumes)/"],
  "server/cluster": [BESIDE_THE_SERVER],
  "server/read": [BESIDE_THE_SERVER, "server/cluster/"],
  "server/write": [BESIDE_THE_SERVER, "server/cluster/"],
  "server/requests": [BESIDE_THE_SERVER, "server/cluster/", "server/read/", "server/write/"],
};

/** Inside of src/runtime, from the bottom up. */
const RUNTIME_GROUND = ["[^/]+\\.ts$"];
const RUNTIME_FLOORS = {
  queue: [],
  "transport/credentials": [],
  transport: [],
  kubeconfig: ["transport/"],
  "rest/json": ["transport/"],
  rest: ["transport/"],
  cache: ["queue/", "rest/", "transport/"],
  "client/pods": ["rest/", "transport/"],
  client: ["cache/", "rest/", "transport/"],
  events: ["client/"],
  "leader-election": ["client/"],
  sharding: ["client/", "leader-election/"],
  metrics: ["cache/", "queue/", "rest/"],
  "controller/sources": ["cache/"],
  controller: [
    "cache/",
    "client/",
    "events/",
    "metrics/",
    "queue/",
    "rest/",
    "sharding/",
    "transport/",
  ],
  tracing: ["controller/", "transport/"],
  serving: ["cache/", "client/", "metrics/", "queue/"],
  journal: ["cache/", "controller/", "rest/", "serving/", "transport/"],
  replay: ["controller/", "journal/", "rest/", "transport/"],
  "side-thread": ["client/", "leader-election/", "rest/", "serving/", "sharding/", "transport/"],
  "webhook/certificates": ["client/", "serving/"],
  "webhook/conversion": ["rest/json/"],
  "webhook/requests": ["metrics/", "rest/json/", "serving/", "tracing/"],
  "webhook/direct": ["serving/", "webhook/requests/"],
  webhook: ["cache/", "client/", "rest/json/", "metrics/", "serving/", "tracing/"],
  manager: ["(?!builder/)"],
};

/** A package, and the only places that know it. */
const ONLY_IN = {
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
  "prom-client": "^src/runtime/",
  vitest: "^src/testing/vitest-matchers\\.ts$",
  preact: "^src/page/",
  "d3-hierarchy": "^src/page/",
};

/** The files of a folder itself, which its nested folders may import. */
const OWN_FILES = "[^/]+\\.ts$";

/** Inside of src/kube, from the bottom up. */
const KUBE_FLOORS = {
  text: [],
  x509: [],
  "[^/]+(?=\\.ts$)": [OWN_FILES, "text/"],
  values: [OWN_FILES],
  selectors: [OWN_FILES, "text/"],
  webhooks: [OWN_FILES, "selectors/"],
  progress: [OWN_FILES, "values/"],
  schema: [OWN_FILES, "text/"],
  "cel/syntax": [`cel/${OWN_FILES}`],
  "cel/cost": [`cel/${OWN_FILES}`, "cel/syntax/"],
  "cel/run": [`cel/${OWN_FILES}`, "cel/cost/", "text/"],
  "cel/check": [`cel/${OWN_FILES}`, "cel/library/"],
  cel: [OWN_FILES, "schema/", "text/", "values/"],
  rules: [OWN_FILES, "cel/", "schema/"],
  definition: [OWN_FILES, "rules/", "schema/", "webhooks/"],
};

/** Inside of src/generator, from the bottom up. */
const GENERATOR_FLOORS = {
  "read/code": [OWN_FILES],
  "read/marks": [OWN_FILES, "read/code/"],
  "read/types": [OWN_FILES, "emit/", "read/code/", "read/marks/"],
  read: [OWN_FILES, "emit/"],
  uses: [OWN_FILES, "read/"],
  emit: [OWN_FILES],
  check: [OWN_FILES, "emit/", "read/"],
  import: [OWN_FILES],
  changes: [OWN_FILES, "import/"],
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
    comment: "src/page is bundled for browsers by scripts/build/page.mjs.",
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
    ...floorsOf("controlplane", CONTROLPLANE_FLOORS),
    ...floorsOf("runtime", RUNTIME_FLOORS, RUNTIME_GROUND),
    ...page,
    ...floorsOf("cli", CLI_FLOORS, [OWN_FILES]),
    {
      name: "controlplane-server-is-on-top",
      severity: "error",
      comment: "Folders beside src/controlplane/server do not know of requests.",
      from: { path: "^src/controlplane/[^/]+/", pathNot: "^src/controlplane/server/" },
      to: { path: "^src/controlplane/server/" },
    },
    ...floorsOf("kube", KUBE_FLOORS),
    ...floorsOf("generator", GENERATOR_FLOORS),
    ...packages,
    {
      name: "ground-imports-nothing",
      severity: "error",
      comment:
        "errors, log, logging, clock, code-cache, file-lock, live-process, own-state, present, project-folder, regular-file, table and version stand under everything.",
      from: { path: GROUND },
      to: { path: "^src/", pathNot: GROUND },
    },
    {
      name: "no-dev-dependency-in-src",
      severity: "error",
      comment:
        "A user does not have it. Bundle it (scripts/build/bundle-cached.mjs) or make it a dependency, with a line in the changelog.",
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
