import { expect, test } from "vitest";
import type { ReportedRule } from "../../meta/admission-report.ts";
import { changesBetween } from "../../meta/changes.ts";
import { asValue } from "../../schema/api-object.ts";
import type { AdmissionTrace } from "../contract.ts";
import { configuration, deny, patch, webhook, webhooksWith, writeOf } from "./testing/webhooks.ts";

/** A trace that only takes down what steps tell. */
function tracing(): { readonly trace: AdmissionTrace; readonly told: ReportedRule[] } {
  const told: ReportedRule[] = [];
  const trace: AdmissionTrace = {
    begin: () => undefined,
    step: async (_name, _phase, _request, work) => work(),
    tell: (rule) => void told.push(rule),
    copy: (object) => object && structuredClone(object),
    changes: (before, after) => (before && after ? changesBetween(asValue(before), asValue(after)) : []),
  };
  return { trace, told };
}

test("an explanation says of each webhook why it did not match, or what it has done", async () => {
  const down = () => Promise.reject(new Error("down"));
  const world = webhooksWith(
    [
      configuration("Mutating", "m", [
        webhook("other.rules", { rules: [] }),
        webhook("other.labels", { objectSelector: { matchLabels: { a: "b" } } }),
        webhook("false.condition", { matchConditions: [{ name: "never", expression: "false" }] }),
        webhook("patches"),
        webhook("down", { failurePolicy: "Ignore" }),
      ]),
      configuration("Validating", "v", [webhook("allows"), webhook("denies")]),
    ],
    { patches: patch([{ op: "add", path: "/data/x", value: "y" }]), denies: deny(), down },
  );
  const { trace, told } = tracing();
  const request = writeOf(world, { trace });
  await world.chain.mutate(request);
  await expect(world.chain.validate(request)).rejects.toThrow("denied");
  const mutating = { source: "MutatingWebhookConfiguration/m" };
  const validating = { source: "ValidatingWebhookConfiguration/v" };
  const first = told.filter(({ name }, at) => told.findIndex((one) => one.name === name) === at);
  expect(first).toEqual([
    { ...mutating, name: "other.rules", matched: false, why: "resourceRules" },
    { ...mutating, name: "other.labels", matched: false, why: "objectSelector" },
    { ...mutating, name: "false.condition", matched: false, why: "the match condition never is false" },
    { ...mutating, name: "patches", matched: true, result: "patched", changes: [expect.anything()], millis: 0 },
    {
      ...mutating,
      name: "down",
      matched: true,
      result: "ignored",
      why: expect.stringContaining("failed calling webhook") as string,
      millis: 0,
    },
    { ...validating, name: "allows", matched: true, result: "allowed", millis: 0 },
    {
      ...validating,
      name: "denies",
      matched: true,
      result: "denied",
      why: 'admission webhook "denies" denied the request without explanation',
      millis: 0,
    },
  ]);
});
