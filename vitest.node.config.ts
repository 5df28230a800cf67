import { configOf } from "./vitest.config.ts";

/** The tests that give the same result on each Node, and why. */
const SAME_ON_EACH_NODE: Readonly<Record<string, string>> = {
  "test/conformance/**": "replays requests in the process; test/controlplane/server has the HTTP",
  "test/controlplane/admission/**": "functions of objects",
  "test/controlplane/apply/**": "functions of objects",
  "test/controlplane/auth/**": "functions of requests",
  "test/controlplane/builtin/**": "functions of objects",
  "test/controlplane/controllers/**": "simulated controllers in virtual time",
  "test/controlplane/crd/**": "functions of schemas",
  "test/controlplane/fuzz/**": "requests in the process",
  "test/controlplane/openapi/**": "functions of schemas",
  "test/docs/**": "reads the documentation",
  "test/generator/**": "reads TypeScript through a bundled compiler",
  "test/house/**": "runs the lint",
  "test/journeys/{deployed-roles,example,life-cycle,newcomer,transcripts,tutorial,webhooks,wrong-input}*":
    "the commands of test/cli and the operators of test/journeys/operators, told as a story",
  "test/k8s/**": "types",
  "test/kube/{cel,kustomize,schema,text,values}/**": "functions of texts and values",
  "test/markers/**": "types",
  "test/package/**": "packs and installs the same files; test/journeys/operators runs operators",
  "test/page/**": "runs in a browser",
  "test/seeds/**": "reads the documentation",
  "test/types/**": "types",
  "test/cli/{doctor,kustomize,packaging,project,validate}/**":
    "reads and writes the files of a project",
  "test/cli/{create-*,delete,edit-parts,external-kinds,import,inferred-rights,init,multi-group,upgrade}*":
    "reads and writes the files of a project, as test/cli/{killed,interrupted}-writes does on each Node",
  "test/controlplane/kubectl-sessions*":
    "simulated controllers; test/controlplane/kubectl has the client",
  "test/runtime/model/**": "random schedules in virtual time",
};

/** The tests that depend on Node: `npm run test:node -- 24` runs them on another one. */
export default configOf(Object.keys(SAME_ON_EACH_NODE));
