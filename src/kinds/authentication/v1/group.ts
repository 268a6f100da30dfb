/**
 * `authentication.k8s.io/v1`: questions about who somebody is, and tokens on request. Nothing here is stored; the answers
 * come from the server. The group has this name in both dialects, because clients know no other.
 *
 * @module
 */
import {
  always,
  atomicList,
  bool,
  int64,
  map,
  nullable,
  optional,
  pointer,
  required,
  struct,
  text,
  time,
} from "../../../meta/types.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import type { DefinitionFactory } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";

const UserInfo = struct("Who somebody is.", {
  username: optional(text("Name of the user.")),
  uid: optional(text("Tells users of the same name apart.")),
  groups: optional(atomicList(text(), "Groups of the user.")),
  extra: optional(map(atomicList(text()), "What else is known of the user.")),
});

const selfSubjectReview = defineResource(
  objectSchema("Answers who the one is that asks.", {
    status: always(struct("The answer.", { userInfo: optional(UserInfo) })),
  }),
  {
    group: "authentication.k8s.io",
    version: "v1",
    kind: "SelfSubjectReview",
    plural: "selfsubjectreviews",
    scope: "Cluster",
    verbs: ["create"],
    asked: true,
    deleteAnswers: "status",
  },
);

/** The definition of TokenReview: who is shown a token asks whom it stands for (AUTHN-39). */
const tokenReview = defineResource(
  objectSchema("Answers whose a token is.", {
    spec: required(
      struct("What is asked.", {
        token: optional(text("The token.")),
        audiences: optional(atomicList(text(), "For whom the token has to be; for this server by default.")),
      }),
    ),
    status: always(
      struct("The answer.", {
        authenticated: optional(bool("Whether the token is good.")),
        user: always({ ...UserInfo, description: "Whom the token stands for." }),
        audiences: optional(atomicList(text(), "Those of the audiences asked for that the token is for.")),
        error: optional(text("Why the token is not good.")),
      }),
    ),
  }),
  {
    group: "authentication.k8s.io",
    version: "v1",
    kind: "TokenReview",
    plural: "tokenreviews",
    scope: "Cluster",
    verbs: ["create"],
    asked: true,
    deleteAnswers: "status",
  },
);

const BoundObject = struct("The object that a token is bound to: it ends with the object.", {
  kind: optional(text("Kind of the object: Pod, Secret or Node.")),
  apiVersion: optional(text("API version of the object.")),
  name: optional(text("Name of the object.")),
  uid: optional(text("UID of the object.")),
});

/** The definition of TokenRequest. LIM-11: an hour by default; the bounds are checked where tokens are made. */
export const tokenRequest = defineResource(
  objectSchema("Asks for a token of a service account.", {
    spec: required(
      struct("What the token should be.", {
        audiences: nullable(atomicList(text(), "For whom the token is; for this server by default.")),
        expirationSeconds: pointer(int64("How long it is good, in seconds.", { default: 3600 })),
        boundObjectRef: nullable(BoundObject),
      }),
    ),
    status: optional(
      struct("The token.", {
        token: required(text("The token itself.")),
        expirationTimestamp: nullable(time("When it ends.")),
      }),
    ),
  }),
  {
    group: "authentication.k8s.io",
    version: "v1",
    kind: "TokenRequest",
    plural: "tokenrequests",
    scope: "Namespaced",
    verbs: ["create"],
    asked: true,
    // It is asked for below a service account, and has no path of its own.
    served: false,
    deleteAnswers: "status",
  },
);

/** The definitions of the group; the same in both dialects. */
export const authenticationGroup: DefinitionFactory = () => [selfSubjectReview, tokenReview, tokenRequest];
