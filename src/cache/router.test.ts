import { expect, test } from "vitest";
import { Router } from "./router.ts";

test("a key finds the prefix with which it begins, at whatever depth, as long as that is registered", () => {
  const router = new Router<number>();
  router.add("/core/pods/", 1);
  router.add("/example.com/a/b/", 2);
  const found = (): (number | undefined)[] =>
    ["/core/pods/n/a", "/core/pods/", "/core/podsets/x", "/example.com/a/b/x", "/example.com/a/x"].map((key) =>
      router.find(key),
    );
  expect(found()).toEqual([1, 1, undefined, 2, undefined]);
  router.remove("/core/pods/");
  router.remove("/nobody/");
  expect(found()).toEqual([undefined, undefined, undefined, 2, undefined]);
  expect(router.map((target) => target * 10).find("/example.com/a/b/x")).toBe(20);
});

test("no prefix begins with another, and a place is free again when its prefix has gone", () => {
  const router = new Router<number>();
  router.add("/a/b/", 1);
  for (const clash of ["/a/b/", "/a/", "/a/b/c/"]) expect(() => router.add(clash, 2)).toThrow("begin with one another");
  expect(() => router.add("/c", 2)).toThrow("ends with a slash");
  router.add("/a/bc/", 3);
  router.remove("/a/b/");
  router.add("/a/b/c/", 4);
  expect([router.find("/a/b/c/x"), router.find("/a/bc/x"), [...router.values()].length]).toEqual([4, 3, 2]);
});
