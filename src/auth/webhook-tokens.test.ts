import { expect, test } from "vitest";
import { ManualClock } from "../util/clock.ts";
import { TokenRefused } from "./contract.ts";
import { type TokenWebhook, webhookTokens } from "./webhook-tokens.ts";

const USER = { username: "pat", uid: "7", groups: ["team"], extra: { scope: ["a", "b"] } };

function webhook(status: object, more: Partial<TokenWebhook> = {}) {
  const clock = new ManualClock(0);
  const asked: { spec: object; apiVersion: string }[] = [];
  const tokens = webhookTokens({
    ask: async (review) => {
      asked.push(JSON.parse(review) as (typeof asked)[0]);
      return { status };
    },
    version: "v1",
    cacheMillis: 120_000,
    audiences: ["here"],
    clock,
    ...more,
  });
  return {
    clock,
    asked,
    identify: async (token: string, audiences?: readonly string[]) => tokens.identify(token, audiences),
  };
}

test("AUTHN-3: a token is shown to the webhook for this server, and whom it names is the user", async () => {
  const { asked, identify } = webhook({ authenticated: true, user: USER });
  expect(await identify("t")).toEqual({
    identity: { user: "pat", uid: "7", groups: ["team"], extra: { scope: ["a", "b"] } },
    audiences: ["here"],
  });
  expect(asked).toEqual([
    { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: "t", audiences: ["here"] } },
  ]);
});

test("AUTHN-40: an answer for other audiences than those asked for is none", async () => {
  const { identify } = webhook({ authenticated: true, user: USER, audiences: ["there", "else"] });
  expect(await identify("t")).toBeUndefined();
  expect((await identify("t", ["x", "else", "there"]))?.audiences).toEqual(["else", "there"]);
});

test("an answer counts for a while, a refusal too, each for its audiences", async () => {
  const { clock, asked, identify } = webhook({ error: "unknown" });
  await expect(identify("t")).rejects.toThrow(new TokenRefused("unknown"));
  await expect(identify("t")).rejects.toThrow(TokenRefused);
  expect(asked).toHaveLength(1);
  await expect(identify("t", ["there"])).rejects.toThrow(TokenRefused);
  expect(asked).toHaveLength(2);
  clock.advance(120_000);
  await expect(identify("t")).rejects.toThrow(TokenRefused);
  expect(asked).toHaveLength(3);
});

test.each([
  ["nothing", undefined],
  ["no status", {}],
  ["a text", "yes"],
  ["no name", { status: { authenticated: true, user: {} } }],
  ["another type", { status: { authenticated: "true", user: USER } }],
])("an answer that says %s lets nobody in", async (_, said) => {
  const { identify } = webhook({}, { ask: async () => said });
  expect(await identify("t")).toBeUndefined();
});

test("a webhook that does not answer is asked again the next time", async () => {
  let fails = true;
  const ask = async (): Promise<unknown> => {
    if (fails) throw new Error("down");
    return { status: { authenticated: true, user: { username: "pat", groups: [1] } } };
  };
  const { identify } = webhook({}, { ask });
  await expect(identify("t")).rejects.toThrow("down");
  fails = false;
  expect(await identify("t")).toMatchObject({ identity: { user: "pat", groups: [] } });
});
