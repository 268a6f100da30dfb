import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { DerError, implicit, sequence } from "./der.ts";
import { pemOf } from "../util/pem.ts";
import { MAX_REQUEST_BYTES, isSigned, readRequest } from "./request.ts";
import { newKey, requestDer, requestPem } from "./testing/requests.ts";
import { cpuMillis } from "../util/testing/cpu-time.ts";

describe("a request for a certificate (RFC 2986)", () => {
  test("CERT-1: has its subject, its names, and its key", () => {
    const key = newKey();
    const address = Buffer.of(10, 0, 0, 1);
    const asked = { commonName: "jane", organizations: ["a", "b"], dns: ["n"], addresses: [address], emails: ["e@x"] };
    const read = readRequest(requestPem({ ...asked, uris: ["spiffe://x"], key }));
    expect(read.subject).toMatchObject({ commonName: "jane", organizations: ["a", "b"] });
    expect(read.names).toEqual({ dns: ["n"], addresses: [address], emails: ["e@x"], uris: ["spiffe://x"] });
    expect(read.key.equals(createPublicKey(key))).toBe(true);
    expect(isSigned(read)).toBe(true);
  });

  test.each([
    ["ec", generateKeyPairSync("ec", { namedCurve: "P-384" })],
    ["rsa", generateKeyPairSync("rsa", { modulusLength: 2048 })],
    ["ed25519", generateKeyPairSync("ed25519")],
  ])("CERT-1: may be signed by %s, and only by the key that it is for", (_, { privateKey: key }) => {
    expect(isSigned(readRequest(requestPem({ key })))).toBe(true);
    expect(isSigned(readRequest(requestPem({ key, publicKey: createPublicKey(newKey()) })))).toBe(false);
  });

  test("CERT-1: a byte that was changed is found", () => {
    const der = requestDer({ commonName: "jane" });
    der[der.indexOf("jane")] = 0x4a;
    expect(isSigned(readRequest(pemOf("CERTIFICATE REQUEST", der)))).toBe(false);
  });

  test.each([
    ["nothing", "", "expected a PEM block CERTIFICATE REQUEST, found none"],
    [
      "a certificate",
      pemOf("CERTIFICATE", requestDer()),
      "expected a PEM block CERTIFICATE REQUEST, found CERTIFICATE",
    ],
    ["no sequence", pemOf("CERTIFICATE REQUEST", Buffer.of(0, 0)), "expected an element with tag 48, found tag 0"],
    [
      "a length beyond the end",
      pemOf("CERTIFICATE REQUEST", Buffer.of(0x30, 9)),
      "to end with the one that contains it",
    ],
    ["a length without an end", pemOf("CERTIFICATE REQUEST", Buffer.of(0x30, 0x80)), "a length of at most 4 bytes"],
    ["too much", pemOf("CERTIFICATE REQUEST", Buffer.alloc(MAX_REQUEST_BYTES + 1)), "expected at most 65536 bytes"],
    [
      "a key that is too short",
      requestPem({ key: generateKeyPairSync("rsa", { modulusLength: 512 }).privateKey }),
      "expected a key for RSA (1024 to 16384 bits)",
    ],
    ["an address of three bytes", requestPem({ addresses: [Buffer.of(1, 2, 3)] }), "an address of 4 or 16 bytes"],
  ])("CERT-1: %s is refused with what was expected", (_, pem, why) => {
    expect(() => readRequest(pem)).toThrow(DerError);
    expect(() => readRequest(pem)).toThrow(why);
  });

  test("what is cut off anywhere, or has a bit turned, is refused or not signed, and never anything else", () => {
    const der = requestDer({ commonName: "n", dns: ["a.b"] });
    for (let i = 0; i < der.length; i++) {
      expect(() => readRequest(pemOf("CERTIFICATE REQUEST", der.subarray(0, i)))).toThrow(DerError);
      const turned = Buffer.from(der);
      turned[i]! ^= 1 << (i % 8);
      expect(outcome(pemOf("CERTIFICATE REQUEST", turned))).toBe(false);
    }
  });

  test("the most elements that fit are read in no time", () => {
    const names = sequence(...Array.from({ length: MAX_REQUEST_BYTES / 3 }, () => implicit(2, Buffer.alloc(0))));
    const begun = performance.now();
    expect(() => readRequest(pemOf("CERTIFICATE REQUEST", names))).toThrow(DerError);
    expect(cpuMillis() - begun).toBeLessThan(500);
  });
});

function outcome(pem: string): boolean {
  try {
    return isSigned(readRequest(pem));
  } catch (error) {
    if (error instanceof DerError) return false;
    throw error;
  }
}
