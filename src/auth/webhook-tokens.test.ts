import { expect, test } from "vitest";
import { ManualClock } from "../util/clock.ts";
import { nextPass } from "../util/testing/pass.ts";
import { TokenRefused, AuthenticatorBusy } from "./contract.ts";
import { type TokenWebhook, webhookTokens } from "./webhook-tokens.ts";

const USER = { username: "pat", uid: "7", groups: ["team"], extra: { scope: ["a", "b"] } };

function webhook(status: object, more: Partial<TokenWebhook> = {}) {
  const clock = new ManualClock(0);
  const calls: { spec: object; apiVersion: string }[] = [];
  const tokens = webhookTokens({
    ask: async (review) => {
      calls.push(JSON.parse(review) as (typeof calls)[0]);
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
    calls,
    identify: async (token: string, audiences?: readonly string[]) => tokens.identify(token, audiences),
  };
}

test("AUTHN-3: the webhook gets a token with the audiences of this server, and returns the user", async () => {
  const { calls, identify } = webhook({ authenticated: true, user: USER });
  expect(await identify("t")).toEqual({
    identity: { user: "pat", uid: "7", groups: ["team"], extra: { scope: ["a", "b"] } },
    audiences: ["here"],
  });
  expect(calls).toEqual([
    { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: "t", audiences: ["here"] } },
  ]);
});

test("AUTHN-40: a response for other audiences than the requested ones is ignored", async () => {
  const { identify } = webhook({ authenticated: true, user: USER, audiences: ["there", "else"] });
  expect(await identify("t")).toBeUndefined();
  expect((await identify("t", ["x", "else", "there"]))?.audiences).toEqual(["else", "there"]);
});

test("a result is cached for a while, a refusal too, each for its audiences", async () => {
  const { clock, calls, identify } = webhook({ error: "unknown" });
  await expect(identify("t")).rejects.toThrow(new TokenRefused("unknown"));
  await expect(identify("t")).rejects.toThrow(TokenRefused);
  expect(calls).toHaveLength(1);
  await expect(identify("t", ["there"])).rejects.toThrow(TokenRefused);
  expect(calls).toHaveLength(2);
  clock.advance(120_000);
  await expect(identify("t")).rejects.toThrow(TokenRefused);
  expect(calls).toHaveLength(3);
});

/** A webhook that knows the token `good` and responds when `answerAll` is called. */
function slowWebhook() {
  let begun = 0;
  const waiting: (() => void)[] = [];
  const { identify } = webhook(
    {},
    {
      async ask(review) {
        begun++;
        await new Promise<void>((resolve) => waiting.push(resolve));
        const { token } = (JSON.parse(review) as { spec: { token: string } }).spec;
        return { status: token.startsWith("good") ? { authenticated: true, user: USER } : {} };
      },
    },
  );
  const answerAll = async (): Promise<void> => {
    for (; waiting.length > 0; await nextPass()) waiting.splice(0).forEach((answer) => answer());
  };
  return { identify, answerAll, begun: () => begun };
}

test("unknown clients cause 32 reviews at once, 1000 wait, and the others get an error", async () => {
  const { identify, answerAll, begun } = slowWebhook();
  const those = Array.from({ length: 2000 }, (_, i) => identify(`unknown-${i}`));
  const judged = Promise.allSettled(those);
  await nextPass();
  expect(begun()).toBe(32);
  await answerAll();
  const reasons = (await judged).map((one) => (one.status === "rejected" ? (one.reason as unknown) : "unknown"));
  expect(reasons.filter((reason) => reason === "unknown")).toHaveLength(1032);
  expect(reasons.filter((reason) => reason instanceof AuthenticatorBusy)).toHaveLength(968);
});

test("many requests with one token share one review, and an unknown token is cached", async () => {
  const { identify, answerAll, begun } = slowWebhook();
  const all = Promise.all(Array.from({ length: 500 }, () => identify("unknown")));
  await answerAll();
  expect(new Set(await all)).toEqual(new Set([undefined]));
  expect(await identify("unknown")).toBeUndefined();
  expect(begun()).toBe(1);
});

test("unknown tokens do not evict accepted ones", async () => {
  const calls: string[] = [];
  const { identify } = webhook(
    {},
    {
      async ask(review) {
        const { token } = (JSON.parse(review) as { spec: { token: string } }).spec;
        calls.push(token);
        return { status: token === "good" ? { authenticated: true, user: USER } : {} };
      },
    },
  );
  await identify("good");
  for (let i = 0; i < 10_001; i++) await identify(`unknown-${i}`);
  await identify("good");
  await identify("unknown-0");
  expect(calls.slice(10_001)).toEqual(["unknown-10000", "unknown-0"]);
});

test.each([
  ["nothing", undefined],
  ["no status", {}],
  ["a text", "yes"],
  ["no name", { status: { authenticated: true, user: {} } }],
  ["another type", { status: { authenticated: "true", user: USER } }],
])("a response with %s is not accepted", async (_, said) => {
  const { identify } = webhook({}, { ask: async () => said });
  expect(await identify("t")).toBeUndefined();
});

test("a webhook that fails is called again the next time", async () => {
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
