import { expect, test } from "vitest";
import { decodeContinue, encodeContinue } from "./continue-token.ts";

const token = { revision: 12, from: "ns/web\0" };
const text = encodeContinue("ns/", token);
const made = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

test("DEC-25: a token is read as it was written", () => {
  expect(decodeContinue("ns/", text)).toEqual(token);
  expect(decodeContinue("", encodeContinue("", token))).toEqual(token);
  expect(decodeContinue("ns/", encodeContinue("ns/", { revision: -1, from: "ns/web\0" }))?.revision).toBe(-1);
});

test("DEC-25: it has the form that kube-apiserver gives out, and takes that", () => {
  expect(JSON.parse(Buffer.from(text, "base64url").toString())).toEqual({
    v: "meta.k8s.io/v1",
    rv: 12,
    start: "web\0",
  });
  expect(decodeContinue("other/", text)).toEqual({ revision: 12, from: "other/web\0" });
});

test("DEC-25: a changed token is invalid, whatever was added", () => {
  for (const end of ["x", "xx", "xxx", "=", "==", "\n", " ", "!", text]) {
    expect([end, decodeContinue("ns/", text + end)]).toEqual([end, undefined]);
  }
  for (const broken of [text.slice(1), text.slice(0, -1), `X${text.slice(1)}`, "", "abc", "null"]) {
    expect([broken, decodeContinue("ns/", broken)]).toEqual([broken, undefined]);
  }
});

test("CVE-2022-3162: a forged key never leads outside of its collection", () => {
  for (const key of ["../other/web\0", "..", ".", "a/../b", "//web\0", "a//b\0", "a/", "/", "", 1, null]) {
    expect([key, decodeContinue("ns/", made({ v: "meta.k8s.io/v1", rv: 1, start: key }))]).toEqual([key, undefined]);
  }
});

test.each([
  ["web", "ns/web"],
  ["/web\0", "ns/web\0"],
  ["..\0", "ns/..\0"],
  ["\0", "ns/\0"],
])(
  "DEC-25: a made-up key %j that stays within the collection is one to begin at, whether it exists or not",
  (key, from) => {
    expect(decodeContinue("ns/", made({ v: "meta.k8s.io/v1", rv: -1, start: key }))).toEqual({ revision: -1, from });
  },
);

test.each([
  { v: "v1", rv: 1, start: "a\0" },
  { v: "meta.k8s.io/v1", rv: 0, start: "a\0" },
  { v: "meta.k8s.io/v1", rv: 1.5, start: "a\0" },
  { v: "meta.k8s.io/v1", rv: "1", start: "a\0" },
  ["meta.k8s.io/v1", 1, "a\0"],
  null,
])("DEC-25: %j is no token", (value) => {
  expect(decodeContinue("", made(value))).toBeUndefined();
});
