import { describe, expect, test } from "vitest";
import { defineKind } from "../../client/index.ts";
import { ConfigMap, Secret } from "../../client/kinds/index.ts";
import type { Finding } from "../../explore/contract/finding.ts";
import { encodeFinding } from "../../explore/finding-file.ts";
import { type Controller, defineController } from "../../runtime/index.ts";
import { defineExploration } from "./explored.ts";
import { type ExploreOptions, explore, replay } from "./explore.ts";
import { asking, asks, certificates } from "./testing/certificates.ts";

/** Takes the Secret for the work being done: after a crash between its two writes the ConfigMap is never marked. */
const forgetful = (): Controller =>
  defineController({
    name: "certificates",
    for: asks,
    owns: [Secret],
    async reconcile({ object, owned, create, apply }) {
      if (owned(Secret).length > 0) return;
      await create(Secret, { metadata: { generateName: "cert-" }, data: {} });
      await apply(ConfigMap, { metadata: { name: object.metadata.name }, data: { ready: "yes" } });
    },
  });

/** A name of its own makes a second Secret impossible, whatever was lost or comes late. */
const careful = (): Controller =>
  defineController({
    name: "certificates",
    for: asks,
    owns: [Secret],
    async reconcile({ object: { metadata }, apply }) {
      await apply(Secret, { metadata: { name: `${metadata.name}-cert` } });
      await apply(ConfigMap, { metadata: { name: metadata.name }, data: { ready: "yes" } });
    },
  });

const scenario = { ...asking, steps: [asking.steps[0]!] };
const options = (controllers: () => Controller): ExploreOptions => ({
  controllers,
  only: ["crash"],
  plans: 8,
  seed: 3,
});

describe("explore", { timeout: 120_000 }, () => {
  test("finds a crash between two writes, shrinks it, and says what it is", async () => {
    const result = await explore(asking, options(forgetful));
    const [found] = result.findings;
    expect(found).toMatchObject({
      format: 1,
      scenario: { name: "certificates" },
      plan: [{ type: "crash", at: { actor: "certificates", verb: "create", kind: "Secret" } }],
      fault: { kind: "differs", path: ".data.ready" },
      replayed: { shown: 3, of: 3 },
      versions: { node: process.version, platform: `${process.platform}-${process.arch}` },
    });
    expect(found!.versions.keelson).toMatch(/^\d+\.\d+\.\d+/);
    expect(found!.steps).toEqual([0]);
    expect(() => result.assertNone()).toThrow(found!.fault.sentence.slice(0, 60));
    expect(String(result)).toBe(result.text);
    expect(result.text).toContain("certificates is killed");
  });

  test("reports no fault of a correct program", async () => {
    const result = await explore(asking, options(careful));
    expect(result.findings).toEqual([]);
    expect(result.exploration.plans).toBe(8);
    expect(result.coverage.sentences.length).toBeGreaterThan(0);
    result.assertNone();
  });

  test("what waiting alone puts right is a notice, also where the user goes on before; what it does not is a fault", async () => {
    // A write that was refused is tried again later than the user goes on; or never.
    const patient = (again: { readonly requeueAfter: "20m" } | undefined): Controller =>
      defineController({
        name: "certificates",
        for: asks,
        owns: [Secret],
        async reconcile({ object: { metadata }, apply }) {
          try {
            await apply(Secret, { metadata: { name: `${metadata.name}-cert` } });
          } catch {
            return again;
          }
          return undefined;
        },
      });
    const short = { ...asking, steps: [asking.steps[0]!, asking.steps[2]!] };
    const kinds = async (again: { readonly requeueAfter: "20m" } | undefined) => {
      const only = ["refused"] as const;
      const { findings, notices } = await explore(short, { ...options(() => patient(again)), only, plans: 6 });
      return [findings, notices].map((all) => all.map(({ fault: { key, until } }) => [key, until]));
    };
    const missing = ["missing Secret default/web-cert", 0];
    expect(await kinds({ requeueAfter: "20m" })).toEqual([[], [missing]]);
    const [faults] = await kinds(undefined);
    expect(faults!.map(([key]) => key)).toEqual([missing[0]]);
  });

  test("is the same for the same seed", async () => {
    const keysOf = async (): Promise<readonly unknown[]> => {
      const { findings, notices } = await explore(scenario, { ...options(forgetful), only: ["crash", "refused"] });
      return [...findings, ...notices].map(({ seed, plan, fault }) => [seed, plan, fault.key]);
    };
    expect(await keysOf()).toEqual(await keysOf());
  });

  test("tells of a step that is refused without any perturbation", async () => {
    const refused = { name: "refused", steps: [{ delete: { apiVersion: "v1", kind: "Secret", name: "none" } }] };
    const result = await explore(refused, options(certificates));
    expect(result.exploration.ended).toBe("step-failed");
    expect(() => result.assertNone()).toThrow("refused");
  });

  test("does not accuse a controller of many writes that webhooks make slow", async () => {
    const many = (): Controller =>
      defineController({
        name: "many",
        for: asks,
        owns: [Secret],
        async reconcile({ object: { metadata }, apply }) {
          for (const i of [1, 2, 3, 4, 5]) await apply(Secret, { metadata: { name: `${metadata.name}-${i}` } });
        },
      });
    const { findings, notices, coverage } = await explore(scenario, {
      ...options(many),
      only: ["slow-webhooks"],
      plans: 2,
    });
    expect([...findings, ...notices].map(({ fault }) => fault.sentence)).toEqual([]);
    expect(coverage.types).toEqual([{ type: "slow-webhooks", planned: 2, tried: 2, met: 2 }]);
  });

  test("tells of what it could not go on for", async () => {
    const onProgress = (): void => {
      throw new Error("no space left");
    };
    const result = await explore(asking, { ...options(certificates), onProgress });
    expect(result.exploration.ended).toBe("failed");
    expect(() => result.assertNone()).toThrow("It could not continue, so less was tried than requested: no space left");
  });

  test("needs programs", async () => {
    await expect(explore(asking, {})).rejects.toThrow("expected controllers, or programs by their names, got neither");
    expect(() => defineExploration({ scenario, programs: {} })).toThrow("expected controllers");
    await expect(explore(asking, { controllers: [] })).rejects.toThrow("expected controllers, got none");
  });

  test("ends when it is cancelled", async () => {
    const over = new AbortController();
    const cancelled = explore(asking, {
      controllers: certificates,
      signal: over.signal,
      onProgress: ({ plans }) => void (plans === 2 && over.abort()),
    });
    expect((await cancelled).exploration).toMatchObject({ ended: "cancelled", plans: 2 });
  });
});

describe("replay", { timeout: 120_000 }, () => {
  test("plays a finding again, each time, and not at all once it is mended", async () => {
    const { findings } = await explore(scenario, { ...options(forgetful), stopAtFirst: true });
    const [finding] = findings as [Finding];
    let shown = 0;
    for (let i = 0; i < REPLAYS; i++) {
      const result = await replay(scenario, { controllers: forgetful }, i % 2 ? finding : encodeFinding(finding));
      if (result.shown) shown++;
      expect(() => result.assertNone()).toThrow(".data.ready");
    }
    expect(shown).toBe(REPLAYS);
    const mended = await replay(scenario, { controllers: certificates }, finding);
    expect(mended.shown).toBe(false);
    mended.assertNone();
  });
});

/** A replay is four runs; the test of the laboratory plays one order a hundred times. */
const REPLAYS = 10;

describe("operations", { timeout: 120_000 }, () => {
  /** Keeps what was said once, although it was unset since. */
  const shops = () =>
    defineController({
      name: "shops",
      for: SHOP,
      async reconcile({ object, apply }) {
        const { motto } = object.spec ?? {};
        if (motto === undefined) return;
        await apply(ConfigMap, { metadata: { name: object.metadata.name }, data: { motto } });
      },
    });
  test("of a custom resource: an object that was changed differs from one that was made so", async () => {
    const result = await explore(
      { name: "shops", start: [DEFINITION], steps: [] },
      {
        controllers: shops,
        operations: [{ of: { apiVersion: "example.com/v1", kind: "Shop" }, example: EXAMPLE }],
        plans: 6,
      },
    );
    expect(result.findings.map(({ fault }) => fault.kind)).toContain("remembers");
    const finding = result.findings.find(({ fault }) => fault.kind === "remembers")!;
    const again = await replay(
      { name: "shops", start: [DEFINITION], steps: [] },
      { controllers: shops, operations: [{ of: { apiVersion: "example.com/v1", kind: "Shop" }, example: EXAMPLE }] },
      finding,
    );
    expect(again.shown).toBe(true);
  });

  test("need a definition", async () => {
    const wanted = explore(
      { name: "shops", steps: [] },
      { controllers: certificates, operations: [{ of: { apiVersion: "example.com/v1", kind: "Shop" } }] },
    );
    await expect(wanted).rejects.toThrow("expected a CustomResourceDefinition of Shop example.com/v1");
  });
});

const SHOP = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Shop",
  plural: "shops",
  scope: "Namespaced",
  spec: { type: "object", properties: { motto: { type: "string" } } },
});
const DEFINITION = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "shops.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Shop", plural: "shops", singular: "shop", listKind: "ShopList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { motto: { type: "string" } } } },
          },
        },
      },
    ],
  },
};
const EXAMPLE = {
  apiVersion: "example.com/v1",
  kind: "Shop",
  metadata: { name: "corner", namespace: "default" },
  spec: { motto: "fresh" },
};
