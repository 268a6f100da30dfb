/**
 * TokenReview: whose token is it, for programs that are shown tokens and cannot judge them (AUTHN-39 to AUTHN-42).
 *
 * It is the one place where a refusal says why; who may ask is a matter of rights.
 *
 * @module
 */
import { type Authenticator, type TokenOwner, TokenRefused } from "../../auth/contract.ts";
import { badRequest } from "../../meta/status.ts";
import { type Actions, type Question, actionKey } from "./asked.ts";
import { userInfo } from "./user-info.ts";

interface Spec {
  readonly token?: string;
  readonly audiences?: readonly string[] | null;
}

/** The action that answers TokenReview by what an authenticator knows. */
export function tokenReviewAction(authenticator: Authenticator): Actions {
  const key = actionKey({ group: "authentication.k8s.io", kind: "TokenReview" });
  return new Map([[key, { judge, answer: (question: Question) => answer(authenticator, question) }]]);
}

const specOf = ({ object }: Question): Spec => object["spec"] as Spec;

function judge(question: Question): void {
  if (!specOf(question).token) throw badRequest("expected spec.token to hold a token, found none");
}

async function answer(authenticator: Authenticator, question: Question): Promise<void> {
  const { token = "", audiences } = specOf(question);
  question.object["status"] = await statusOf(async () =>
    authenticator.review?.(token, audiences?.length ? audiences : undefined),
  );
}

async function statusOf(asked: () => Promise<TokenOwner | undefined>): Promise<Record<string, unknown>> {
  try {
    const owner = await asked();
    if (!owner) return { user: {}, error: "nobody knows the token" };
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
