// Makes src/controlplane/wire/bodies/protobuf.data.json: the numbers, names and types of the fields of the built-in kinds' messages.
//
// Read in the modules below: generated.proto for numbers and types, the struct tags of the Go types for the JSON name of
// a field and for structs whose fields stand in their parent's object.
//
// The table has one entry for a message, its fields separated by `;`: NUMBER NAME TYPE. NAME is `~` for an inlined
// struct; TYPE is a scalar or a message (of the same package when it has no dot), after `*` when it is repeated,
// after `%` when it is the value of a map with string keys.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { linesOf, moduleFolder, root } from "./sources.mjs";

/** Versions that a server with default flags serves, and what they are built from. */
const isWanted = (path) =>
  !path.includes("testapigroup") &&
  (/(^|\/)v\d+\/generated\.proto$/.test(path) ||
    /(runtime|intstr|api\/resource)\/generated\.proto$/.test(path));

function protosOf(root) {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("generated.proto") && isWanted(path))
    .map((path) => join(root, path));
}

/** The JSON names of a package's fields by `Struct.number`; "" for an inlined struct. */
function jsonNamesOf(folder) {
  const names = new Map();
  for (const file of readdirSync(folder).filter((name) =>
    /^[^_]*types.*\.go$|^(intstr|quantity)\.go$/.test(name),
  )) {
    let struct;
    for (const line of readFileSync(join(folder, file), "utf8").split("\n")) {
      struct = /^type (\w+) struct/.exec(line)?.[1] ?? struct;
      const tag = /`([^`]*protobuf:"[^"]*"[^`]*)`/.exec(line)?.[1];
      if (!tag) continue;
      const number = /protobuf:"\w+,(\d+)/.exec(tag)?.[1];
      const json = /json:"([^"]*)"/.exec(tag)?.[1];
      if (number && json !== undefined) names.set(`${struct}.${number}`, json.split(",")[0]);
    }
  }
  return names;
}

const shorten = (name) => name.replace(/^\.?k8s\.io\./, "");
const table = {};

for (const proto of ["api", "apimachinery", "apiextensions-apiserver", "kube-aggregator"].flatMap(
  (name) => protosOf(moduleFolder(name)),
)) {
  const text = readFileSync(proto, "utf8").replace(/\/\/.*$/gm, "");
  const pack = shorten(/^package ([\w.]+);/m.exec(text)?.[1] ?? "");
  const names = jsonNamesOf(dirname(proto));
  for (const [, message, body] of text.matchAll(/message (\w+) \{([^}]*)\}/g)) {
    const fields = [];
    for (const [, rule, map, type, name, number] of body.matchAll(
      /(optional|repeated)?\s*(map<string, )?([.\w]+)>? (\w+) = (\d+)/g,
    )) {
      const json = names.get(`${message}.${number}`) ?? name;
      const mark = map ? "%" : rule === "repeated" ? "*" : "";
      const short = shorten(type).replace(`${pack}.`, "");
      fields.push(`${number} ${json === "" ? "~" : json} ${mark}${short}`);
    }
    table[`${pack}.${message}`] = fields.join(";");
  }
}

writeFileSync(
  `${root}src/controlplane/wire/bodies/protobuf.data.json`,
  `{\n${linesOf(table)}\n}\n`,
);
console.log(`${Object.keys(table).length} protobuf messages`);
