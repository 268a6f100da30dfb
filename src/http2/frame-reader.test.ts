import fc from "fast-check";
import { expect, test } from "vitest";
import { ERROR } from "./constants.ts";
import { FrameReader } from "./frame-reader.ts";
import { PREFACE, frame } from "./testing/frames.ts";

function reader(largest = 1000): { read: (bytes: Buffer) => void; got: string[]; reader: FrameReader } {
  const got: string[] = [];
  const one = new FrameReader(largest, ({ type, flags, stream, bytes, from, to }) => {
    got.push(`${type} ${flags} ${stream} ${bytes.toString("latin1", from, to)}`);
    return true;
  });
  return { read: (bytes) => one.read(bytes), got, reader: one };
}

test("frames are the same in whatever pieces they come", () => {
  const frames = fc.array(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(2 ** 31 - 1), fc.uint8Array({ maxLength: 60 })));
  fc.assert(
    fc.property(frames, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (all, sizes) => {
      const bytes = Buffer.concat([PREFACE, ...all.map(([type, flags, id, data]) => frame(type, flags, id, data))]);
      const { read, got, reader: one } = reader();
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const size = sizes[i % sizes.length]!;
        read(bytes.subarray(at, at + size));
        at += size;
      }
      expect(got).toEqual(
        all.map(([type, flags, id, data]) => `${type} ${flags} ${id} ${Buffer.from(data).toString("latin1")}`),
      );
      expect(one.held).toBe(0);
    }),
  );
});

test("RFC 9113 3.4: what does not begin with the preface is no HTTP/2", () => {
  expect(() => reader().read(Buffer.from("GET / HTTP/1.1\r\n"))).toThrow(
    expect.objectContaining({ code: ERROR.protocol }),
  );
  const { read } = reader();
  read(PREFACE.subarray(0, 10));
  expect(() => read(Buffer.from("x"))).toThrow("preface");
});

test("RFC 9113 4.2: a frame that is too large is refused when its head is there", () => {
  const { read } = reader(100);
  read(PREFACE);
  expect(() => read(frame(0, 0, 1, Buffer.alloc(101)).subarray(0, 9))).toThrow(
    expect.objectContaining({ code: ERROR.frameSize }),
  );
});

test("of a frame that is not whole only its own bytes are kept", () => {
  const { read, reader: one } = reader();
  read(Buffer.concat([PREFACE, frame(0, 0, 1, Buffer.alloc(900)), frame(0, 0, 1, Buffer.alloc(50)).subarray(0, 20)]));
  expect(one.held).toBe(59);
});
