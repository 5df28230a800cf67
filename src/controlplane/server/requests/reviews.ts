/**
 * Reviews: questions to the API about users and rights, which are answered and not stored.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
import type { TokenReviewSpec } from "../../../generated/k8s/authentication-v1.ts";
import type {
  FieldSelectorAttributes,
  NonResourceAttributes,
  ResourceAttributes,
  SubjectAccessReviewSpec,
} from "../../../generated/k8s/authorization-v1.ts";
import type { FieldSelectorRequirement } from "../../../generated/k8s/meta-v1.ts";
import { Check } from "../../../kube/check.ts";
import { invalid } from "../../../kube/field-errors.ts";
import type { JsonObject, ObjectMeta, SentObject } from "../../../kube/object.ts";
import {
  parseFieldSelector,
  parseLabelSelector,
  SelectorError,
} from "../../../kube/selectors/selector.ts";
import {
  isOperator,
  labelErrors,
  valueCountErrors,
} from "../../../kube/selectors/selector-rules.ts";
import { authorize } from "../../auth/authorizer.ts";
import type { Attributes } from "../../request-attributes.ts";
import { rulesOf } from "../../auth/rbac.ts";
import { userInfo } from "../../auth/authenticator.ts";
import type { Loose } from "../../builtin/shared/shapes.ts";
import { inGoOrder } from "../../builtin/go/order.ts";
import type { User } from "../../kinds.ts";
import { readObject } from "./body.ts";
import { type Cluster, mainEndpoint, timestamp } from "../cluster/cluster.ts";
import { matchNamespace } from "../write/match-path.ts";
import { badRequest } from "../../failures.ts";
import { trackChange } from "../write/field-ownership.ts";
import { writeOptions } from "./query.ts";
import type { RequestHandler } from "./presenter.ts";
import { present } from "../../../present.ts";

interface Reviewed<Spec extends object = JsonObject> extends SentObject {
  spec?: Spec;
  status?: unknown;
}

/** A review, and the request for it. */
interface Reviewing<Spec extends object> {
  readonly cluster: Cluster;
  readonly user: User;
  readonly namespace: string;
  readonly object: Reviewed<Spec>;
}

/**
 * The handler of a kind of reviews.
 *
 * @param tracked - whether the answer has managed fields
 * @param answer - sets the answer. @throws StatusError 400 or 422
 */
function review<Spec extends object = JsonObject>(
  tracked: boolean,
  answer: (reviewing: Reviewing<Spec>) => void,
): RequestHandler {
  return async (cluster, asked) => {
    const { resource, request, namespace } = asked;
    const options = writeOptions(asked, "create");
    const object: Reviewed<Spec> = await readObject(asked, options);
    delete object.status;
    matchNamespace(resource, namespace, object);
    resource.strategy.setDefaults(object);
    if (tracked) {
      delete object.metadata.managedFields;
      trackChange({ cluster, endpoint: mainEndpoint(resource), options }, undefined, object);
    }
    answer({ cluster, user: request.user, namespace, object });
    return { code: 201, object };
  };
}

/** A review has no name and no labels; a local one has a namespace. */
function checkMetadata(metadata: Check<ObjectMeta>, isLocal: boolean): void {
  const allowed = isLocal ? ["managedFields", "namespace"] : ["managedFields"];
  const isEmpty = Object.entries(metadata.value).every(([field, part]: [string, unknown]) => {
    if (allowed.includes(field) || part === "" || part === 0) return true;
    return typeof part === "object" && Object.keys(part ?? {}).length === 0;
  });
  if (isEmpty) return;
  const shown = inGoOrder({ apiVersion: "v1", kind: "ConfigMap", metadata: metadata.value });
  const detail = isLocal ? "must be empty except for namespace" : "must be empty";
  metadata.invalid(detail, shown["metadata"]);
}

/** The attributes as Go prints its internal type. */
function goAttributes({ path = "", verb = "" }: NonResourceAttributes): object {
  return { Path: path, Verb: verb };
}

function attributesOf({
  resourceAttributes,
  nonResourceAttributes,
}: SubjectAccessReviewSpec): Attributes {
  if (!resourceAttributes) {
    const { path = "", verb = "" } = nonResourceAttributes ?? {};
    return { path, verb };
  }
  const {
    verb = "",
    group = "",
    version = "",
    resource = "",
    subresource = "",
    namespace = "",
    name = "",
  } = resourceAttributes;
  const fieldSelector = fieldSelectorText(resourceAttributes);
  return { verb, group, version, resource, subresource, namespace, name, fieldSelector };
}

/** Whose rights a review is about: of the one who asks, of anybody, of anybody in its namespace. */
type About = "self" | "anybody" | "local";

function checkAccess(
  review: Check<Reviewed<SubjectAccessReviewSpec>>,
  about: About,
  namespace: string,
): void {
  const spec = review.at("spec");
  const { resourceAttributes, nonResourceAttributes, user, groups } = spec.value ?? {};
  const shown = nonResourceAttributes ? goAttributes(nonResourceAttributes) : null;
  if ((resourceAttributes === undefined) === (nonResourceAttributes === undefined)) {
    const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    spec.invalid(detail, shown);
  }
  if (about !== "self" && !user && !groups?.length) {
    spec.child("user", "").invalid("at least one of user or group must be specified");
  }
  spec.at("resourceAttributes").ifSet(checkSelectors);
  checkMetadata(review.at("metadata"), about === "local");
  if (about !== "local") return;
  if (resourceAttributes && (resourceAttributes.namespace ?? "") !== namespace) {
    const wanted = resourceAttributes.namespace ?? "";
    spec.child("resourceAttributes.namespace", wanted).invalid("must match metadata.namespace");
  }
  if (shown)
    spec.child("nonResourceAttributes", shown).invalid("disallowed on this kind of request");
}

const accessReview = (about: About): RequestHandler =>
  review<SubjectAccessReviewSpec>(true, ({ cluster, user, namespace, object }) => {
    const spec = (object.spec ??= {});
    const errors = Check.errorsOf(object, (checked) => checkAccess(checked, about, namespace));
    if (errors.length > 0) throw invalid({ group: "authorization.k8s.io", kind: "" }, "", errors);
    const { user: name = "", groups = [], uid, extra } = spec;
    const subject = about === "self" ? user : { name, groups, ...present({ uid, extra }) };
    const { allowed, reason } = authorize(cluster.store, subject, attributesOf(spec));
    const evaluationError = ignoredSelectors(spec.resourceAttributes ?? {});
    object.status = {
      allowed,
      ...(reason === "" ? {} : { reason }),
      ...(evaluationError === "" ? {} : { evaluationError }),
    };
  });

const selfSubjectRules = review<{ namespace?: string }>(false, ({ cluster, user, object }) => {
  const { namespace } = object.spec ?? {};
  if (!namespace) throw badRequest("no namespace on request");
  const { granted, errors } = rulesOf(cluster.store, user, namespace);
  const isNode = user.groups.includes("system:nodes") && user.name.startsWith("system:node:");
  const problems = [
    ...(errors.length > 1 ? [`[${[...new Set(errors)].join(", ")}]`] : errors),
    ...(isNode ? ["node authorizer does not support user rule resolution"] : []),
  ];
  const rules = granted.map(({ rule }) => rule);
  object.spec = {};
  object.status = {
    resourceRules: rules.flatMap(({ verbs, apiGroups, resources, resourceNames }) =>
      resources?.length
        ? [{ verbs, apiGroups, resources, ...(resourceNames ? { resourceNames } : {}) }]
        : [],
    ),
    nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs }) =>
      nonResourceURLs?.length ? [{ verbs, nonResourceURLs }] : [],
    ),
    incomplete: isNode,
    ...(problems.length > 0 ? { evaluationError: problems.join(", ") } : {}),
  };
});

const selfSubject = review(false, ({ cluster, user, object }) => {
  object.metadata = { creationTimestamp: timestamp(cluster.clock) };
  object.status = { userInfo: userInfo(user) };
});

const tokenReview = review<Loose<TokenReviewSpec>>(true, ({ cluster, object }) => {
  const { token = "", audiences } = (object.spec ??= {});
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const verdict = cluster.tokens.verify(token, audiences?.length ? audiences : undefined);
  object.status =
    "error" in verdict
      ? { user: {}, error: verdict.error }
      : { authenticated: true, user: userInfo(verdict.user), audiences: verdict.audiences };
});

/** The handlers of the creates of reviews, by resource. */
export const REVIEW_HANDLERS: Readonly<Record<string, RequestHandler>> = {
  "subjectaccessreviews.authorization.k8s.io": accessReview("anybody"),
  "localsubjectaccessreviews.authorization.k8s.io": accessReview("local"),
  "selfsubjectaccessreviews.authorization.k8s.io": accessReview("self"),
  "selfsubjectrulesreviews.authorization.k8s.io": selfSubjectRules,
  "selfsubjectreviews.authentication.k8s.io": selfSubject,
  "tokenreviews.authentication.k8s.io": tokenReview,
};

/** The selectors in the attributes of a resource, for objects to list, watch or delete. */
type ReviewSelectors = Pick<ResourceAttributes, "fieldSelector" | "labelSelector">;

type Selector = FieldSelectorAttributes;
/** A requirement as it was sent, not validated yet. */
type Requirement = Partial<FieldSelectorRequirement>;

/** Checks the selectors. Unknown operators are accepted: they may be those of a newer client. */
function checkSelectors(attributes: Check<ReviewSelectors>): void {
  checkSelector(attributes.at("fieldSelector"), (requirement) => {
    requirement.at("key").given("must be specified");
    requirement.by(valueCountErrors);
  });
  checkSelector(attributes.at("labelSelector"), (requirement) => {
    requirement.by(valueCountErrors);
    requirement.by(labelErrors);
  });
}

function checkSelector(
  selector: Check<Selector | undefined>,
  check: (requirement: Check<FieldSelectorRequirement>) => void,
): void {
  if (!selector.value) return;
  const { rawSelector = "", requirements = [] } = selector.value;
  if (rawSelector !== "" && requirements.length > 0) {
    selector.at("rawSelector").invalid("may not specified at the same time as requirements");
  }
  const wanted = selector.at("requirements");
  if (rawSelector === "" && requirements.length === 0) {
    wanted.required(`when ${selector.field} is specified, requirements or rawSelector is required`);
  }
  wanted.each(check);
}

/** The message about selectors that an authorizer cannot consider; empty when there are none. */
function ignoredSelectors({ fieldSelector, labelSelector }: ReviewSelectors): string {
  const ignored = [
    ignoredPart("fieldSelector", fieldSelector, parseFieldSelector, isFieldRequirement),
    ignoredPart("labelSelector", labelSelector, parseLabelSelector, isLabelRequirement),
  ];
  return ignored.filter((text) => text !== "").join("; ");
}

function ignoredPart(
  name: string,
  { rawSelector = "", requirements = [] }: Selector = {},
  parse: (text: string) => unknown,
  isKnown: (requirement: Requirement) => boolean,
): string {
  const known = requirements.filter(isKnown).length;
  if (known === requirements.length && isReadable(rawSelector, parse)) return "";
  const extent = known > 0 ? "partially ignored" : "ignored";
  return `spec.resourceAttributes.${name} ${extent} due to parse error`;
}

function isReadable(text: string, parse: (text: string) => unknown): boolean {
  try {
    parse(text);
    return true;
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}

/** Whether a requirement of a field is valid: it has one value. */
const isFieldRequirement = ({ operator, values = [] }: Requirement): boolean =>
  (operator === "In" || operator === "NotIn") && values.length === 1;

const isLabelRequirement = ({ operator = "" }: Requirement): boolean => isOperator(operator);

/** The field selector as the parameter of a list, without the parts that have no such form. */
function fieldSelectorText({ fieldSelector = {} }: ReviewSelectors): string {
  const { rawSelector = "", requirements = [] } = fieldSelector;
  const known: readonly Requirement[] = requirements.filter(isFieldRequirement);
  if (known.length === 0) return rawSelector;
  return known
    .map(({ key = "", operator, values: [value = ""] = [] }) =>
      [key, operator === "In" ? "=" : "!=", value].join(""),
    )
    .join(",");
}
