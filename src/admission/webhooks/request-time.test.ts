import { expect, test } from "vitest";
import { type Behaviour, allow, configuration, webhook, webhooksWith, writeOf } from "./testing/webhooks.ts";

test("HOOK-24: a request that has used its time up names the webhook that has taken most of it", async () => {
  const hooks = ["quick.x.y", "slow.x.y", "late.x.y"].map((name) =>
    webhook(name, { timeoutSeconds: 20, failurePolicy: "Ignore" }),
  );
  const takes =
    (millis: number): Behaviour =>
    (review, address) => {
      world.clock.advance(millis);
      if (millis > 5000 && millis < 20_000) throw new Error("no answer");
      return allow()(review, address);
    };
  const world = webhooksWith([configuration("Mutating", "conf", hooks)], {
    "quick.x.y": takes(1000),
    "slow.x.y": takes(20_000),
    "late.x.y": takes(8000),
  });
  await expect(world.chain.mutate(writeOf(world))).rejects.toMatchObject({
    code: 504,
    reason: "Timeout",
    message:
      'request did not complete within requested timeout: webhook "slow.x.y" of MutatingWebhookConfiguration "conf" used 20.0 s of 29 s',
  });
  expect(world.calls).toEqual(["quick.x.y", "slow.x.y", "late.x.y"]);
});
