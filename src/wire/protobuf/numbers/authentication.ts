import type { Messages } from "./numbers.ts";

/** `authentication.k8s.io/v1`. */
export const authentication: Messages = {
  SelfSubjectReview: { metadata: [1, "meta.ObjectMeta"], status: [2, "SelfSubjectReviewStatus"] },
  SelfSubjectReviewStatus: { userInfo: [1, "UserInfo"] },
  UserInfo: { username: 1, uid: 2, groups: 3, extra: 4 },
  TokenRequest: { metadata: [1, "meta.ObjectMeta"], spec: [2, "TokenRequestSpec"], status: [3, "TokenRequestStatus"] },
  TokenRequestSpec: { audiences: 1, boundObjectRef: [3, "BoundObjectReference"], expirationSeconds: 4 },
  BoundObjectReference: { kind: 1, apiVersion: 2, name: 3, uid: 4 },
  TokenRequestStatus: { token: 1, expirationTimestamp: 2 },
  TokenReview: { metadata: [1, "meta.ObjectMeta"], spec: [2, "TokenReviewSpec"], status: [3, "TokenReviewStatus"] },
  TokenReviewSpec: { token: 1, audiences: 2 },
  TokenReviewStatus: { authenticated: 1, user: [2, "UserInfo"], error: 3, audiences: 4 },
};
