import { expect, test } from "vitest";
import { type TokenOwner, TokenRefused } from "../auth/contract.ts";
import { authenticationGroup } from "../kinds/authentication/v1/group.ts";
import { kubernetes } from "../meta/dialect.ts";
import { contextOf } from "../schema/testing/kind.ts";
import { actionRegistry } from "./testing/actions.ts";

/** Reviews a token with an authenticator that returns this result; returns the status of the review, and the input of the authenticator. */
async function reviewed(decide: () => TokenOwner | undefined, spec: object) {
  const calls: unknown[] = [];
  const authenticator = {
    authenticate: () => undefined,
    async review(...call: unknown[]) {
      calls.push(call);
      return decide();
    },
  };
  const { ask } = await actionRegistry(authenticationGroup(contextOf(kubernetes)), { authenticator });
  const result = await ask("tokenreviews", "", "", { spec });
  return { status: "object" in result ? result.object["status"] : undefined, calls };
}

test("AUTHN-39, AUTHN-40: a review has the user of the token and the audiences that it is valid for", async () => {
  const identity = { user: "u", uid: "1", groups: ["g"], extra: { k: ["v"] } };
  const { status, calls } = await reviewed(() => ({ identity, audiences: ["x"] }), {
    token: "t",
    audiences: ["x", "y"],
  });
  expect(status).toEqual({
    authenticated: true,
    user: { username: "u", uid: "1", groups: ["g"], extra: { k: ["v"] } },
    audiences: ["x"],
  });
  expect(calls).toEqual([["t", ["x", "y"]]]);
});

test("AUTHN-41: an unknown token, and one that is refused, have an error and no user", async () => {
  const unknown = await reviewed(() => undefined, { token: "t", audiences: [] });
  expect(unknown).toEqual({ status: { user: {}, error: "the token is unknown" }, calls: [["t", undefined]] });
  const refused = await reviewed(
    () => {
      throw new TokenRefused("it has ended");
    },
    { token: "t" },
  );
  expect(refused.status).toEqual({ user: {}, error: "it has ended" });
});

test("AUTHN-42: a review without a token is refused", async () => {
  await expect(reviewed(() => undefined, {})).rejects.toMatchObject({ code: 400 });
});
