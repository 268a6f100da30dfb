/**
 * The bytes of a page are compared with Node's own.
 *
 * @module
 */
import { Buffer as NodeBuffer, isUtf8 as isNodeUtf8 } from "node:buffer";
import { createHash as nodeHash, hash as nodeDigest } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Buffer, isUtf8 } from "./buffer.ts";
import { createHash, hash, timingSafeEqual } from "./crypto.ts";

const plain = (bytes: Uint8Array): readonly number[] => [...bytes];
const bytesArb = fc.uint8Array({ maxLength: 300 });
const textArb = fc.string({ unit: "binary", maxLength: 200 });
const ENCODINGS = ["utf8", "latin1", "hex", "base64", "base64url"] as const;

test("texts become the same bytes, and bytes the same texts", () => {
  fc.assert(
    fc.property(textArb, bytesArb, fc.constantFrom(...ENCODINGS), (text, bytes, encoding) => {
      const fit = encoding === "hex" ? NodeBuffer.from(text).toString("hex") : text;
      const isBase64 = encoding === "base64" || encoding === "base64url";
      const written = isBase64 ? "" : fit;
      expect(plain(Buffer.from(written, encoding))).toEqual(plain(NodeBuffer.from(written, encoding)));
      expect(Buffer.from(bytes).toString(encoding)).toBe(NodeBuffer.from(bytes).toString(encoding));
      const coded = NodeBuffer.from(bytes).toString(encoding);
      expect(plain(Buffer.from(coded, encoding))).toEqual(plain(NodeBuffer.from(coded, encoding)));
      expect(Buffer.byteLength(text)).toBe(NodeBuffer.byteLength(text));
    }),
  );
});

test("parts, searches, comparisons and numbers are the same", () => {
  fc.assert(
    fc.property(bytesArb, bytesArb, fc.nat(50), fc.nat(60), (a, b, from, length) => {
      const [own, node] = [Buffer.from(a), NodeBuffer.from(a)];
      const to = from + length;
      expect(plain(own.subarray(from, to))).toEqual(plain(node.subarray(from, to)));
      expect(own.toString("latin1", from, to)).toBe(node.toString("latin1", from, to));
      expect(Buffer.compare(own, b)).toBe(NodeBuffer.compare(node, b));
      expect(own.equals(b)).toBe(node.equals(b));
      expect(plain(Buffer.concat([own, b]))).toEqual(plain(NodeBuffer.concat([node, b])));
      const sought = from < a.length ? a.subarray(from, from + 3) : NodeBuffer.from("abc");
      expect(own.indexOf(sought)).toBe(node.indexOf(sought));
      const [ownWide, nodeWide] = [
        Buffer.concat([own, Buffer.alloc(8)]),
        NodeBuffer.concat([node, NodeBuffer.alloc(8)]),
      ];
      expect(ownWide.readUInt32BE(2)).toBe(nodeWide.readUInt32BE(2));
      expect(ownWide.readUIntBE(1, 6)).toBe(nodeWide.readUIntBE(1, 6));
      expect(ownWide.compare(ownWide, 2, 6, 1, 5)).toBe(nodeWide.compare(nodeWide, 2, 6, 1, 5));
      expect(isUtf8(a)).toBe(isNodeUtf8(a));
    }),
  );
});

test("what is written is the same, also where there is no space for all of it", () => {
  fc.assert(
    fc.property(textArb, fc.nat(80), fc.nat(20), (text, length, at) => {
      const [own, node] = [Buffer.alloc(length), NodeBuffer.alloc(length)];
      const start = Math.min(at, length);
      expect(own.write(text, start)).toBe(node.write(text, start));
      expect(plain(own)).toEqual(plain(node));
    }),
  );
});

test("digests are the same", () => {
  fc.assert(
    fc.property(bytesArb, textArb, fc.constantFrom("sha256", "sha512"), (bytes, text, algorithm) => {
      expect(hash(algorithm, bytes)).toBe(nodeDigest(algorithm, bytes));
      expect(createHash(algorithm).update(bytes).update(text).digest("hex")).toBe(
        nodeHash(algorithm).update(bytes).update(text).digest("hex"),
      );
    }),
  );
  expect(() => createHash("sha3")).toThrow("expected a digest that a page knows, got sha3");
});

test("secrets are compared as a whole", () => {
  expect(timingSafeEqual(Buffer.from("abc"), Buffer.from("abc"))).toBe(true);
  expect(timingSafeEqual(Buffer.from("abc"), Buffer.from("abd"))).toBe(false);
  expect(() => timingSafeEqual(Buffer.from("a"), Buffer.from("ab"))).toThrow("expected two values of one length");
});
