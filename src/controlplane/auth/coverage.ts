/**
 * Whether rights cover other rights: users may not grant rights that they do not have.
 *
 * @see
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping
 */
import { quote } from "../../kube/field-errors.ts";
import type { User } from "../kinds.ts";
import type { PolicyRule } from "../../generated/k8s/rbac-v1.ts";
import { present } from "../../present.ts";
import { includesOrAll, urlCovers } from "./rbac.ts";

/** One verb on one resource (perhaps of one name), or on one path. */
interface Right {
  readonly verb: string;
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string;
  readonly url?: string;
}

/**
 * The rights that a user lacks for granting rules, in the API server's words; `undefined` when
 * none.
 *
 * @param errors - why some of the granter's own rules could not be found
 */
export function missingRights(
  user: User,
  own: readonly PolicyRule[],
  granted: readonly PolicyRule[],
  errors: readonly string[],
): string | undefined {
  const missing = granted
    .flatMap(rightsOf)
    .filter((right) => !own.some((rule) => covers(rule, right)));
  if (missing.length === 0) return undefined;
  const groups = user.groups.map(quote).join(" ");
  const text = `user ${quote(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${describe(missing).join("\n")}`;
  if (errors.length === 0) return text;
  const found = errors.length === 1 ? (errors[0] ?? "") : `[${[...new Set(errors)].join(", ")}]`;
  return `${text}; resolution errors: [${found}]`;
}

function rightsOf(rule: PolicyRule): Right[] {
  const names = rule.resourceNames?.length ? rule.resourceNames : [undefined];
  const onResources = (rule.apiGroups ?? []).flatMap((group) =>
    (rule.resources ?? []).flatMap((resource) =>
      rule.verbs.flatMap((verb) =>
        names.map((name) => ({ verb, group, resource, ...present({ name }) })),
      ),
    ),
  );
  const onPaths = (rule.nonResourceURLs ?? []).flatMap((url) =>
    rule.verbs.map((verb) => ({ verb, url })),
  );
  return [...onResources, ...onPaths];
}

function covers(rule: PolicyRule, right: Right): boolean {
  if (!includesOrAll(rule.verbs, right.verb)) return false;
  const { url, group = "", resource = "", name } = right;
  const names = rule.resourceNames ?? [];
  if (url !== undefined) {
    return names.length === 0 && (rule.nonResourceURLs ?? []).some((own) => urlCovers(own, url));
  }
  if (!includesOrAll(rule.apiGroups, group) || !coversResource(rule.resources ?? [], resource))
    return false;
  return names.length === 0 || (name !== undefined && names.includes(name));
}

function coversResource(own: readonly string[], resource: string): boolean {
  if (own.includes("*") || own.includes(resource)) return true;
  const slash = resource.indexOf("/");
  return slash >= 0 && own.includes(`*${resource.slice(slash)}`);
}

/** Rights as compact rules in Go's notation, those of one resource together, sorted. */
function describe(rights: readonly Right[]): string[] {
  const verbs = new Map<string, string[]>();
  const texts: string[] = [];
  for (const { verb, url, group = "", resource = "", name } of rights) {
    if (url !== undefined) {
      texts.push(`{NonResourceURLs:[${quote(url)}], Verbs:[${quote(verb)}]}`);
      continue;
    }
    const names = name === undefined ? "" : `, ResourceNames:[${quote(name)}]`;
    const head = `{APIGroups:[${quote(group)}], Resources:[${quote(resource)}]${names}`;
    verbs.set(head, [...(verbs.get(head) ?? []), quote(verb)]);
  }
  for (const [head, list] of verbs) texts.push(`${head}, Verbs:[${list.join(" ")}]}`);
  return [...new Set(texts)].sort();
}
