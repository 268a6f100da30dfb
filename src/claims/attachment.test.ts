import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { kubernetes } from "../meta/dialect.ts";
import { attachNames, attachmentName, idOf, isAttachmentName, isSingleNode, nodeEntry } from "./attachment.ts";

const disk = { driver: "d.example.com", handle: "h" };

test("CTL-AD-2: an attachment is named by the hash of handle, driver and node", () => {
  const name = attachmentName(disk, "n");
  expect(name).toBe(`csi-${createHash("sha256").update("hd.example.comn").digest("hex")}`);
  expect(isAttachmentName(name)).toBe(true);
});

test.each(["csi-", "csi-abc", `csi-${"g".repeat(64)}`, `csi-${"a".repeat(65)}`, `x-csi-${"a".repeat(64)}`])(
  "%s is no name of an attachment of the controller",
  (name) => {
    expect(isAttachmentName(name)).toBe(false);
  },
);

test("CTL-AD-3: the entry in the status of a node names driver and handle", () => {
  expect(idOf(disk)).toBe("d.example.com^h");
  expect(nodeEntry(disk, attachNames(kubernetes))).toBe("kubernetes.io/csi/d.example.com^h");
});

test.each<[string[] | undefined, boolean]>([
  [undefined, false],
  [[], false],
  [["ReadWriteOnce"], true],
  [["ReadWriteOncePod"], true],
  [["ReadWriteOnce", "ReadOnlyMany"], false],
  [["ReadWriteMany"], false],
])("CTL-AD-14, CTL-AD-15: access modes %j are those of a volume for one node: %s", (accessModes, isSingle) => {
  expect(isSingleNode(accessModes ? { accessModes } : {})).toBe(isSingle);
});
