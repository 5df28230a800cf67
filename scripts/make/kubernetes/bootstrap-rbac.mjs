// Makes src/controlplane/auth/bootstrap-rbac.data.json: the initial roles and bindings of every
// cluster. The input is the bootstrap policy of k8s.io/kubernetes in its own test data. The labels
// and annotations that all of them have are left out; the control plane adds them.
//
import { readFileSync, writeFileSync } from "node:fs";
import { parse } from "yaml";
import { moduleFolder, root } from "./sources.mjs";

const folder = `${moduleFolder("kubernetes")}/plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata`;
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
writeFileSync(`${root}src/controlplane/auth/bootstrap-rbac.data.json`, `[\n${lines}\n]\n`);
console.log(`${objects.length} bootstrap roles and bindings`);
