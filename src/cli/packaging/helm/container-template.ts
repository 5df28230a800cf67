/** Containers in templates: what of them are values. */
import { isJsonObject } from "../../../kube/json.ts";
import type { JsonObject, ManifestObject } from "../../../kube/object.ts";
import { Composed, Expression, goString, Optional, Spliced, valueAt } from "./nodes.ts";
import { mapPodTemplates } from "./pod-templates.ts";
import type { ReleaseScope } from "./release-scope.ts";

/** The values of a container other than the operator's. */
export interface ContainerValues {
  readonly image?: unknown;
  readonly resources: unknown;
}

/** The operator's container with its values in place, and the arguments that are the default of `args`. */
export function operatorContainerTemplate(
  container: JsonObject,
  scope: ReleaseScope,
  chart: string,
): { readonly container: JsonObject; readonly args: readonly unknown[] } {
  const { fixed, last, args } = dividedArgs(listOf(container["args"]), scope);
  const env = listOf(container["env"]).map((entry) => {
    const name = isJsonObject(entry) ? String(entry["name"]) : "";
    const variable = `(dict "env" ${valueAt("env")} "name" ${goString(name)})`;
    return new Optional(
      `not (include ${goString(`${chart}.setsVariable`)} ${variable})`,
      scope.value(entry),
    );
  });
  const given = (path: string): Optional => new Optional(path, new Spliced(path));
  const argsPath = valueAt("args");
  const envPath = valueAt("env");
  const pullPolicy = valueAt("image", "pullPolicy");
  return {
    args,
    container: {
      ...container,
      image: imageOf(chart),
      imagePullPolicy: new Optional(pullPolicy, new Expression(pullPolicy)),
      args:
        fixed.length + last.length === 0
          ? given(argsPath)
          : [...fixed, new Spliced(argsPath), ...last],
      env: env.length === 0 ? given(envPath) : [...env, new Spliced(envPath)],
      resources: given(valueAt("resources")),
    },
  };
}

/** The operator's image. */
const imageOf = (chart: string): Expression =>
  new Expression(`include ${goString(`${chart}.image`)} .`);

/** The flag that names the objects of a self-managed webhook certificate. */
const NAME_PREFIX_FLAG = "--webhook-name-prefix=";

/**
 * The arguments that depend on the release, which stay in the template, and the others. A value after its flag
 * (`--name x`) stays with it, and what follows `--` comes last.
 */
function dividedArgs(
  args: readonly unknown[],
  scope: ReleaseScope,
): {
  readonly fixed: readonly unknown[];
  readonly last: readonly unknown[];
  readonly args: readonly unknown[];
} {
  const groups: unknown[][] = [];
  for (const arg of args) {
    const group = groups.at(-1);
    const isStart = String(arg).startsWith("-") && group?.[0] !== "--";
    if (group === undefined || isStart) groups.push([arg]);
    else group.push(arg);
  }
  const isFixed = (group: unknown[]): boolean => scope.isIn(group);
  const fixed = groups.filter((group) => isFixed(group) && group[0] !== "--").flat();
  const has = (flag: string): boolean => args.some((arg) => String(arg).startsWith(flag));
  if (has("--webhook-port") && !has("--webhook-cert-path") && !has(NAME_PREFIX_FLAG)) {
    fixed.push(new Composed([NAME_PREFIX_FLAG, scope.namePrefix, "-"]));
  }
  return {
    fixed,
    last: groups.filter((group) => isFixed(group) && group[0] === "--").flat(),
    args: groups.filter((group) => !isFixed(group)).flat(),
  };
}

/**
 * Another container with its image and resources as values. One that runs the operator's image follows it.
 *
 * @param path - of the container in values.yaml
 */
export function furtherContainerTemplate(
  container: JsonObject,
  path: readonly string[],
  {
    scope,
    chart,
    image,
  }: { readonly scope: ReleaseScope; readonly chart: string; readonly image: unknown },
): { readonly container: JsonObject; readonly values: ContainerValues } {
  const isOperator = container["image"] === image;
  const { resources = {} } = container;
  const written = (field: string): unknown =>
    scope.isIn(container[field])
      ? scope.value(container[field])
      : new Expression(valueAt(...path, field));
  return {
    container: {
      ...container,
      image: isOperator ? imageOf(chart) : written("image"),
      resources: new Optional(
        valueAt(...path, "resources"),
        new Spliced(valueAt(...path, "resources")),
      ),
    },
    values: { ...(!isOperator && { image: container["image"] }), resources },
  };
}

/** A workload besides the operator, with the values of its containers, by name. */
export function workloadTemplate(
  object: ManifestObject,
  path: readonly string[],
  context: Parameters<typeof furtherContainerTemplate>[2],
): { readonly object: ManifestObject; readonly values: Readonly<Record<string, ContainerValues>> } {
  const values: Record<string, ContainerValues> = {};
  const written = (container: JsonObject): JsonObject => {
    const name = String(container["name"]);
    const further = furtherContainerTemplate(container, [...path, name], context);
    values[name] = further.values;
    return further.container;
  };
  const changed = mapPodTemplates(object, (template) => {
    const spec: JsonObject = { ...template.spec };
    for (const field of ["initContainers", "containers"]) {
      const list = spec[field];
      if (Array.isArray(list)) spec[field] = list.filter(isJsonObject).map(written);
    }
    return { ...template, spec };
  });
  return { object: changed as ManifestObject, values };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
