import { expect, test } from "vitest";
import { decodeContinue, encodeContinue } from "./continue-token.ts";

const token = { revision: 12, after: "ns/web" };
const text = encodeContinue("ns/", token);
const made = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

test("DEC-25: a token is read as it was written", () => {
  expect(decodeContinue("ns/", text)).toEqual(token);
  expect(decodeContinue("", encodeContinue("", token))).toEqual(token);
  expect(decodeContinue("ns/", encodeContinue("ns/", { revision: -1, after: "ns/web" }))?.revision).toBe(-1);
});

test("DEC-25: it has the form that kube-apiserver gives out, and takes that", () => {
  expect(JSON.parse(Buffer.from(text, "base64url").toString())).toEqual({
    v: "meta.k8s.io/v1",
    rv: 12,
    start: "web\0",
  });
  expect(decodeContinue("other/", text)).toEqual({ revision: 12, after: "other/web" });
});

test("DEC-25: a token that somebody has changed is none, whatever was added", () => {
  for (const end of ["x", "xx", "xxx", "=", "==", "\n", " ", "!", text]) {
    expect([end, decodeContinue("ns/", text + end)]).toEqual([end, undefined]);
  }
  for (const broken of [text.slice(1), text.slice(0, -1), `X${text.slice(1)}`, "", "abc", "null"]) {
    expect([broken, decodeContinue("ns/", broken)]).toEqual([broken, undefined]);
  }
});

test("CVE-2022-3162: a forged key never leads outside of its collection", () => {
  const start = (key: unknown) => decodeContinue("ns/", made({ v: "meta.k8s.io/v1", rv: 1, start: key }));
  for (const key of ["../other/web\0", "..\0", ".\0", "/web\0", "a//b\0", "a/\0", "\0", "", 1, null]) {
    expect([key, start(key)]).toEqual([key, undefined]);
  }
});

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
