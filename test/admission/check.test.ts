/** `keelson admission check` against a server. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { Service, ValidatingAdmissionPolicy, ValidatingWebhookConfiguration } from "../../src/client/kinds/index.ts";
import { PLACE, World } from "../history/world.ts";

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.end());

test("a cluster without webhooks and policies has no mistakes in them", async () => {
  const { code, stdout } = await world.keelson(["admission", "check"]);
  expect([code, stdout]).toEqual([0, "no mistakes found in webhooks and policies\n"]);
});

test("mistakes are found in what the server holds, and the exit code says so", async () => {
  await world.resource(Service).create({
    metadata: { name: "hook", ...PLACE },
    spec: { selector: { app: "hook" }, ports: [{ port: 443 }] },
  });
  await world.resource(ValidatingWebhookConfiguration).create({
    metadata: { name: "checks" },
    webhooks: [
      {
        name: "pods.example.com",
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        clientConfig: { service: { name: "hook", namespace: "default" } },
        rules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }],
      },
    ],
  });
  await world.resource(ValidatingAdmissionPolicy).create({
    metadata: { name: "unbound" },
    spec: {
      matchConstraints: {
        resourceRules: [
          { operations: ["CREATE"], apiGroups: ["apps"], apiVersions: ["v1"], resources: ["deployments"] },
        ],
      },
      validations: [{ expression: "true" }],
    },
  });
  const { code, stdout } = await world.keelson(["admission", "check"]);
  expect(code).toBe(1);
  expect(stdout).toContain("ValidatingWebhookConfiguration/checks, webhook pods.example.com\n");
  expect(stdout).toContain("it matches the Pods of its own Service default/hook");
  expect(stdout).toContain("ValidatingAdmissionPolicy/unbound\n  it has no binding, so it is never evaluated");
  const asJson = await world.keelson(["admission", "check", "-o", "json"]);
  expect(JSON.parse(asJson.stdout)).toHaveLength(2);
});
