/** LeaseCandidate: LC-1..22 as far as the server alone shows them. */
import { describe, expect, test } from "vitest";
import { serve } from "./api.ts";
import { CANDIDATE, place } from "./resources.ts";

const api = serve();

const create = (spec: object) => {
  const at = place("LeaseCandidate");
  return api.post(at.collection, { metadata: { name: at.name }, spec });
};

const without = (...keys: string[]): object =>
  Object.fromEntries(Object.entries(CANDIDATE).filter(([key]) => !keys.includes(key)));

describe("required fields", () => {
  test.each([
    ["LC-3", "binaryVersion"],
    ["LC-5", "leaseName"],
    ["LC-7", "strategy"],
  ])("%s: a candidate without %s is refused", async (_, key) => {
    const answer = await create(without(key));
    expect(answer.status).toBe(422);
    expect(answer.fields).toContain(`spec.${key}`);
    expect((await create({ ...CANDIDATE, [key]: "" })).status).toBe(422);
  });

  test("LC-3, LC-5, LC-7, DEC-19: all missing members are reported at once", async () => {
    const answer = await create({});
    expect(answer.body).toMatchObject({ status: "Failure", reason: "Invalid", details: { kind: "LeaseCandidate" } });
    expect(answer.fields).toEqual(expect.arrayContaining(["spec.binaryVersion", "spec.leaseName", "spec.strategy"]));
  });
});

describe("versions", () => {
  test.each(["1.33.0", "0.0.0", "1.33.0-alpha.1", "1.33.0+build", "10.20.30-rc.1+x.y"])(
    "LC-4, DEC-12: the binaryVersion %s is accepted",
    async (binaryVersion) => {
      const made = await create({ ...CANDIDATE, binaryVersion, emulationVersion: "0.0.0-0" });
      expect([made.status, made.at("spec.binaryVersion")]).toEqual([201, binaryVersion]);
    },
  );

  test.each(["v1.33.0", "abc", "1.33", "1", "1.33.0.0", "01.2.3", "1.2.3-", " 1.2.3"])(
    "LC-4, LC-9, DEC-12: %s is no version",
    async (version) => {
      const binary = await create({ ...CANDIDATE, binaryVersion: version });
      expect(binary.status).toBe(422);
      expect(binary.fields).toContain("spec.binaryVersion");
      const emulation = await create({ ...CANDIDATE, emulationVersion: version });
      expect(emulation.status).toBe(422);
      expect(emulation.fields).toContain("spec.emulationVersion");
    },
  );

  test.each([
    ["1.33.0", "1.33.0", 201],
    ["1.33.0", "1.32.9", 201],
    ["1.33.0", "1.34.0", 422],
    ["1.33.0-alpha", "1.33.0", 422],
    ["1.33.0", "1.33.0-alpha", 201],
    ["1.10.0", "1.9.0", 201],
    ["1.9.0", "1.10.0", 422],
  ])("LC-10, DEC-12: binary %s with emulation %s answers %i", async (binaryVersion, emulationVersion, status) => {
    expect((await create({ ...CANDIDATE, binaryVersion, emulationVersion })).status).toBe(status);
  });

  test("LC-11: emulationVersion is required with OldestEmulationVersion only", async () => {
    const missing = await create(without("emulationVersion"));
    expect([missing.status, missing.fields]).toEqual([422, ["spec.emulationVersion"]]);
    const other = await create({ ...without("emulationVersion"), strategy: "example.com/MyStrategy" });
    expect([other.status, other.at("spec.emulationVersion")]).toEqual([201, undefined]);
  });
});

describe("strategy and times", () => {
  test.each([
    ["OldestEmulationVersion", 201],
    ["example.com/MyStrategy", 201],
    ["NewestVersion", 422],
    ["example.com/", 422],
    ["a/b/c", 422],
  ])("LC-7, DEC-11: the strategy %s answers %i", async (strategy, status) => {
    expect((await create({ ...CANDIDATE, strategy })).status).toBe(status);
  });

  test("LC-12, LC-13: the times are optional and kept to the microsecond", async () => {
    const plain = await create(CANDIDATE);
    expect([plain.status, plain.at("spec.pingTime"), plain.at("spec.renewTime")]).toEqual([201, undefined, undefined]);
    const times = { pingTime: "2026-01-02T03:04:05.000001Z", renewTime: "2026-01-02T03:04:05.999999Z" };
    expect((await create({ ...CANDIDATE, ...times })).at("spec")).toEqual({ ...CANDIDATE, ...times });
  });

  test("CONV-2: a candidate can renew itself", async () => {
    const at = place("LeaseCandidate");
    await api.post(at.collection, { metadata: { name: at.name }, spec: CANDIDATE });
    const renewTime = "2026-01-02T03:04:06.000000Z";
    const renewed = await api.merge(at.item, { spec: { renewTime } });
    expect([renewed.status, renewed.at("spec.renewTime")]).toEqual([200, renewTime]);
  });
});

describe("LC-6: leaseName does not change", () => {
  const spec = { ...CANDIDATE, leaseName: "other" };
  const meta = { apiVersion: "coordination.svc.io/v1beta1", kind: "LeaseCandidate" };

  test("LC-6: not by PUT, patch or apply", async () => {
    const at = place("LeaseCandidate");
    await api.post(at.collection, { metadata: { name: at.name }, spec: CANDIDATE });
    const answers = [
      await api.put(at.item, { metadata: { name: at.name }, spec }),
      await api.merge(at.item, { spec: { leaseName: "other" } }),
      await api.strategic(at.item, { spec: { leaseName: "other" } }),
      await api.jsonPatch(at.item, [{ op: "replace", path: "/spec/leaseName", value: "other" }]),
      await api.apply(at.item, "m", { ...meta, spec }, { force: "true" }),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.fields]).toEqual([422, ["spec.leaseName"]]);
    }
    expect((await api.get(at.item)).at("spec.leaseName")).toBe("lease");
  });
});

test("LC-1, VER-2: no other version serves it", async () => {
  const at = place("LeaseCandidate");
  await api.post(at.collection, { metadata: { name: at.name }, spec: CANDIDATE });
  for (const version of ["v1", "v1alpha1", "v1alpha2"]) {
    expect((await api.get(at.item.replace("v1beta1", version))).status).toBe(404);
  }
});

test("DEC-25: candidates are selected by the Lease they are for", async () => {
  const at = place("LeaseCandidate");
  await api.post(at.collection, { metadata: { name: "a" }, spec: CANDIDATE });
  await api.post(at.collection, { metadata: { name: "b" }, spec: { ...CANDIDATE, leaseName: "l2" } });
  expect((await api.get(at.collection, { fieldSelector: "spec.leaseName=l2" })).names).toEqual(["b"]);
});

test("SUP-2: Leases are created, read, changed, watched and deleted", async () => {
  const at = place("LeaseCandidate");
  const leases = `/apis/coordination.svc.io/v1/namespaces/${at.ns}/leases`;
  const spec = {
    holderIdentity: "a",
    leaseDurationSeconds: 5,
    acquireTime: "2026-01-02T03:04:05.000006Z",
    renewTime: "2026-01-02T03:04:05.000006Z",
    leaseTransitions: 1,
    strategy: "OldestEmulationVersion",
    preferredHolder: "b",
  };
  const made = await api.post(leases, { metadata: { name: "l" }, spec });
  expect([made.status, made.at("spec")]).toEqual([201, spec]);
  const changed = await api.merge(`${leases}/l`, { spec: { leaseTransitions: 2 } });
  expect(changed.at("spec.leaseTransitions")).toBe(2);
  expect((await api.get(leases)).names).toEqual(["l"]);
  expect((await api.delete(`${leases}/l`)).status).toBe(200);
});
