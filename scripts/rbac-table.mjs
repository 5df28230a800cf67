// Makes src/controlplane/auth/bootstrap-rbac.data.json: the roles and bindings that every cluster begins with.
//
//   node scripts/rbac-table.mjs
//
// Input: the bootstrap policy of k8s.io/kubernetes v1.36.3 as its own test data holds it, in the Go module cache
// (`go mod download k8s.io/kubernetes@v1.36.3`). The labels and annotations that all of them have are left out; the
// control plane adds them.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { parse } from "yaml";

const VERSION = "v1.36.3";
const cache = execFileSync("go", ["env", "GOMODCACHE"], { encoding: "utf8" }).trim();
const folder = `${cache}/k8s.io/kubernetes@${VERSION}/plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata`;
const FILES = [
  "cluster-roles",
  "controller-roles",
  "cluster-role-bindings",
  "controller-role-bindings",
  "namespace-roles",
  "namespace-role-bindings",
];

const objects = FILES.flatMap(
  (file) => parse(readFileSync(`${folder}/${file}.yaml`, "utf8")).items,
).map(({ kind, metadata, ...rest }) => {
  const { "kubernetes.io/bootstrapping": common, ...labels } = metadata.labels;
  if (common !== "rbac-defaults") throw new Error(`${metadata.name} is no bootstrap object`);
  const { name, namespace } = metadata;
  delete rest.apiVersion;
  return {
    kind,
    name,
    ...(namespace ? { namespace } : {}),
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
    ...rest,
  };
});
const lines = objects.map((object) => JSON.stringify(object)).join(",\n");
writeFileSync("src/controlplane/auth/bootstrap-rbac.data.json", `[\n${lines}\n]\n`);
console.log(`${objects.length} objects`);
