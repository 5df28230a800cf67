/** The files of a chart that hold no objects: its helpers and notes. */
import type { ManifestObject } from "../../../kube/object.ts";
import type { OperatorDeployment } from "../../project/operator-deployment.ts";
import { type Composed, goString, plainText } from "./nodes.ts";
import { printTemplate } from "./print-template.ts";
import type { ReleaseScope } from "./release-scope.ts";
import { prefixMax } from "./values.ts";

interface Texts {
  /** The name of the chart, with which the names of its helpers begin: charts of an umbrella share them. */
  readonly chart: string;
  readonly deployment: OperatorDeployment;
  readonly scope: ReleaseScope;
}

/** The characters of a hash in place of the end of a prefix that is too long. */
const HASH = 8;

/** The text of `templates/_helpers.tpl`. */
export function helpers({ chart, deployment, scope }: Texts): string {
  const define = (name: string): string => `{{- define ${goString(`${chart}.${name}`)} -}}`;
  const max = prefixMax(scope.longestName);
  const selector = printTemplate(scope.selector(deployment.spec.selector)).trimEnd();
  return `{{/* What the names of the release's objects begin with, without the dash. */}}
${define("namePrefix")}
{{- if .Values.namePrefix -}}
{{- .Values.namePrefix -}}
{{- else -}}
{{- $name := printf "%s-%s" .Release.Name ${goString(chart)} -}}
{{- if contains ${goString(chart)} .Release.Name -}}
{{- $name = .Release.Name -}}
{{- end -}}
{{- if gt (len $name) ${max} -}}
{{- $name = printf "%s-%s" (trunc ${Math.max(max - HASH - 1, 0)} $name | trimSuffix "-") (sha256sum $name | trunc ${HASH}) -}}
{{- end -}}
{{- regexReplaceAll "[^a-z0-9-]" $name "-" -}}
{{- end -}}
{{- end }}

{{/* The account that the operator runs as. */}}
${define("serviceAccountName")}
{{- if .Values.serviceAccount.name -}}
{{- .Values.serviceAccount.name -}}
{{- else -}}
${inText(scope.account)}
{{- end -}}
{{- end }}

{{/* The operator's image: the digest wins over the tag. */}}
${define("image")}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* Whether the list \`env\` has the variable \`name\`. */}}
${define("setsVariable")}
{{- range .env }}{{ if eq .name $.name }}true{{ end }}{{ end -}}
{{- end }}

{{/* The constraints, as a list; without a labelSelector, with that of the operator's pods. */}}
${define("topologySpreadConstraints")}
{{- $selector := include ${goString(`${chart}.selector`)} . | fromYaml -}}
{{- $constraints := list -}}
{{- range .Values.topologySpreadConstraints -}}
{{- $constraints = append $constraints (hasKey . "labelSelector" | ternary . (set (deepCopy .) "labelSelector" $selector)) -}}
{{- end -}}
{{- toYaml $constraints -}}
{{- end }}

{{/* The selector of the operator's pods. */}}
${define("selector")}
${selector}
{{- end }}

{{/* The other release that the CRD \`name\` belongs to, and that upgrades it; nothing if it is this one's, or nobody's. */}}
${define("crdOwner")}
{{- with lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" .name -}}
{{- $owner := index (.metadata.annotations | default dict) "meta.helm.sh/release-name" -}}
{{- $namespace := index (.metadata.annotations | default dict) "meta.helm.sh/release-namespace" -}}
{{- if and $owner (or (ne $owner $.release.Name) (ne $namespace $.release.Namespace)) -}}
{{- $owner }} in the namespace {{ $namespace -}}
{{- end -}}
{{- end -}}
{{- end }}
`;
}

/** The text of `templates/NOTES.txt`. */
export function notes(texts: Texts & { readonly objects: readonly ManifestObject[] }): string {
  const { chart, deployment, scope, objects } = texts;
  const crds = objects
    .filter(({ kind }) => kind === "CustomResourceDefinition")
    .map(({ metadata }) => metadata.name);
  const explain = crds.map((name) => `  kubectl explain ${plainText(name.split(".")[0] ?? "")}`);
  const foreign = crds.map(
    (
      name,
    ) => `{{- with include ${goString(`${chart}.crdOwner`)} (dict "name" ${goString(name)} "release" .Release) }}
The CRD ${plainText(name)} belongs to the release {{ . }}, which upgrades it; this release left it as it is.
To move it to this release, uninstall the other one, annotate the CRD with meta.helm.sh/release-name={{ $.Release.Name }}
and meta.helm.sh/release-namespace={{ $.Release.Namespace }}, and upgrade this release.
{{- end }}
`,
  );
  return `The operator is installed in the namespace {{ .Release.Namespace }}.

Wait until it runs:
  kubectl -n {{ .Release.Namespace }} rollout status deployment/${inText(scope.name(deployment.metadata.name))}
${explain.length === 0 ? "" : `\nIts kinds:\n${explain.join("\n")}\n`}
{{- if and .Values.crds.enabled .Values.crds.keep }}
The CRDs stay when the release is uninstalled, with all objects of their kinds.
{{- end }}
{{- if .Values.crds.enabled }}
${foreign.join("")}{{- end }}
`;
}

/** A name outside of YAML. */
function inText(name: Composed | string): string {
  if (typeof name === "string") return plainText(name);
  return name.parts
    .map((part) => (typeof part === "string" ? plainText(part) : `{{ ${part.source} }}`))
    .join("");
}
