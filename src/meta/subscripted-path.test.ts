import { expect, test } from "vitest";
import { expectLinear } from "../util/testing/linear.ts";
import { splitSubscript } from "./subscripted-path.ts";

test.each([
  ["metadata.labels['app']", "metadata.labels", "app"],
  ["metadata.annotations['a.b/c']", "metadata.annotations", "a.b/c"],
  ["a['']", "a", ""],
  ["a['b['c']", "a", "b['c"],
  ["a['b']']", "a", "b']"],
  ["a['\n']", "a", "\n"],
])("%j has the member %j and the key %j", (path, member, key) => {
  expect(splitSubscript(path)).toEqual({ member, key });
});

test.each(["metadata.labels", "['a']", "['a['b']", "a[']", "a['", "a']", "a['b'] ", "a[b]", ""])(
  "%j has no subscript",
  (path) => {
    expect(splitSubscript(path)).toBeUndefined();
  },
);

test.each(["['", "']", "[", "'"])("%s again and again costs a time that grows with the path", async (part) => {
  await expectLinear((size) => `'${part.repeat(size / part.length)}`, splitSubscript);
});
