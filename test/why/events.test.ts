/** Which Events count: those about this very object, since its last change, and not those that were followed by success. */
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { whyLines } from "../../src/cli/why-lines.ts";
import type { NewObject } from "../../src/client/index.ts";
import { CoreEvent, Deployment, PersistentVolumeClaim, StorageClass } from "../../src/client/kinds/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { specChangedAt } from "../../src/why/events.ts";
import { explain } from "../../src/why/index.ts";
import { World } from "../runtime/world.ts";

let world: World;
beforeEach(async () => {
  world = await World.create();
  await world.resource(StorageClass).create({ metadata: { name: "c" }, provisioner: "p.example.com" } as never);
  await makeClaim();
});
afterEach(() => world[Symbol.asyncDispose]());

const DATA = { name: "data", namespace: "default" };
const claims = () => world.resource(PersistentVolumeClaim);
const makeClaim = () =>
  claims().create({
    metadata: DATA,
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      storageClassName: "c",
    },
  } as NewObject<PersistentVolumeClaim>);

let count = 0;
/** Records an Event about the claim as it is now; `more` says what is different. */
async function tell(reason: string, message: string, more: object = {}): Promise<void> {
  const { uid } = (await claims().get(DATA)).metadata;
  const time = new Date(world.clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
  await world.resource(CoreEvent).create({
    metadata: { name: `e${++count}`, namespace: "default" },
    involvedObject: { kind: "PersistentVolumeClaim", ...DATA, uid },
    type: reason.endsWith("Failed") ? "Warning" : "Normal",
    reason,
    message,
    source: { component: "p.example.com_1" },
    firstTimestamp: time,
    lastTimestamp: time,
    ...more,
  } as NewObject<CoreEvent>);
}
const told = async () => (await claims().why(DATA)).reasons.map(({ says }) => says).join("\n");

describe("an Event", () => {
  test("that is the newest counts, whatever the order of the names is", async () => {
    await tell("ProvisioningFailed", "the first");
    await world.advance("10s");
    await tell("ProvisioningFailed", "the second");
    expect(await told()).toContain("the second");
    expect(await told()).not.toContain("the first");
  });

  test("of the same second as another counts where it was written later", async () => {
    await tell("ProvisioningFailed", "the first");
    await tell("ProvisioningFailed", "the second");
    expect(await told()).toContain("the second");
  });

  test("is reported with the component that recorded it, and the time", async () => {
    await tell("ProvisioningFailed", "no room");
    const report = await claims().why(DATA);
    const quotes = { in: "Event", reason: "ProvisioningFailed", from: "p.example.com_1", time: "2026-01-01T00:00:00Z" };
    expect(report.reasons.map((reason) => reason.quotes)).toEqual([quotes]);
    expect(whyLines(report, "pvc/data", { paint: (_, text) => text })).toEqual([
      "pvc/data: Pending",
      "  the provisioner p.example.com could not create its volume: no room",
      "     (Event ProvisioningFailed of p.example.com_1, 2026-01-01T00:00:00Z)",
      "     -> a user who changes PersistentVolumeClaim default/data or the StorageClass c, or the operator of p.example.com",
    ]);
  });

  test("that was followed by a success does not count", async () => {
    await tell("ProvisioningFailed", "no room");
    await tell("ProvisioningSucceeded", "there it is");
    expect(await told()).not.toContain("no room");
  });

  test("of an attempt after it leaves the failure standing", async () => {
    await tell("ProvisioningFailed", "no room");
    await world.advance("10s");
    await tell("Provisioning", "again");
    expect(await told()).toContain("no room");
  });

  test("about an object of the same name that has gone does not count", async () => {
    await tell("ProvisioningFailed", "no room");
    await claims().delete(DATA);
    await claims().patch(DATA, { metadata: { finalizers: null } });
    await makeClaim();
    expect(await told()).not.toContain("no room");
  });

  test("that is older than the last change of the spec does not count", async () => {
    const key = { name: "web", namespace: "default" };
    const deployments = world.resource(Deployment);
    const { uid } = (
      await deployments.create({
        metadata: key,
        spec: {
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
        },
      } as NewObject<Deployment>)
    ).metadata;
    const says = async () => JSON.stringify((await deployments.why(key)).reasons);
    await tell("RolloutFailed", "no such class", { involvedObject: { kind: "Deployment", ...key, uid } });
    await world.advance("10s");
    await deployments.patch(key, { metadata: { labels: { a: "b" } } }, { fieldManager: "another" });
    expect(await says()).toContain("no such class");
    await deployments.patch(key, { spec: { replicas: 3 } });
    expect(await says()).not.toContain("no such class");
  });

  test("of the newer form counts as well", async () => {
    const eventTime = new Date(world.clock.now()).toISOString().replace("Z", "000Z");
    const more = { eventTime, action: "a", reportingComponent: "p", reportingInstance: "i" };
    await tell("ProvisioningFailed", "no room", { ...more, source: {}, firstTimestamp: null, lastTimestamp: null });
    expect(await told()).toContain("no room");
  });

  test("that the user may not read is left out, and the rest is reported", async () => {
    await tell("ProvisioningFailed", "no room");
    const refusal = { kind: "Status", status: "Failure", reason: "Forbidden", code: 403, message: "no events for you" };
    const client = world.client.with({
      through: (transport) => async (request) =>
        request.path.startsWith("/api/v1/namespaces/default/events")
          ? { status: 403, headers: {}, body: Readable.from([Buffer.from(JSON.stringify(refusal))]) }
          : transport(request),
    });
    const { reasons } = await explain(client, kubernetes, { kind: PersistentVolumeClaim, key: DATA });
    expect(reasons.map(({ says }) => says)).toEqual([
      "it waits for the provisioner p.example.com to create a volume; it has reported nothing yet",
      "the report is incomplete: no events for you",
    ]);
  });
});

test("the text of an Event is cut", async () => {
  await tell("ProvisioningFailed", "x".repeat(5000));
  expect((await told()).length).toBeLessThan(1300);
});

test("what controllers write into a spec does not make Events old", () => {
  const entry = (fields: object, subresource?: string) => ({
    manager: "m",
    operation: "Update",
    time: "2030-01-01T00:00:00Z",
    fieldsV1: { "f:spec": fields },
    ...(subresource ? { subresource } : {}),
  });
  const changed = (...managedFields: object[]) => specChangedAt({ metadata: { managedFields } } as never);
  expect(changed(entry({ "f:volumeName": {} }))).toBe(0);
  expect(changed(entry({ "f:replicas": {} }, "status"))).toBe(0);
  expect(changed(entry({ "f:replicas": {} }))).toBe(Date.parse("2030-01-01T00:00:00Z") / 1000);
});
