import fc from "fast-check";
import { expect, test } from "vitest";
import { simpleYaml } from "./simple-yaml.ts";
import { decodeYaml } from "./yaml.ts";

const KUBECONFIG = `# written by a machine
apiVersion: v1
kind: Config
clusters:
- name: keelson
  cluster:
    server: https://127.0.0.1:6443
    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==
    insecure-skip-tls-verify: true
users:
  - name: admin
    user:
      token: abc.def-ghi_jkl

current-context: keelson
`;

test("a generated kubeconfig is decoded as by the whole decoder", () => {
  expect(simpleYaml(KUBECONFIG)).toEqual(decodeYaml(KUBECONFIG).value);
  expect(simpleYaml(KUBECONFIG)!["clusters"]).toHaveLength(1);
});

test.each([
  ["quotes", 'a: "b"'],
  ["a number", "a: 1"],
  ["nothing", "a:"],
  ["a word that some read as true", "a: yes"],
  ["a key that is no text", "yes: a"],
  ["a key twice", "a: b\na: c"],
  ["an anchor", "a: &b c"],
  ["flow style", "a: {b: c}"],
  ["a remark behind a value", "a: b # c"],
  ["a text of two lines", "a: b\n  c"],
  ["a block of text", "a: |\n  b"],
  ["a tabulator", "a:\n\tb: c"],
  ["two documents", "a: b\n---\nc: d"],
  ["a list in a list", "a:\n- - b"],
  ["a text that ends like a key", "a: b:"],
  ["a member further in than those before it", "a: b\n   c: d"],
  ["no text at all", ""],
  ["a carriage return", "a: b\r\nc: d"],
])("%s is left to the whole decoder", (_, text) => {
  expect(simpleYaml(text)).toBeUndefined();
});

test("any lines that are decoded have the same value in the whole decoder", () => {
  const piece = fc.constantFrom(
    ..."a: |b: c|d:|- |  |    |e: f|- g: h|true|null|x:y|https://a:1|/a/b|LS0=|'q'|#|: |---|1.5|e5|~|\t|__proto__: a".split(
      "|",
    ),
    "\n",
    "\n",
    "\n  ",
  );
  let read = 0;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      const value = simpleYaml(text);
      if (value === undefined) return;
      read++;
      expect(decodeYaml(text).value).toEqual(value);
    }),
    { numRuns: 3000 },
  );
  expect(read).toBeGreaterThan(50);
});
