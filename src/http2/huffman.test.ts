import { expect, test } from "vitest";
import { decodeHuffman } from "./huffman.ts";

const decode = (hex: string): string | undefined => {
  const bytes = Buffer.from(hex, "hex");
  return decodeHuffman(bytes, 0, bytes.length);
};

test.each([
  ["f1e3c2e5f23a6ba0ab90f4ff", "www.example.com"],
  ["a8eb10649cbf", "no-cache"],
  ["25a849e95ba97d7f", "custom-key"],
  ["25a849e95bb8e8b4bf", "custom-value"],
  ["d07abe941054d444a8200595040b8166e082a62d1bff", "Mon, 21 Oct 2013 20:13:21 GMT"],
  ["", ""],
])("RFC 7541 appendix C: %s is %s", (hex, text) => {
  expect(decode(hex)).toBe(text);
});

/** All bytes, as another implementation encodes them. */
const ALL =
  "ffc7fffd8fffffe2fffffe3fffffe4fffffe5fffffe6fffffe7fffffe8ffffeafffffff3fffffa7fffffabffffffdfffffebfffffecfffffedfffffeefffffefffffff0ffffff1ffffff2fffffffbfffffcffffffd3fffffd7fffffdbfffffdffffffe3fffffe7fffffebfffffed4fe3f9ffaffcabf1febfafefe7fdfd2cbb00089969b71d79fb9f7fff20ffbff3ff50ddbd7f061c58f265cd9f469d5af66dddbf871e5f9cff7ff7fffc3ff9ffe45fff4719242cb34e6e9d68a6a3d7dac426defe3cfaf7fffbfe7ffbffdffffffcfffe6ffff4bfff9ffffa3fffd3ffff53fffd5ffffb3fffeb7fffdaffffb7ffff73fffeeffffdeffffebffffbfffffd9ffffdbfffebffffe0ffffeeffffc3ffff8bffff1ffffe4fffee7fffb1ffff97fffd9ffffcdffff9fffffbffffdafffeeffff4ffffb7fffee7fffe8ffffd3fffdeffffd5fffeeffffbdffffe1fffdfffff7fffff5ffffecffff07fff87fffe0ffff17fffedffff87ffff77fffeffffeaffff8bfffe3ffff93ffff87fffcbffff37ffff1fffff83ffffe1fffebfffe3ffff3fffff2ffffa3ffffd9fffff17ffffc7fffff27ffffdefffffbffffff2fffff8fffffb7fff97fff8fffffe6fffffc1fffff87ffffe7fffffc5ffffe5fffe4ffff2fffffd1fffff4ffffffefffffe3fffffc9fffff97fffb3ffffcffffb7fffcdffff4ffff9ffffd1ffffcffffeaffffafffffddffffeffffff4fffff5fffffabffffa7ffffd7fffff9bffffecfffffb7fffff3fffffe8fffffd3fffffabfffff5fffffff7ffffecfffffdbfffffbbfffff7ffffff0fffffbbf";

test("every byte has its code", () => {
  expect(decode(ALL)).toBe(String.fromCharCode(...Array(256).keys()));
});

test.each([
  ["padding of eight bits", "a8eb10649cbfff"],
  ["padding that is not of ones", "a8eb10649cbe"],
  ["the end of a text", "ffffffff"],
  ["a code that is cut off", "ff"],
])("RFC 7541 5.2: %s is no text", (_what, hex) => {
  expect(decode(hex)).toBeUndefined();
});

test("a text longer than the scratch buffer is read whole", () => {
  const bytes = Buffer.alloc(10_000, Buffer.from("0000000000", "hex"));
  expect(decodeHuffman(bytes, 0, bytes.length)).toBe("0".repeat(16_000));
});
