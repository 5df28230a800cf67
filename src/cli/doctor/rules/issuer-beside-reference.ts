/** Certificates of cert-manager whose reference to an issuer is indented wrongly. */
import type { Rule } from "../rule.ts";
import { objectAt } from "../values.ts";

export const issuerBesideReference: Rule = {
  name: "issuer-beside-reference",
  about:
    "`group` or `kind` of the issuer is next to `issuerRef` in a Certificate instead of inside it. The field is dropped, and cert-manager might not find the issuer.",
  example:
    "kind: Certificate\nspec:\n  issuerRef:\n    name: letsencrypt\n  group: cert-manager.io",
  *find({ manifests }) {
    for (const manifest of manifests) {
      if (!/^cert-?manager\.(?:k8s\.)?io\//.test(manifest.apiVersion)) continue;
      const spec = objectAt(manifest.value, ["spec"]);
      for (const name of ["group", "kind"]) {
        if (!("issuerRef" in spec) || !(name in spec)) continue;
        yield {
          place: manifest.at(["spec", name]),
          message: `${manifest.kind} ${manifest.name} has ${name} next to issuerRef, where it has no effect.`,
          fix: "Indent it, into issuerRef.",
        };
      }
    }
  },
};
