import { describe, expect, test } from "vitest";
import { objectOf } from "../testing/requests.ts";
import {
  type Behaviour,
  allow,
  configuration,
  deny,
  patch,
  webhook,
  webhooksWith,
  writeOf,
} from "./testing/webhooks.ts";

const add = (path: string, value: unknown) => patch([{ op: "add", path, value }]);

/** Appends a letter to the log in the object that it gets. */
const log =
  (letter: string): Behaviour =>
  (review, address) => {
    const { data } = review.request.object as { data: Record<string, string> };
    return add("/data/log", (data["log"] ?? "") + letter)(review, address);
  };

describe("mutating webhooks", () => {
  test("HOOK-11: run one after the other, configurations by name, and each sees what those before made", async () => {
    const world = webhooksWith(
      [configuration("Mutating", "b", [webhook("b1"), webhook("b2")]), configuration("Mutating", "a", [webhook("a1")])],
      { a1: log("x"), b1: log("y"), b2: log("z") },
    );
    const request = writeOf(world);
    await world.chain.mutate(request);
    expect(request.object).toMatchObject({ data: { k: "v", log: "xyz" } });
    expect(world.calls).toEqual(["a1", "b1", "b2"]);
  });

  test("HOOK-11: the first refusal ends the chain", async () => {
    const world = webhooksWith([configuration("Mutating", "a", [webhook("one"), webhook("two")])], { one: deny() });
    await expect(world.chain.mutate(writeOf(world))).rejects.toMatchObject({
      code: 400,
      message: 'admission webhook "one" denied the request without explanation',
    });
    expect(world.calls).toEqual(["one"]);
  });

  test("HOOK-12: those with IfNeeded that ran before a change are called once more, in order, and never a third time", async () => {
    const again = { reinvocationPolicy: "IfNeeded" };
    const world = webhooksWith(
      [configuration("Mutating", "a", [webhook("a", again), webhook("b"), webhook("c", again), webhook("d")])],
      { a: log("a"), b: log("b"), c: log("c") },
    );
    const request = writeOf(world);
    await world.chain.mutate(request);
    expect(world.calls).toEqual(["a", "b", "c", "d", "a", "c"]);
    expect(request.object).toMatchObject({ data: { log: "abcac" } });
  });

  test("HOOK-12: those that ran after the last change are not called once more", async () => {
    const world = webhooksWith([configuration("Mutating", "a", [webhook("a", { reinvocationPolicy: "IfNeeded" })])], {
      a: log("a"),
    });
    const request = writeOf(world);
    await world.chain.mutate(request);
    expect(request.isReinvocation).toBe(true);
    expect(world.calls).toEqual(["a"]);
  });

  test("HOOK-12: where nothing is changed nothing runs once more", async () => {
    const world = webhooksWith([configuration("Mutating", "a", [webhook("a", { reinvocationPolicy: "IfNeeded" })])], {
      a: patch([{ op: "replace", path: "/data/k", value: "v" }]),
    });
    const request = writeOf(world);
    await world.chain.mutate(request);
    expect(request.isReinvocation).toBe(false);
  });

  test("HOOK-15: a later webhook chooses by the labels that an earlier one made", async () => {
    const world = webhooksWith(
      [
        configuration("Mutating", "a", [
          webhook("labels"),
          webhook("chooses", { objectSelector: { matchLabels: { by: "hook" } } }),
        ]),
      ],
      { labels: add("/metadata/labels", { by: "hook" }) },
    );
    await world.chain.mutate(writeOf(world));
    expect(world.calls).toEqual(["labels", "chooses"]);
  });

  test("HOOK-24: a failed call is 500 with the name of the webhook, and left out under Ignore", async () => {
    const broken = () => Promise.reject(Object.assign(new Error("x"), { code: "ECONNREFUSED" }));
    const of = (failurePolicy: string) =>
      webhooksWith([configuration("Mutating", "a", [webhook("down", { failurePolicy })])], { down: broken });
    const failing = of("Fail");
    await expect(failing.chain.mutate(writeOf(failing))).rejects.toMatchObject({
      code: 500,
      reason: "InternalError",
      message:
        'Internal error occurred: failed calling webhook "down": failed to call webhook: Post "https://hooks.example/down?timeout=10s": connect: connection refused: x',
    });
    const ignoring = of("Ignore");
    const request = writeOf(ignoring);
    await ignoring.chain.mutate(request);
    expect(request.notes).toEqual({
      "failed-open.mutation.webhook.admission.k8s.io/round_0_index_0": "down",
      "mutation.webhook.admission.k8s.io/round_0_index_0": '{"configuration":"a","webhook":"down","mutated":false}',
    });
  });

  test.each([
    ["a patch without a type", allow({ patch: "W10=" }), /but not response.patchType/],
    ["a type without a patch", allow({ patchType: "JSONPatch" }), /but not response.patch/],
    ["another type", patch([{ op: "remove", path: "/data" }], { patchType: "MergePatch" }), /unsupported patch type/],
    ["a patch that is no list", patch({ op: "add" }), /undecodable patch/],
    ["a patch that is no base64", allow({ patch: "%%%", patchType: "JSONPatch" }), /base64/],
    ["a patch that is no JSON", allow({ patch: "e25v", patchType: "JSONPatch" }), /undecodable patch/],
  ])("HOOK-24: %s fails the call, and is left out under Ignore", async (_, behaviour, words) => {
    const of = (failurePolicy: string) =>
      webhooksWith([configuration("Mutating", "a", [webhook("bad", { failurePolicy })])], { bad: behaviour });
    const failing = of("Fail");
    const failure = expect.objectContaining({ code: 500, message: expect.stringMatching(words) as string }) as Error;
    await expect(failing.chain.mutate(writeOf(failing))).rejects.toEqual(failure);
    const ignoring = of("Ignore");
    const request = writeOf(ignoring);
    await ignoring.chain.mutate(request);
    expect(request.object).toMatchObject({ data: { k: "v" } });
  });

  test("HOOK-25: a patch that does not apply is 500 under both policies", async () => {
    const bad = patch([{ op: "remove", path: "/data/nosuch" }]);
    for (const failurePolicy of ["Fail", "Ignore"]) {
      const world = webhooksWith([configuration("Mutating", "a", [webhook("bad", { failurePolicy })])], { bad });
      await expect(world.chain.mutate(writeOf(world))).rejects.toMatchObject({ code: 500, reason: "InternalError" });
    }
  });

  test("HOOK-25: no patch, null and an empty list change nothing", async () => {
    for (const behaviour of [allow(), patch(null), patch([])]) {
      const world = webhooksWith([configuration("Mutating", "a", [webhook("a")])], { a: behaviour });
      const request = writeOf(world);
      await world.chain.mutate(request);
      expect(request.notes).toEqual({
        "mutation.webhook.admission.k8s.io/round_0_index_0": '{"configuration":"a","webhook":"a","mutated":false}',
      });
    }
  });

  test("a patch for a deletion is 500", async () => {
    const world = webhooksWith([configuration("Mutating", "a", [webhook("a")])], { a: add("/data/x", "y") });
    const request = { ...writeOf(world, { operation: "DELETE", old: objectOf({ name: "a" }) }), object: undefined };
    await expect(world.chain.mutate(request)).rejects.toMatchObject({
      message: expect.stringContaining('admission webhook "a" attempted to modify the object') as string,
    });
  });

  test("HOOK-23: annotations and the patch are noted for audit, under names of kube-apiserver", async () => {
    const world = webhooksWith(
      [configuration("Mutating", "conf", [webhook("not.called", { rules: [] }), webhook("h.x.y")])],
      {
        "h.x.y": patch([{ op: "add", path: "/data/x", value: "<y>" }], {
          auditAnnotations: { seen: "yes", "not valid/": "left out" },
        }),
      },
    );
    const request = writeOf(world);
    await world.chain.mutate(request);
    expect(request.notes).toEqual({
      "h.x.y/seen": "yes",
      "mutation.webhook.admission.k8s.io/round_0_index_1": '{"configuration":"conf","webhook":"h.x.y","mutated":true}',
      "patch.webhook.admission.k8s.io/round_0_index_1": String.raw`{"configuration":"conf","webhook":"h.x.y","patch":[{"op":"add","path":"/data/x","value":"\u003cy\u003e"}],"patchType":"JSONPatch"}`,
    });
  });

  const dryRun = (sideEffects: string) => {
    const world = webhooksWith([configuration("Mutating", "a", [webhook("a", { sideEffects })])]);
    return { world, request: writeOf(world, { options: { dryRun: true } }) };
  };

  test.each(["None", "NoneOnDryRun"])(
    "a webhook of the side effects %s is called for a dry run",
    async (sideEffects) => {
      const { world, request } = dryRun(sideEffects);
      await world.chain.mutate(request);
      expect(world.calls).toEqual(["a"]);
    },
  );

  test.each(["Some", "Unknown"])(
    "a dry run that a webhook of the side effects %s concerns is 400",
    async (sideEffects) => {
      const { world, request } = dryRun(sideEffects);
      const refusal = { code: 400, message: 'admission webhook "a" does not support dry run' };
      await expect(world.chain.mutate(request)).rejects.toMatchObject(refusal);
      expect(world.calls).toEqual([]);
    },
  );

  test("a request that no webhook concerns does not wait", async () => {
    const world = webhooksWith([configuration("Mutating", "a", [webhook("a", { rules: [] })])]);
    await world.chain.mutate(writeOf(world));
    expect(world.chain.mutate(writeOf(world))).toBeUndefined();
    expect(world.chain.validate(writeOf(world))).toBeUndefined();
  });
});
