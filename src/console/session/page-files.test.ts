import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { PageFile, namesFile, pageOf } from "./page-files.ts";

const TEXT = Buffer.from("let a = 1;\n".repeat(200));

describe("a file of the page", () => {
  const file = new PageFile("assets/index-abc.js", TEXT);

  test.each([
    ["gzip, deflate, br, zstd", "br"],
    ["gzip", "gzip"],
    ["br;q=0, gzip;q=0.5", "gzip"],
    ["BR", "br"],
    ["identity", ""],
    ["", ""],
  ])("is sent to a client that accepts %j as %j", async (accepted, encoding) => {
    const form = await file.formFor(accepted);
    expect(form.encoding).toBe(encoding);
    const plain =
      encoding === "br" ? brotliDecompressSync(form.bytes) : encoding === "gzip" ? gunzipSync(form.bytes) : form.bytes;
    expect(Buffer.from(plain).equals(TEXT)).toBe(true);
  });

  test("is compressed once, and has another ETag in each form", async () => {
    expect(await file.formFor("br")).toBe(await file.formFor("br"));
    const tags = await Promise.all(["", "br", "gzip"].map(async (one) => (await file.formFor(one)).etag));
    expect(new Set(tags).size).toBe(3);
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]+"$/);
  });

  test("never changes where its name has a hash", () => {
    expect([file.isImmutable, new PageFile("icon.svg", TEXT).isImmutable]).toEqual([true, false]);
    expect(new PageFile("a.woff2", TEXT).type).toBe("font/woff2");
    expect(new PageFile("a.unknown", TEXT).type).toBe("application/octet-stream");
  });
});

test.each([
  ["assets/index.js", true],
  ["icon.svg", true],
  ["list/core/v1/pods", false],
  ["object/core/v1/configmaps/default/app.yaml", false],
  ["object/g.example.com/v1/things/-/x.y", false],
  ["", false],
])("%j names a file: %j", (path, expected) => {
  expect(namesFile(path)).toBe(expected);
});

test("a page of more than 32 MiB is none", () => {
  const large = Buffer.alloc(17 << 20);
  expect(() =>
    pageOf([
      ["a.js", large],
      ["b.js", large],
    ]),
  ).toThrow("at most 33554432 bytes");
});
