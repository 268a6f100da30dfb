import { expect, test } from "vitest";
import { devicePath, podDirectory, volumePath } from "./paths.ts";

test.each(["", ".", "..", "../../etc", "a/b", "/etc", "a\0b"])(
  "%j leads nowhere as the uid of a Pod or as the name of a volume, wherever it comes from",
  (name) => {
    expect(() => podDirectory("/root", name)).toThrow("one part of a path");
    expect(() => volumePath("/root", "uid", "kubernetes.io~csi", name)).toThrow("one part of a path");
    expect(() => devicePath("/root", name, "kubernetes.io~csi", "pv")).toThrow("one part of a path");
  },
);

test("NODE-6: a slash in a kind is no part of a path", () => {
  expect(volumePath("/root", "uid", "kubernetes.io/csi", "pv")).toBe("/root/pods/uid/volumes/kubernetes.io~csi/pv");
});
