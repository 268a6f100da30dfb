/** `keelson blame` names the webhook, the policy or the plugin behind a value that no manager owns. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { LimitRange, MutatingWebhookConfiguration, Pod } from "../../src/client/kinds/index.ts";
import { startHookServer, type HookServer } from "../conformance/hooks.ts";
import { PLACE, World } from "../history/world.ts";

let world: World;
let hooks: HookServer;
beforeAll(async () => {
  [world, hooks] = await Promise.all([
    World.start({ enableAdmissionPlugins: ["LimitRanger"], disableAdmissionPlugins: ["ServiceAccount"] }),
    startHookServer(),
  ]);
  await world.resource(LimitRange).create({
    metadata: { name: "limits", ...PLACE },
    spec: { limits: [{ type: "Container", defaultRequest: { cpu: "2" } }] },
  });
  await world.resource(MutatingWebhookConfiguration).create({
    metadata: { name: "stamps" },
    webhooks: [
      {
        name: "stamp.example.com",
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        clientConfig: { url: `${hooks.url}/stamp/tag=a`, caBundle: hooks.ca },
        rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }],
      },
    ],
  });
});
afterAll(async () => {
  await world.end();
  await hooks[Symbol.asyncDispose]();
});

test("what a webhook and a plugin have set is named, and what a client has sent is not", async () => {
  const pods = world.resource(Pod);
  await pods.create({
    metadata: { name: "web", ...PLACE, annotations: { mine: "1" } },
    spec: { containers: [{ name: "c", image: "i" }] },
  });
  const { code, stdout } = await world.keelson(["blame", "pod", "web"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/\(stamp\.example\.com\) +webhook +a: stamped/);
  expect(stdout).toMatch(/\(LimitRanger\) +plugin +cpu: ["']?2/);
  expect(stdout).toMatch(/^test +Update .*mine: "1"/m);
  const json = await world.keelson(["blame", "pod", "web", "-o", "json"]);
  const { leaves } = JSON.parse(json.stdout) as { leaves: { pointer: string; setBy?: unknown }[] };
  expect(leaves.find(({ pointer }) => pointer === "/metadata/annotations/a")).toMatchObject({
    setBy: { name: "stamp.example.com", source: "MutatingWebhookConfiguration/stamps" },
  });
  expect(leaves.find(({ pointer }) => pointer === "/metadata/uid")).not.toHaveProperty("setBy");
});
