/**
 * `authentication.k8s.io/v1`: reviews of the identity of a user, and tokens on request. Nothing here is stored; the server makes the
 * results. The group has this name in both dialects, because clients know no other.
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import type { DefinitionFactory } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";

const asked = { group: "authentication.k8s.io", version: "v1", verbs: ["create"], asked: true } as const;

const UserInfo = t.struct("The identity of a user.", {
  username: t.optional(t.text("Name of the user.")),
  uid: t.optional(t.text("Tells users of the same name apart.")),
  groups: t.optional(t.atomicList(t.text(), "Groups of the user.")),
  extra: t.optional(t.map(t.atomicList(t.text()), "Further attributes of the user.")),
});

const selfSubjectReview = defineResource(
  objectSchema("Returns the attributes of the current user.", {
    status: t.always(t.struct("The result.", { userInfo: t.optional(UserInfo) })),
  }),
  {
    kind: "SelfSubjectReview",
    plural: "selfsubjectreviews",
    scope: "Cluster",
    ...asked,
  },
);

/** The definition of TokenReview, which returns the user of a token (AUTHN-39). */
const tokenReview = defineResource(
  objectSchema("Checks a token and returns its user.", {
    spec: t.required(
      t.struct("The token to check.", {
        token: t.optional(t.text("The token.")),
        audiences: t.optional(
          t.atomicList(t.text(), "The audiences of which the token must have one; this server by default."),
        ),
      }),
    ),
    status: t.always(
      t.struct("The result.", {
        authenticated: t.optional(t.bool("Whether the token is good.")),
        user: t.always({ ...UserInfo, description: "The user of the token." }),
        audiences: t.optional(t.atomicList(t.text(), "The requested audiences that the token has.")),
        error: t.optional(t.text("Why the token is not good.")),
      }),
    ),
  }),
  {
    kind: "TokenReview",
    plural: "tokenreviews",
    scope: "Cluster",
    ...asked,
  },
);

const BoundObject = t.struct("The object that a token is bound to: it ends with the object.", {
  kind: t.optional(t.text("Kind of the object: Pod, Secret or Node.")),
  apiVersion: t.optional(t.text("API version of the object.")),
  name: t.optional(t.text("Name of the object.")),
  uid: t.optional(t.text("UID of the object.")),
});

/** The definition of TokenRequest. LIM-11: an hour by default; the bounds are checked where tokens are made. */
export const tokenRequest = defineResource(
  objectSchema("Requests a token of a service account.", {
    spec: t.required(
      t.struct("The properties of the requested token.", {
        audiences: t.nullable(t.atomicList(t.text(), "The audiences of the token; this server by default.")),
        expirationSeconds: t.pointer(t.int64("How long it is good, in seconds.", { default: 3600 })),
        boundObjectRef: t.nullable(BoundObject),
      }),
    ),
    status: t.optional(
      t.struct("The token.", {
        token: t.required(t.text("The token itself.")),
        expirationTimestamp: t.nullable(t.time("When it ends.")),
      }),
    ),
  }),
  {
    kind: "TokenRequest",
    plural: "tokenrequests",
    scope: "Namespaced",
    ...asked,
    // It is a subresource of a service account, and has no path of its own.
    served: false,
  },
);

/** The definitions of the group; the same in both dialects. */
export const authenticationGroup: DefinitionFactory = () => [selfSubjectReview, tokenReview, tokenRequest];
