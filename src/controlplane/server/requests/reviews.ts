/**
 * Reviews: questions to the API about users and rights, which are answered and not stored.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
import type { TokenReviewSpec } from "../../../generated/k8s/authentication-v1.ts";
import type {
  NonResourceAttributes,
  SubjectAccessReviewSpec,
} from "../../../generated/k8s/authorization-v1.ts";
import { Check } from "../../../kube/check.ts";
import { invalid } from "../../../kube/field-errors.ts";
import type { JsonObject, ObjectMeta, SentObject } from "../../../kube/object.ts";
import { authorize } from "../../auth/authorizer.ts";
import type { Attributes } from "../../auth/attributes.ts";
import { rulesOf } from "../../auth/rbac.ts";
import { userInfo } from "../../auth/user-info.ts";
import type { Loose } from "../../builtin/shared/shapes.ts";
import { inGoOrder } from "../../builtin/strategies/go-order.ts";
import type { User } from "../../kinds.ts";
import { readObject } from "./body.ts";
import { type Cluster, mainEndpoint, timestamp } from "../cluster/cluster.ts";
import { matchNamespace } from "../write/match-path.ts";
import { badRequest } from "../../failures.ts";
import { trackChange } from "../write/ownership.ts";
import { writeOptions } from "./query.ts";
import type { RequestHandler } from "./request.ts";
import { checkSelectors, fieldSelectorText, ignoredSelectors } from "./review-selectors.ts";
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

/** The handlers of reviews, by resource and verb. */
export const REVIEW_HANDLERS: Readonly<Record<string, RequestHandler>> = {
  "subjectaccessreviews.authorization.k8s.io create": accessReview("anybody"),
  "localsubjectaccessreviews.authorization.k8s.io create": accessReview("local"),
  "selfsubjectaccessreviews.authorization.k8s.io create": accessReview("self"),
  "selfsubjectrulesreviews.authorization.k8s.io create": selfSubjectRules,
  "selfsubjectreviews.authentication.k8s.io create": selfSubject,
  "tokenreviews.authentication.k8s.io create": tokenReview,
};
