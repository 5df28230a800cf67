/** Passwords and tokens in clear text. */
import { isJsonObject } from "../../../kube/json.ts";
import { isDefinition } from "../custom-kinds.ts";
import type { Found, Manifest, Rule } from "../rule.ts";
import { textAt, valuesBelow } from "../values.ts";
import { podTemplates } from "../workloads.ts";

const SECRET =
  /(?:^|[a-z_-])(?:password|passwd|passphrase|api[_-]?key|secret[_-]?key|private[_-]?key|access[_-]?token|auth[_-]?token)$|^(?:token|pwd)$/i;
const FIX =
  "Reference a Secret and its key instead of the value, as in `passwordSecretRef: {name, key}`. Access to Secrets can then be granted separately.";

export const plainSecret: Rule = {
  name: "plain-secret",
  about:
    "An object contains a password or a token, or a schema has a field for one. Anyone with permission to read objects of the kind can read it, and etcd stores it in plain text.",
  example: 'apiVersion: example.com/v1\nkind: Project\nspec:\n  password: "P@ssw0rd"',
  *find(examined) {
    for (const manifest of examined.manifests) {
      if (isDefinition(manifest)) yield* ofSchema(manifest);
      else if (!/^(?:Secret|ConfigMap)$/.test(manifest.kind)) yield* ofObject(manifest);
    }
    for (const { manifest, path, containers } of podTemplates(examined)) {
      for (const [index, container] of containers.entries()) {
        const env = container["env"];
        for (const [at, one] of (Array.isArray(env) ? env : []).entries()) {
          if (!SECRET.test(textAt(one, ["name"])) || textAt(one, ["value"]) === "") continue;
          yield {
            place: manifest.at([...path, "spec", "containers", index, "env", at, "value"]),
            message: `${textAt(one, ["name"])} of ${manifest.kind} ${manifest.name} is stored in plain text.`,
            fix: "Take it from a Secret: valueFrom.secretKeyRef.",
          };
        }
      }
    }
  },
};

function* ofObject(manifest: Manifest): Generator<Found> {
  for (const [path, value] of valuesBelow(manifest.value["spec"], ["spec"])) {
    const name = String(path.at(-1));
    if (typeof value !== "string" || value === "" || !SECRET.test(name)) continue;
    yield {
      place: manifest.at(path),
      message: `${path.join(".")} of ${manifest.kind} ${manifest.name} is stored in plain text.`,
      fix: FIX,
    };
  }
}

function* ofSchema(manifest: Manifest): Generator<Found> {
  for (const [path, value] of valuesBelow(manifest.value)) {
    const [name, holder] = [String(path.at(-1)), path.at(-2)];
    if (holder !== "properties" || !SECRET.test(name) || !isJsonObject(value)) continue;
    if (value["type"] !== "string") continue;
    yield {
      place: manifest.at(path),
      message: `The schema of ${manifest.name} has the text field ${name}, for a value that belongs in a Secret.`,
      fix: FIX,
    };
  }
}
