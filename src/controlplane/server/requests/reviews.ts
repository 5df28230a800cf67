/**
 * Reviews: questions to the API about users and rights, which are answered and not stored.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
import type {
  NonResourceAttributes,
  SubjectAccessReviewSpec,
} from "../../../generated/k8s/authorization-v1.ts";
import { asJson } from "../../../kube/json.ts";
import { InternalError } from "../../../errors.ts";
import { type FieldError, invalid, invalidValue } from "../../../kube/field-errors.ts";
import type { JsonObject, SentObject } from "../../../kube/object.ts";
import { type ResourceInfo, groupResourceOf } from "../../../kube/resource.ts";
import { authorize } from "../../auth/authorizer.ts";
import type { Attributes } from "../../auth/attributes.ts";
import { rulesOf } from "../../auth/rbac.ts";
import { userInfo } from "../../auth/authenticator.ts";
import { inGoOrder } from "../../builtin/strategies/go-order.ts";
import type { User } from "../../kinds.ts";
import { readObject } from "./body.ts";
import { type Cluster, mainEndpoint, timestamp } from "../cluster/cluster.ts";
import { matchNamespace } from "../write/match-path.ts";
import { badRequest } from "../../failures.ts";
import { trackChange } from "../write/ownership.ts";
import { parseWriteQuery } from "./query.ts";
import { type Outcome, type ResourceRequest, managerOf } from "./request.ts";
import { fieldSelectorText, ignoredSelectors, selectorErrors } from "./review-selectors.ts";
import { present } from "../../../present.ts";

/** Sets the answer of a review. */
interface Review<Spec extends object = JsonObject> {
  /** Whether the answer has managed fields. */
  readonly tracked: boolean;
  /** @throws StatusError 400 or 422 */
  answer(cluster: Cluster, user: User, object: Reviewed<Spec>, namespace: string): void;
}

/** Whether objects of the resource are reviews. */
export function isReview(resource: Pick<ResourceInfo, "group" | "plural">): boolean {
  return Object.hasOwn(REVIEWS, groupResourceOf(resource));
}

/** POST of a review. */
export async function reviewRequest(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  const { resource, request, namespace } = asked;
  const review = REVIEWS[groupResourceOf(resource)];
  if (!review) throw new InternalError(`${resource.plural} is not a review`);
  const query = parseWriteQuery(request.query, "create");
  const object = await readObject(asked, query);
  delete asJson(object)["status"];
  matchNamespace(resource, namespace, object);
  resource.strategy.setDefaults(object);
  if (review.tracked) {
    delete object.metadata.managedFields;
    const manager = managerOf(request, query.fieldManager);
    const write = { cluster, endpoint: mainEndpoint(resource), options: { manager } };
    trackChange(write, undefined, object);
  }
  review.answer(cluster, request.user, object, namespace);
  return { code: 201, object: object };
}

interface Reviewed<Spec extends object = JsonObject> extends SentObject {
  spec?: Spec;
  status?: unknown;
}

function accessErrors(spec: SubjectAccessReviewSpec, named: boolean): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = spec;
  const errors: FieldError[] = [];
  if ((resourceAttributes === undefined) === (nonResourceAttributes === undefined)) {
    const shown = nonResourceAttributes && goAttributes(nonResourceAttributes);
    const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    errors.push(invalidValue("spec", shown, detail));
  }
  if (named && !spec.user && !spec.groups?.length) {
    errors.push(invalidValue("spec.user", "", "at least one of user or group must be specified"));
  }
  return resourceAttributes ? [...errors, ...selectorErrors(resourceAttributes)] : errors;
}

/** Errors of the metadata: a review has no name and no labels; a local one has a namespace. */
function metadataErrors({ metadata }: SentObject, isLocal: boolean): FieldError[] {
  const allowed = isLocal ? ["managedFields", "namespace"] : ["managedFields"];
  const isEmpty = Object.entries(metadata).every(([field, part]: [string, unknown]) => {
    if (allowed.includes(field) || part === "" || part === 0) return true;
    return typeof part === "object" && Object.keys(part ?? {}).length === 0;
  });
  if (isEmpty) return [];
  const shown = inGoOrder({ apiVersion: "v1", kind: "ConfigMap", metadata })["metadata"];
  const detail = isLocal ? "must be empty except for namespace" : "must be empty";
  return [invalidValue("metadata", shown, detail)];
}

/** The attributes as Go prints its internal type. */
function goAttributes({ path = "", verb = "" }: NonResourceAttributes): object {
  return { Path: path, Verb: verb };
}

function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: "authorization.k8s.io", kind: "" }, "", errors);
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

function decide(
  cluster: Cluster,
  user: User,
  spec: SubjectAccessReviewSpec,
  object: Reviewed<SubjectAccessReviewSpec>,
): void {
  const { allowed, reason } = authorize(cluster.store, user, attributesOf(spec));
  const evaluationError = ignoredSelectors(spec.resourceAttributes ?? {});
  object.status = {
    allowed,
    ...(reason === "" ? {} : { reason }),
    ...(evaluationError === "" ? {} : { evaluationError }),
  };
}

function subjectOf(spec: SubjectAccessReviewSpec): User {
  const { user = "", groups = [], uid, extra } = spec;
  return {
    name: user,
    groups,
    ...present({ uid, extra }),
  };
}

const subjectAccess: Review<SubjectAccessReviewSpec> = {
  tracked: true,
  answer(cluster, _user, object) {
    const spec = (object.spec ??= {});
    refuse([...accessErrors(spec, true), ...metadataErrors(object, false)]);
    decide(cluster, subjectOf(spec), spec, object);
  },
};

const localSubjectAccess: Review<SubjectAccessReviewSpec> = {
  tracked: true,
  answer(cluster, _user, object, namespace) {
    const spec = (object.spec ??= {});
    const errors = [...accessErrors(spec, true), ...metadataErrors(object, true)];
    const wanted = spec.resourceAttributes?.namespace ?? "";
    if (spec.resourceAttributes && wanted !== namespace) {
      errors.push(
        invalidValue("spec.resourceAttributes.namespace", wanted, "must match metadata.namespace"),
      );
    }
    if (spec.nonResourceAttributes) {
      errors.push(
        invalidValue(
          "spec.nonResourceAttributes",
          goAttributes(spec.nonResourceAttributes),
          "disallowed on this kind of request",
        ),
      );
    }
    refuse(errors);
    decide(cluster, subjectOf(spec), spec, object);
  },
};

const selfSubjectAccess: Review<SubjectAccessReviewSpec> = {
  tracked: true,
  answer(cluster, user, object) {
    const spec = (object.spec ??= {});
    refuse([...accessErrors(spec, false), ...metadataErrors(object, false)]);
    decide(cluster, user, spec, object);
  },
};

const selfSubjectRules: Review<{ namespace?: string }> = {
  tracked: false,
  answer(cluster, user, object) {
    const { namespace } = object.spec ?? {};
    if (!namespace) throw badRequest("no namespace on request");
    const { granted, errors } = rulesOf(cluster.store, user, namespace);
    const isNode = user.groups.includes("system:nodes") && user.name.startsWith("system:node:");
    const own = errors.length > 1 ? [`[${[...new Set(errors)].join(", ")}]`] : errors;
    const problems = [
      ...own,
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
  },
};

const selfSubject: Review = {
  tracked: false,
  answer(cluster, user, object) {
    object.metadata = { creationTimestamp: timestamp(cluster.clock) };
    object.status = { userInfo: userInfo(user) };
  },
};

const token: Review<{ token?: string; audiences?: string[] }> = {
  tracked: true,
  answer(cluster, _user, object) {
    const { token: text = "", audiences } = (object.spec ??= {});
    if (text === "") throw badRequest("token is required for TokenReview in authentication");
    const verdict = cluster.tokens.verify(text, audiences?.length ? audiences : undefined);
    object.status =
      "error" in verdict
        ? { user: {}, error: verdict.error }
        : {
            authenticated: true,
            user: userInfo(verdict.user),
            audiences: verdict.audiences,
          };
  },
};

const REVIEWS: Readonly<Record<string, Review>> = {
  "subjectaccessreviews.authorization.k8s.io": subjectAccess,
  "localsubjectaccessreviews.authorization.k8s.io": localSubjectAccess,
  "selfsubjectaccessreviews.authorization.k8s.io": selfSubjectAccess,
  "selfsubjectrulesreviews.authorization.k8s.io": selfSubjectRules,
  "selfsubjectreviews.authentication.k8s.io": selfSubject,
  "tokenreviews.authentication.k8s.io": token,
};
