import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { aesCbc } from "./aes-cbc.ts";
import { aesGcm } from "./aes-gcm.ts";
import { identity } from "./identity.ts";
import { KmsProvider } from "./kms/provider.ts";
import { systemBytes } from "./random.ts";
import { secretbox } from "./secretbox.ts";
import { CipherError, type Transformer } from "./transformer.ts";
import { localPlugin } from "./testing/local-plugin.ts";

const fixtures = new URL("../../test/encryption/fixtures/stored.json", import.meta.url);
const { values } = JSON.parse(readFileSync(fixtures, "utf8")) as {
  values: readonly { readonly name: string; readonly key: string; readonly value: string }[];
};

const KEY = Buffer.from("0123456789abcdef0123456789abcdef");
const made = (maker: typeof aesGcm, provider: string, name: string, secret: Buffer): Transformer =>
  maker(`k8s:enc:${provider}:v1:${name}:`, `k8s:enc:${provider}:v1:`, secret, systemBytes);
const plug = new KmsProvider({
  name: "plug",
  plugin: localPlugin({ keyId: "one", healthz: "ok" }),
  clock: new ManualClock(),
  random: seededRandom(1),
  bytes: systemBytes,
});
await plug.start();

const TRANSFORMERS: Readonly<Record<string, Transformer>> = {
  aescbc: made(aesCbc, "aescbc", "key1", KEY),
  aescbc16: made(aesCbc, "aescbc", "key16", KEY.subarray(0, 16)),
  aesgcm: made(aesGcm, "aesgcm", "key2", KEY.subarray(0, 16)),
  aesgcm24: made(aesGcm, "aesgcm", "key24", KEY.subarray(0, 24)),
  secretbox: made(secretbox, "secretbox", "key3", KEY),
  kms: plug,
};

test.each(values)(
  "CRYPT-4, CRYPT-5, CRYPT-11: what kube-apiserver stored with $name is read",
  async ({ name, key, value }) => {
    const transformer = TRANSFORMERS[name]!;
    const stored = Buffer.from(value, "base64");
    expect(stored.subarray(0, transformer.prefix.length)).toEqual(transformer.prefix);
    const plain = Buffer.from(await transformer.decrypt(stored, key));
    expect(plain.subarray(0, 4).toString()).toBe("k8s\0");
    expect(plain.toString("latin1")).toContain("plain text");
  },
);

const names = Object.keys(TRANSFORMERS);
const text = Buffer.from('{"kind":"Secret"}');

test.each(names)("CRYPT-4: %s reads what it has written, twice differently", async (name) => {
  const transformer = TRANSFORMERS[name]!;
  const [once, again] = [transformer.encrypt(text, "/a"), transformer.encrypt(text, "/a")];
  expect(once.equals(again)).toBe(false);
  expect(once.includes("Secret")).toBe(false);
  expect(Buffer.from(await transformer.decrypt(once, "/a"))).toEqual(text);
  expect(Buffer.from(await transformer.decrypt(again, "/a"))).toEqual(text);
});

test.each(names.filter((name) => name !== "aescbc" && name !== "aescbc16"))(
  "CRYPT-9: %s refuses a value with any one bit changed, or cut off anywhere",
  async (name) => {
    const transformer = TRANSFORMERS[name]!;
    const stored = transformer.encrypt(text, "/a");
    const attempt = async (value: Buffer): Promise<string> => {
      try {
        return Buffer.from(await transformer.decrypt(value, "/a")).toString();
      } catch (error) {
        return error instanceof CipherError ? "refused" : String(error);
      }
    };
    // The plugin checks the information about the sealed seed, and may accept a changed one.
    const allowed = name === "kms" ? ["refused", text.toString()] : ["refused"];
    for (let i = transformer.prefix.length; i < stored.length; i++) {
      const changed = Buffer.from(stored);
      changed[i]! ^= 1 << (i % 8);
      expect(allowed).toContain(await attempt(changed));
      expect([i, await attempt(stored.subarray(0, i))]).toEqual([i, "refused"]);
    }
  },
);

test.each(["aesgcm", "kms"])("CRYPT-6: %s does not read a value that was moved to another key", async (name) => {
  const transformer = TRANSFORMERS[name]!;
  const stored = transformer.encrypt(text, "/core/secrets/a/b");
  await expect(async () => transformer.decrypt(stored, "/core/secrets/a/c")).rejects.toThrow(CipherError);
});

test("CRYPT-4: identity refuses what says that it is encrypted", () => {
  expect(identity.encrypt(text, "/a")).toEqual(text);
  expect(() => identity.decrypt(Buffer.from("k8s:enc:aesgcm:v1:key1:abc"), "/a")).toThrow("not encrypted");
});

test("CRYPT-9: the error of a wrong key names neither text nor key", () => {
  const stored = TRANSFORMERS["aesgcm"]!.encrypt(text, "/a");
  const other = made(aesGcm, "aesgcm", "key2", Buffer.from("another key of16"));
  const refused = (): unknown => other.decrypt(stored, "/a");
  expect(refused).toThrow("the key does not fit the value, or the value is damaged or was moved from another place");
});
