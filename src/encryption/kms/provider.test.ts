import { describe, expect, test } from "vitest";
import { ManualClock, seededRandom } from "../../util/clock.ts";
import { systemBytes } from "../random.ts";
import { type PluginState, localPlugin } from "../testing/local-plugin.ts";
import { decodeEnvelope, wrongSeed } from "./envelope.ts";
import { KmsProvider } from "./provider.ts";

const text = Buffer.from("{}");
const MINUTE = 60_000;

function provided(state: PluginState): { provider: KmsProvider; clock: ManualClock; changes: (string | undefined)[] } {
  const clock = new ManualClock();
  const changes: (string | undefined)[] = [];
  const parts = {
    clock,
    random: seededRandom(1),
    bytes: systemBytes,
    onHealthChange: (wrong: string | undefined) => changes.push(wrong),
  };
  return { provider: new KmsProvider({ name: "plug", plugin: localPlugin(state), ...parts }), clock, changes };
}

/** Advances the clock and waits for the work that follows. */
async function pass(clock: ManualClock, millis: number): Promise<void> {
  clock.advance(millis);
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

const keyOf = (provider: KmsProvider, stored: Buffer): string =>
  decodeEnvelope(stored.subarray(provider.prefix.length)).seed.keyId;

describe("a provider with a plugin", () => {
  test("CRYPT-11: one seed serves many writes, and is opened once by another server", async () => {
    const state: PluginState = { keyId: "one", healthz: "ok" };
    const { provider } = provided(state);
    await provider.start();
    const stored = Array.from({ length: 100 }, () => provider.encrypt(text, "/a"));
    expect(state.calls).toEqual({ status: 1, encrypt: 1 });
    const other = provided(state).provider;
    await other.start();
    const opened = await Promise.all(stored.map(async (value) => other.decrypt(value, "/a")));
    expect(opened.every((value) => Buffer.from(value).equals(text))).toBe(true);
    expect(state.calls?.["decrypt"]).toBe(1);
  });

  test("CRYPT-12: the status is asked every minute, and another key makes another seed", async () => {
    const state: PluginState = { keyId: "one", healthz: "ok" };
    const { provider, clock } = provided(state);
    await provider.start();
    const before = provider.encrypt(text, "/a");
    expect(provider.isOutdated(before)).toBe(false);
    state.keyId = "two";
    await pass(clock, MINUTE);
    expect(keyOf(provider, provider.encrypt(text, "/a"))).toBe("two");
    expect(provider.isOutdated(before)).toBe(true);
    expect(provider.decrypt(before, "/a")).toEqual(text);
  });

  test("CRYPT-12: a seed serves writes for three minutes after the last good status, and reads without an end", async () => {
    const state: PluginState = { keyId: "one", healthz: "ok" };
    const { provider, clock, changes } = provided(state);
    await provider.start();
    const stored = provider.encrypt(text, "/a");
    state.failure = "gone";
    await pass(clock, MINUTE);
    expect(provider.wrong).toBe("gone");
    for (let i = 0; i < 11; i++) await pass(clock, 10_000);
    expect(state.calls?.["status"]).toBe(13);
    provider.encrypt(text, "/a");
    for (let i = 0; i < 2; i++) await pass(clock, 10_000);
    expect(() => provider.encrypt(text, "/a")).toThrow("the plugin plug has not been well for three minutes: gone");
    expect(provider.decrypt(stored, "/a")).toEqual(text);
    delete state.failure;
    await pass(clock, 10_000);
    expect(provider.wrong).toBeUndefined();
    provider.encrypt(text, "/a");
    expect(changes).toEqual(["gone", undefined]);
    expect(state.calls?.["encrypt"]).toBe(1);
  });

  test.each([
    [{ healthz: "tired" }, 'it says "tired"'],
    [{ version: "v3" }, 'expected version v2, got "v3"'],
    [{ keyId: "" }, "expected a key id of 1 to 1024 bytes, got 0"],
    [{ keyId: "k".repeat(1025) }, "expected a key id of 1 to 1024 bytes, got 1025"],
  ])("CRYPT-12: a status with %j is not well", async (members, wrong) => {
    const { provider } = provided({ keyId: "one", healthz: "ok", ...members });
    await provider.start();
    expect(provider.wrong).toBe(wrong);
  });

  test("CRYPT-12: sealed seeds and annotations have bounds", () => {
    const seed = { keyId: "one", ciphertext: Buffer.alloc(10), annotations: new Map<string, Buffer>() };
    expect(wrongSeed(seed)).toBeUndefined();
    expect(wrongSeed({ ...seed, ciphertext: Buffer.alloc(1025) })).toContain("1 to 1024 bytes, got 1025");
    expect(wrongSeed({ ...seed, annotations: new Map([["no domain", Buffer.alloc(1)]]) })).toContain("domain names");
    expect(wrongSeed({ ...seed, annotations: new Map([["a.b", Buffer.alloc(40_000)]]) })).toContain("at most 32768");
  });
});
