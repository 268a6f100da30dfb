import { describe, expect, test } from "vitest";
import { objectOf } from "../testing/requests.ts";
import { allow, configuration, deny, patch, webhook, webhooksWith, writeOf } from "./testing/webhooks.ts";

const validating = (...webhooks: readonly object[]) => [configuration("Validating", "conf", webhooks)];

describe("validating webhooks", () => {
  test("HOOK-11: all of them are called at the same time, and any refusal refuses", async () => {
    let open = 0;
    let most = 0;
    const slow = async (...args: Parameters<ReturnType<typeof allow>>) => {
      most = Math.max(most, ++open);
      await new Promise<void>((resolve) => queueMicrotask(resolve));
      open--;
      return allow()(...args);
    };
    const world = webhooksWith(validating(webhook("a"), webhook("b"), webhook("c")), { a: slow, b: slow, c: deny() });
    await expect(world.chain.validate(writeOf(world))).rejects.toMatchObject({ code: 400 });
    expect([world.calls, most]).toEqual([["a", "b", "c"], 2]);
  });

  test.each([
    [
      "a code and a reason",
      { code: 403, reason: "Forbidden", message: "no" },
      403,
      "Forbidden",
      "denied the request: no",
    ],
    ["a code alone", { code: 418 }, 418, undefined, "denied the request without explanation"],
    ["a code below 400", { code: 200, message: "m" }, 400, undefined, "denied the request: m"],
    ["a reason alone", { reason: "Mine" }, 400, "Mine", "denied the request: Mine"],
    ["a code that is none of HTTP", { code: 4000 }, 500, undefined, "without explanation"],
    ["nothing", undefined, 400, undefined, "denied the request without explanation"],
  ])("HOOK-22: a refusal with %s", async (_, status, code, reason, words) => {
    const world = webhooksWith(validating(webhook("v.x.y")), { "v.x.y": deny(status) });
    const refused = await Promise.resolve(world.chain.validate(writeOf(world))).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code, status: { status: "Failure", code } });
    expect((refused as { status: { reason?: string } }).status.reason).toBe(reason);
    expect(String(refused)).toContain(`admission webhook "v.x.y"`);
    expect(String(refused)).toContain(words);
  });

  test("HOOK-22: a response that does not say whether it allows refuses, under Ignore too", async () => {
    const world = webhooksWith(validating(webhook("a", { failurePolicy: "Ignore" })), {
      a: ({ request: { uid } }) => ({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid } }),
    });
    await expect(world.chain.validate(writeOf(world))).rejects.toMatchObject({ code: 400 });
  });

  test("HOOK-23: warnings of all webhooks are warnings of the request, of a refused one too", async () => {
    const world = webhooksWith(validating(webhook("a"), webhook("b")), {
      a: allow({ warnings: ["one"] }),
      b: allow({ allowed: false, warnings: ["two", "one"] }),
    });
    const request = writeOf(world);
    await expect(world.chain.validate(request)).rejects.toThrow("denied");
    expect(request.warnings).toEqual(["one", "two"]);
  });

  const review =
    (more: object): ReturnType<typeof allow> =>
    (sent, address) =>
      ({ ...(allow()(sent, address) as object), ...more }) as never;

  test.each([
    ["another uid", allow({ uid: "other" }), /expected response.uid="/],
    [
      "another kind",
      review({ kind: "Other" }),
      /expected webhook response of admission.k8s.io\/v1, Kind=AdmissionReview/,
    ],
    ["another version", review({ apiVersion: "admission.k8s.io/v1beta1" }), /got admission.k8s.io\/v1beta1/],
    ["no response", review({ response: null }), /webhook response was absent/],
    ["a response that is none", review({ response: "yes" }), /expected response to be an object/],
    ["no object", () => [1], /expected an AdmissionReview/],
    ["null", () => null, /expected an AdmissionReview/],
    ["a patch", patch([]), /validating webhook may not return response.patch/],
    ["a type of a patch", allow({ patchType: "JSONPatch" }), /may not return response.patchType/],
    ["allowed that is no boolean", allow({ allowed: "true" }), /expected allowed to be of the type boolean/],
    ["warnings that are no texts", allow({ warnings: [1] }), /expected warnings to have strings only/],
    ["annotations that are no texts", allow({ auditAnnotations: { a: 1 } }), /auditAnnotations to have strings only/],
    ["a status that is none", allow({ status: 7 }), /expected status to be of the type object/],
  ])("HOOK-24: %s fails the call, and is left out under Ignore", async (_, behaviour, words) => {
    const of = (failurePolicy: string) =>
      webhooksWith(validating(webhook("bad", { failurePolicy })), { bad: behaviour });
    const failing = of("Fail");
    const failure = expect.objectContaining({ code: 500, message: expect.stringMatching(words) as string }) as Error;
    await expect(failing.chain.validate(writeOf(failing))).rejects.toEqual(failure);
    const ignoring = of("Ignore");
    const request = writeOf(ignoring);
    await ignoring.chain.validate(request);
    expect(request.notes).toEqual({
      "failed-open.validating.webhook.admission.k8s.io/round_0_index_0": "bad",
    });
  });

  test("HOOK-24: v1beta1 is sent where it is named first, and its kind and uid are not checked", async () => {
    const world = webhooksWith(validating(webhook("old", { admissionReviewVersions: ["v1alpha1", "v1beta1", "v1"] })), {
      old: () => ({ response: { allowed: true } }),
    });
    await world.chain.validate(writeOf(world));
    expect(world.reviews[0]).toMatchObject({ kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1beta1" });
  });

  test("HOOK-16: a condition that fails is 403 under Fail, and skipped under Ignore", async () => {
    const matchConditions = [{ name: "c", expression: "object.nosuch == 1" }];
    const failing = webhooksWith(validating(webhook("a", { matchConditions })));
    await expect(Promise.resolve(failing.chain.validate(writeOf(failing)))).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining('configmaps "a" is forbidden: expression') as string,
    });
    const ignoring = webhooksWith(validating(webhook("a", { matchConditions, failurePolicy: "Ignore" })));
    await ignoring.chain.validate(writeOf(ignoring));
    expect([failing.calls, ignoring.calls]).toEqual([[], []]);
  });

  test("HOOK-17: configurations of webhooks and policies are never reviewed", async () => {
    const world = webhooksWith(validating(webhook("a")));
    const group = "admissionregistration.k8s.io";
    for (const plural of ["validatingwebhookconfigurations", "mutatingadmissionpolicybindings"]) {
      await world.chain.validate(writeOf(world, { ref: { group, plural, kind: "X" } }));
    }
    expect(world.calls).toEqual([]);
    await world.chain.validate(writeOf(world, { ref: { group: "example.com", plural: "widgets", kind: "Widget" } }));
    expect(world.calls).toEqual(["a"]);
  });

  test("HOOK-20: the review has names, user, objects, options and dry run", async () => {
    const world = webhooksWith(validating(webhook("a")));
    const old = objectOf({ name: "a", namespace: "team" }, { kind: "ConfigMap", data: {} });
    const identity = { user: "jane", uid: "u1", groups: ["dev"], extra: { scopes: ["all"] } };
    const options = { dryRun: true, fieldManager: "kubectl", fieldValidation: "Strict" };
    await world.chain.validate(writeOf(world, { operation: "UPDATE", subresource: "status", old, identity, options }));
    const { uid, ...request } = world.reviews[0]!.request;
    expect(uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(request).toEqual({
      kind: { group: "", version: "v1", kind: "ConfigMap" },
      resource: { group: "", version: "v1", resource: "configmaps" },
      subResource: "status",
      requestKind: { group: "", version: "v1", kind: "ConfigMap" },
      requestResource: { group: "", version: "v1", resource: "configmaps" },
      requestSubResource: "status",
      name: "a",
      namespace: "team",
      operation: "UPDATE",
      userInfo: { username: "jane", uid: "u1", groups: ["dev"], extra: { scopes: ["all"] } },
      object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "team" }, data: { k: "v" } },
      oldObject: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "team" }, data: {} },
      dryRun: true,
      options: {
        kind: "UpdateOptions",
        apiVersion: "meta.k8s.io/v1",
        fieldManager: "kubectl",
        fieldValidation: "Strict",
        dryRun: ["All"],
      },
    });
  });

  test("HOOK-21: a deletion has the options of a deletion and no object, a connection has none", async () => {
    const world = webhooksWith(validating(webhook("a")));
    const old = objectOf({ name: "a" }, { kind: "ConfigMap" });
    const options = {
      dryRun: false,
      gracePeriodSeconds: 0,
      propagationPolicy: "Foreground",
      preconditions: { uid: "u" },
    };
    await world.chain.validate({ ...writeOf(world, { operation: "DELETE", old, options }), object: undefined });
    await world.chain.validate(writeOf(world, { operation: "CONNECT", subresource: "exec" }));
    expect(world.reviews.map(({ request }) => [request.object === null, request["options"]])).toEqual([
      [
        true,
        {
          kind: "DeleteOptions",
          apiVersion: "meta.k8s.io/v1",
          gracePeriodSeconds: 0,
          preconditions: { uid: "u" },
          propagationPolicy: "Foreground",
        },
      ],
      [false, null],
    ]);
  });

  test("HOOK-14: what a rule names in another version is shown in that version, once for all webhooks", async () => {
    let conversions = 0;
    const rules = [{ operations: ["*"], apiGroups: ["x.org"], apiVersions: ["v1"], resources: ["widgets"] }];
    const world = webhooksWith(validating(webhook("a", { rules }), webhook("b", { rules })));
    const ref = { group: "x.org", plural: "widgets", kind: "Widget" };
    const object = objectOf({ name: "a" }, { apiVersion: "x.org/v2", kind: "Widget" });
    const old = writeOf(world, { ref, object: objectOf({ name: "a" }, { apiVersion: "x.org/v1", kind: "Widget" }) });
    const request = writeOf(world, {
      ref,
      version: "v2",
      object,
      equivalents: [{ group: "x.org", version: "v1", plural: "widgets", kind: "Widget" }],
      as: (apiVersion) => {
        conversions++;
        return apiVersion === "x.org/v1" ? Promise.resolve(old) : undefined;
      },
    });
    await world.chain.validate(request);
    expect(conversions).toBe(1);
    expect(world.reviews.map(({ request: { object: shown } }) => shown?.["apiVersion"])).toEqual([
      "x.org/v1",
      "x.org/v1",
    ]);
    expect(world.reviews[0]!.request).toMatchObject({
      kind: { group: "x.org", version: "v1", kind: "Widget" },
      requestKind: { group: "x.org", version: "v2", kind: "Widget" },
    });
  });

  test("calls, rejections and failures are counted under the names of kube-apiserver", async () => {
    const matchConditions = [{ name: "c", expression: "false" }];
    const world = webhooksWith(
      validating(
        webhook("no.x"),
        webhook("down.x", { failurePolicy: "Ignore" }),
        webhook("skip.x", { matchConditions }),
      ),
      { "no.x": deny({ code: 403 }), "down.x": () => Promise.reject(new Error("down")) },
    );
    await expect(world.chain.validate(writeOf(world))).rejects.toMatchObject({ code: 403 });
    const metrics = await world.parts.metrics.collect();
    const samples = (name: string) => metrics.find((one) => one.name === `apiserver_admission_${name}`)?.samples;
    const about = { type: "validating", operation: "CREATE" };
    expect(samples("webhook_request_total")).toEqual([
      { labels: { name: "no.x", ...about, code: "403", rejected: "true" }, value: 1 },
      { labels: { name: "down.x", ...about, code: "503", rejected: "false" }, value: 1 },
    ]);
    expect(samples("webhook_rejection_count")).toEqual([
      { labels: { name: "no.x", ...about, error_type: "no_error", rejection_code: "403" }, value: 1 },
    ]);
    expect(samples("webhook_fail_open_count")).toEqual([{ labels: { name: "down.x", type: "validating" }, value: 1 }]);
    expect(samples("match_condition_exclusions_total")).toEqual([
      { labels: { name: "skip.x", kind: "webhook", ...about }, value: 1 },
    ]);
    expect(samples("webhook_admission_duration_seconds")).toContainEqual({
      suffix: "_count",
      labels: { name: "no.x", ...about, rejected: "true" },
      value: 1,
    });
  });
});
