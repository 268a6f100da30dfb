import { describe, expect, test } from "vitest";
import {
  type TextCheck,
  configMapKey,
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  domainPrefixedPath,
  labelName,
  labelValue,
  pathSegment,
  prefixedName,
  qualifiedName,
  subdomainName,
} from "./names.ts";

const x = (count: number): string => "x".repeat(count);

const cases: readonly [string, TextCheck, readonly string[], readonly string[]][] = [
  ["DEC-2: a DNS label", dnsLabel, ["a", "0", "a-b", x(63)], ["", "A", "a.b", "-a", "a-", "a\n", "ä", x(64)]],
  ["a DNS label with a letter at its beginning", dns1035Label, ["a", "a-0", x(63)], ["", "0a", "a-", x(64)]],
  [
    "DEC-2: a DNS subdomain",
    dnsSubdomain,
    ["a", "0", "a-b.c", x(253), `${x(64)}.${x(188)}`],
    ["", "A", "a_b", "-a", "a-", ".a", "a..b", "a b", "ä", "a/b", "a%b", "..", "a\n", x(254)],
  ],
  [
    "DEC-2: a qualified name",
    qualifiedName,
    ["a", "A", "a_b.C-1", "a/b", "a.b/c", x(63), `${x(253)}/${x(63)}`],
    ["", "/b", "a/", "a/b/c", "-a", "a-", "a b", "ä", "a_b/c", "A.com/x", "a..b/c", x(64), `${x(254)}/a`, `a/${x(64)}`],
  ],
  ["a qualified name with its domain", prefixedName, ["a.b/c"], ["c", "", "a/"]],
  ["DEC-2: a label value", labelValue, ["", "a", "a.b_c-D", x(63)], ["a b", "-a", "a-", "a/b", "ä", x(64)]],
  [
    "CM-11: a key of a ConfigMap",
    configMapKey,
    ["0", "-", "_", ".hidden", "a..b", "a.", "A.b-c_d", x(253)],
    ["", ".", "..", "..x", "a b", "a/b", "ä", "a\n", x(254)],
  ],
  ["DEC-2: a segment of a path", pathSegment, ["a b", "A:b", "...", "ä"], [".", "..", "a/b", "a%b"]],
  ["a domain with a path", domainPrefixedPath, ["a.b/c/d"], ["a", "/a", "a/", "A/b", "a/ä"]],
];

describe.each(cases)("%s", (_name, check, fine, wrong) => {
  test.each(fine)("may be %j", (text) => {
    expect(check(text)).toBeUndefined();
  });

  test.each(wrong)("may not be %j, with a message", (text) => {
    expect(check(text)).toMatch(/must|may not|^Invalid path/);
  });
});

test("a name rule returns true, or what is wrong", () => {
  expect(subdomainName("a.b")).toBe(true);
  expect(labelName("a_b")).toMatch(/^a lowercase RFC 1123 label must/);
});

// From the validation package of k8s.io/apimachinery.
test.each([
  [
    dnsSubdomain,
    "A",
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  ],
  [
    qualifiedName,
    "-",
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  ],
  [
    qualifiedName,
    "a/b/c",
    "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
  ],
  [qualifiedName, "/b", "prefix part must be non-empty"],
  [qualifiedName, "a/", "name part must be non-empty"],
  [labelValue, x(64), "must be no more than 63 characters"],
  [configMapKey, "..x", "must not start with '..'"],
  [pathSegment, "a%b", "may not contain '%'"],
  [domainPrefixedPath, "a", 'must be a domain-prefixed path (such as "acme.io/foo")'],
])("messages are those of kube-apiserver", (check, text, message) => {
  expect(check(text)).toBe(message);
});

test("DEC-2: a label that is a subdomain must not contain dots; one with a letter at its beginning has no such message", () => {
  expect(dnsLabel("a.b")).toBe("must not contain dots");
  expect(labelName("kube.system")).toBe("must not contain dots");
  for (const text of ["a..b", "A.b", ".a", "a_b"]) expect(dnsLabel(text)).toMatch(/^a lowercase RFC 1123 label must/);
  expect(dnsLabel(`${x(40)}.${x(40)}`)).toBe("must be no more than 63 characters");
  expect(dns1035Label("a.b")).toMatch(/^a DNS-1035 label must/);
});
