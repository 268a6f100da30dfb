import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { tokenKeyOf, tokenKeys, tokenKeysIn } from "./token-keys.ts";

const pem = (key: { export(form: object): unknown }, type: string): string =>
  String(key.export({ type, format: "pem" } as object));
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });

test("AUTHN-34: the keys of a file are public keys, or the public halves of private keys", () => {
  const text = [pem(ec.publicKey, "spki"), pem(rsa.privateKey, "pkcs1"), pem(ec.privateKey, "sec1")].join("\n# next\n");
  const keys = tokenKeysIn(text);
  expect(keys.map(({ alg }) => alg)).toEqual(["ES256", "RS256", "ES256"]);
  expect(keys[0]!.kid).toBe(keys[2]!.kid);
  expect(keys.every(({ key }) => key.type === "public")).toBe(true);
  expect(() => tokenKeysIn("none")).toThrow("expected a key or a certificate in PEM, found none");
});

test("AUTHN-36: the ID of a key derives from the key", () => {
  const { kid } = tokenKeyOf(pem(ec.publicKey, "spki"));
  expect(kid).toMatch(/^[-\w]{43}$/);
  expect(tokenKeyOf(pem(createPublicKey(pem(ec.privateKey, "pkcs8")), "spki")).kid).toBe(kid);
});

test("AUTHN-34: the signing key is accepted, and each key once", () => {
  const { accepted } = tokenKeys(
    pem(ec.privateKey, "pkcs8"),
    tokenKeysIn(pem(ec.publicKey, "spki") + pem(rsa.publicKey, "spki")),
  );
  expect(accepted.map(({ alg }) => alg)).toEqual(["ES256", "RS256"]);
});

test("a key with another algorithm is refused", () => {
  const { publicKey } = generateKeyPairSync("ed25519");
  expect(() => tokenKeyOf(pem(publicKey, "spki"))).toThrow("expected an RSA key");
});
