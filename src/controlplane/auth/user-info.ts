/** A user as reviews show it. */
import type { JsonObject } from "../../kube/object.ts";
import type { User } from "../kinds.ts";
import { present } from "../../present.ts";

/** `UserInfo` of authentication.k8s.io/v1; empty parts are left out. */
export function userInfo({ name, uid, groups, extra }: User): JsonObject {
  return {
    username: name,
    ...present({ uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...present({ extra }),
  };
}
