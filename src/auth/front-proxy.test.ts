import { expect, test } from "vitest";
import { frontProxy } from "./front-proxy.ts";
import { NOW, type TestCredentials, certificateOf, credentialsOf } from "./testing/auth-context.ts";

const PROXY = certificateOf({ commonName: "front", signedBy: ["proxy"] });
const HEADERS = {
  "x-remote-user": "pat",
  "x-remote-uid": "u-1",
  "x-remote-group": ["a,b", "c"],
  "x-remote-extra-scopes": ["x", "y"],
  "x-remote-extra-acme.com%2fproject": "p",
};

const userOf = (credentials: TestCredentials, allowedNames: readonly string[] = []) =>
  frontProxy({
    userHeaders: ["X-Remote-User", "X-Other"],
    uidHeaders: ["X-Remote-Uid"],
    groupHeaders: ["X-Remote-Group"],
    extraPrefixes: ["X-Remote-Extra-"],
    allowedNames,
    now: () => NOW,
  })(credentialsOf(credentials));

test("AUTHN-18: a front proxy sends the user", () => {
  expect(userOf({ headers: HEADERS, certificate: PROXY })).toEqual({
    user: "pat",
    uid: "u-1",
    groups: ["a,b", "c", "system:authenticated"],
    extra: { scopes: ["x", "y"], "acme.com/project": ["p"] },
  });
  expect(userOf({ headers: { "x-other": "kim" }, certificate: PROXY }, ["front"])).toMatchObject({ user: "kim" });
});

test.each([
  ["without a certificate", undefined],
  ["with a certificate of a client", certificateOf()],
  ["with one that has ended", { ...PROXY, notAfter: NOW - 1 }],
])("AUTHN-18: its headers are ignored %s", (_, certificate) => {
  expect(userOf({ headers: HEADERS, certificate })).toBeUndefined();
});

test("AUTHN-18: only proxies on the list are accepted, and the user header is required", () => {
  expect(userOf({ headers: HEADERS, certificate: PROXY }, ["other"])).toBeUndefined();
  expect(userOf({ headers: { "x-remote-group": "system:masters" }, certificate: PROXY })).toBeUndefined();
});
