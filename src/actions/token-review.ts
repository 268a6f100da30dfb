/**
 * TokenReview: the user of a token, for programs that receive tokens and cannot verify them (AUTHN-39 to AUTHN-42).
 *
 * Here alone the client learns why a token was refused; the authorizer decides which clients may create reviews.
 *
 * @module
 */
import { type Authenticator, type TokenOwner, TokenRefused } from "../auth/contract.ts";
import { badRequest } from "../meta/status.ts";
import { type ActionRequest, type Actions, actionKey } from "../registry/index.ts";
import { guardOf } from "../schema/api-object.ts";
import type { ApiObject } from "../schema/definition.ts";
import { userInfo } from "./user-info.ts";

interface Spec {
  readonly token?: string;
  readonly audiences?: readonly string[] | null;
}

/** The action of a TokenReview. */
export function tokenReviewAction(authenticator: Authenticator): Actions {
  const key = actionKey({ group: "authentication.k8s.io", kind: "TokenReview" });
  return new Map([[key, { validate, handle: (request: ActionRequest) => handle(authenticator, request) }]]);
}

const isTokenReview = guardOf<ApiObject & { readonly spec: Spec }>("TokenReview");

const specOf = ({ object }: ActionRequest): Spec => (isTokenReview(object) ? object.spec : {});

function validate(request: ActionRequest): void {
  if (!specOf(request).token) throw badRequest("expected spec.token to hold a token, found none");
}

async function handle(authenticator: Authenticator, request: ActionRequest): Promise<void> {
  const { token = "", audiences } = specOf(request);
  request.object["status"] = await statusOf(async () =>
    authenticator.review?.(token, audiences?.length ? audiences : undefined),
  );
}

async function statusOf(review: () => Promise<TokenOwner | undefined>): Promise<Record<string, unknown>> {
  try {
    const owner = await review();
    if (!owner) return { user: {}, error: "the token is unknown" };
    const { identity, audiences } = owner;
    return {
      authenticated: true,
      user: userInfo(identity),
      ...(audiences.length > 0 ? { audiences: [...audiences] } : {}),
    };
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    return { user: {}, error: error.message };
  }
}
