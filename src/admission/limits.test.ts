import { expect, test } from "vitest";
import { kubernetes } from "../meta/dialect.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { AdmissionRequest } from "./contract.ts";
import { limitRanger } from "./limits.ts";
import { atOnce, lookupOf, objectOf, reading, requestOf } from "./testing/requests.ts";
import { EventLoop } from "../util/loop.ts";
import { cpuMillis } from "../util/testing/cpu-time.ts";

const PODS = { group: "", plural: "pods", kind: "Pod" };
const CLAIMS = { group: "", plural: "persistentvolumeclaims", kind: "PersistentVolumeClaim" };

const range = (name: string, ...limits: object[]): ApiObject =>
  objectOf({ name, namespace: "team" }, { spec: { limits } });

/** Takes an object through the step, under some limit ranges. */
async function held(
  ranges: readonly ApiObject[],
  spec: object,
  more: Partial<AdmissionRequest> = {},
): Promise<ApiObject> {
  const object = objectOf({ name: "p", namespace: "team" }, { spec });
  const request = requestOf({ ref: PODS, object, ...more });
  const lookup = lookupOf({ limitranges: ranges });
  const clock = { loop: new EventLoop() };
  const step = reading(lookup, limitRanger({ dialect: kubernetes, clock, lookup }));
  await step.mutate!(request);
  await step.validate!(request);
  return object;
}

const container = (name: string, resources: object = {}) => ({ name, image: "i", resources });
const small = range("small", { type: "Container", max: { cpu: "1" } });

test("QUOTA-12: init containers get what they lack, too, and are held to the same", async () => {
  const filling = range("l", { type: "Container", default: { cpu: "1", memory: "1Gi" }, defaultRequest: { cpu: "1" } });
  const spec = {
    containers: [container("a"), container("b")],
    initContainers: [container("c", { limits: { cpu: "1" } })],
  };
  const { metadata, spec: filled } = await held([filling], spec);
  const both = { requests: { cpu: "1" }, limits: { cpu: "1", memory: "1Gi" } };
  expect(filled).toEqual({
    containers: [container("a", both), container("b", both)],
    initContainers: [container("c", both)],
  });
  expect(metadata.annotations).toEqual({
    "kubernetes.io/limit-ranger":
      "LimitRanger plugin set: cpu request for container a; cpu, memory limit for container a; " +
      "cpu request for container b; cpu, memory limit for container b; " +
      "cpu request for init container c; memory limit for init container c",
  });
  const init = {
    containers: [container("a", { limits: { cpu: "1" } })],
    initContainers: [container("b", { limits: { cpu: "2" } })],
  };
  await expect(held([small], init)).rejects.toThrow("maximum cpu usage per Container is 1, but limit is 2");
});

test("QUOTA-12: a Pod waits only for the first read of all ranges", async () => {
  const lookup = lookupOf({ limitranges: [small] });
  const step = limitRanger({ dialect: kubernetes, clock: { loop: new EventLoop() }, lookup });
  const object = objectOf({ name: "p", namespace: "team" }, { spec: { containers: [container("a")] } });
  const request = requestOf({ ref: PODS, object, lookup });
  await step.mutate!(request);
  atOnce(step.mutate!({ ...request, namespace: "other" }));
  atOnce(step.validate!({ ...request, namespace: "other" }));
  expect(() => step.validate!(request)).toThrow("maximum cpu usage per Container is 1.  No limit is specified");
});

test("QUOTA-12: a refusal names each breach once", async () => {
  const containers = [container("a", { limits: { cpu: "2" } }), container("b", { limits: { cpu: "2" } })];
  const limit = range("l", { type: "Container", max: { cpu: "1" }, min: { memory: "1Mi" } });
  await expect(held([limit], { containers })).rejects.toThrow(
    "[minimum memory usage per Container is 1Mi.  No request is specified, maximum cpu usage per Container is 1, but limit is 2]",
  );
});

test("QUOTA-12: the status of a Pod, a Pod that is being deleted and a claim get no defaults", async () => {
  const filling = range("l", { type: "Container", default: { cpu: "1" } });
  const spec = { containers: [container("a")] };
  const status = { operation: "UPDATE", subresource: "status", old: objectOf({ name: "p" }) } as const;
  const old = objectOf({ name: "p", deletionTimestamp: "2026-01-01T00:00:00Z" });
  const resize = { operation: "UPDATE", subresource: "resize", old } as const;
  for (const more of [status, resize, { ref: CLAIMS }]) {
    expect((await held([filling], structuredClone(spec), more))["spec"]).toEqual(spec);
  }
});

test.each([
  ["min", "minimum"],
  ["max", "maximum"],
])("QUOTA-12: a claim without a request breaks %s", async (end, word) => {
  const limit = range("l", { type: "PersistentVolumeClaim", [end]: { storage: "1Gi" } });
  const message = `${word} storage usage per PersistentVolumeClaim is 1Gi.  No request is specified`;
  await expect(held([limit], {}, { ref: CLAIMS })).rejects.toThrow(message);
});

test("QUOTA-12: a Pod that lacks nothing has no annotation", async () => {
  const { metadata } = await held([small], { containers: [container("a", { limits: { cpu: "1" } })] });
  expect(metadata.annotations).toBeUndefined();
});

test.each([
  [{ min: { cpu: "1" } }, {}, "minimum cpu usage per Container is 1.  No request is specified"],
  [{ min: { cpu: "1" } }, { requests: { cpu: "1" }, limits: { cpu: "500m" } }, "but limit is 500m"],
  [{ max: { cpu: "1" } }, { requests: { cpu: "1" } }, "maximum cpu usage per Container is 1.  No limit is specified"],
  [{ max: { cpu: "1" } }, { requests: { cpu: "2" }, limits: { cpu: "1" } }, "but request is 2"],
  [{ maxLimitRequestRatio: { cpu: "2" } }, { limits: { cpu: "1" } }, "but no request is specified or request is 0"],
  [{ maxLimitRequestRatio: { cpu: "2" } }, { requests: { cpu: "1" } }, "but no limit is specified or limit is 0"],
  [
    { maxLimitRequestRatio: { cpu: "1.5" } },
    { requests: { cpu: "1" }, limits: { cpu: "1501m" } },
    "but provided ratio is 1.501000",
  ],
])("QUOTA-12: %j refuses %j", async (limit, resources, why) => {
  const refused = held([range("l", { type: "Container", ...limit })], { containers: [container("a", resources)] });
  await expect(refused).rejects.toMatchObject({ status: { code: 403 } });
  await expect(refused).rejects.toThrow(why);
});

test("QUOTA-12: the sums of a Pod are what it says as a whole, where it does", async () => {
  const ofPods = range("l", { type: "Pod", max: { cpu: "2" } });
  const containers = [container("a", { limits: { cpu: "1500m" } }), container("b", { limits: { cpu: "1500m" } })];
  await expect(held([ofPods], { containers })).rejects.toThrow("but limit is 3");
  await expect(held([ofPods], { containers, resources: { limits: { cpu: "2" } } })).resolves.toBeDefined();
});

test("QUOTA-11: several ranges must all allow", async () => {
  const of = (name: string, limit: object): ApiObject => range(name, { type: "PersistentVolumeClaim", ...limit });
  const ranges = [of("a", { min: { storage: "2Gi" } }), of("b", { max: { storage: "4Gi" } })];
  const claim = (storage: string, more: object = {}): Promise<ApiObject> =>
    held(ranges, { resources: { requests: { storage } } }, { ref: CLAIMS, ...more });
  await expect(claim("1Gi")).rejects.toThrow("minimum storage usage per PersistentVolumeClaim is 2Gi");
  await expect(claim("3Gi")).resolves.toBeDefined();
  await expect(claim("5Gi", { operation: "UPDATE", old: objectOf({ name: "p" }) })).rejects.toThrow(
    "maximum storage usage per PersistentVolumeClaim is 4Gi, but request is 5Gi",
  );
});

test("what is being deleted, other updates and other kinds are left alone", async () => {
  const spec = { containers: [container("a", { limits: { cpu: "9" } })] };
  const old = objectOf({ name: "p" });
  await expect(held([small], spec, { operation: "UPDATE", old })).resolves.toBeDefined();
  await expect(held([small], spec, { operation: "UPDATE", subresource: "status", old })).resolves.toBeDefined();
  await expect(held([small], spec, { operation: "UPDATE", subresource: "resize", old })).rejects.toThrow("limit is 9");
  const going = objectOf({ name: "p", deletionTimestamp: "2026-01-01T00:00:00Z" });
  await expect(held([small], spec, { operation: "UPDATE", subresource: "resize", old: going })).resolves.toBeDefined();
  await expect(held([small], spec, { ref: { ...PODS, group: "example.com" } })).resolves.toBeDefined();
});

test("defaults that would create an object of any size are not set, and few violations are reported", async () => {
  const names = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`example.com/r${i}`, "1"]));
  const containers = Array.from({ length: 1000 }, (_, i) => container(`c${i}`));
  const begun = cpuMillis();
  await expect(held([range("l", { type: "Container", default: names })], { containers })).rejects.toThrow("too much");
  const refused = held([range("l", { type: "Container", min: names })], { containers });
  await expect(refused).rejects.toMatchObject({ message: expect.stringMatching(/^.{0,3000}$/s) as string });
  expect(cpuMillis() - begun).toBeLessThan(500);
});
