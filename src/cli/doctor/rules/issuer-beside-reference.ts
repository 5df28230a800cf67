/** Certificates of cert-manager whose reference to an issuer is indented wrongly. */
import type { Rule } from "../rule.ts";
import { objectAt } from "../values.ts";

export const issuerBesideReference: Rule = {
  name: "issuer-beside-reference",
  about:
    "`group` or `kind` of the issuer stands beside `issuerRef` in a Certificate, not in it: the field is dropped, and the issuer may not be found.",
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
          message: `${manifest.kind} ${manifest.name} has ${name} beside issuerRef, where it means nothing.`,
          fix: "Indent it, into issuerRef.",
        };
      }
    }
  },
};
