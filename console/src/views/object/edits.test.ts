import { expect, test } from "vitest";
import { atOnce } from "../../../../src/util/steps.ts";
import { JsonNumber } from "../../../../src/value/value.ts";
import type { EditBase } from "../../editor/drafts.ts";
import { draftOf, restoredText } from "./edits.ts";

test("an old version has the resourceVersion and the uid of the object that it replaces, and its data as they were", () => {
  const object = { apiVersion: "v1", kind: "ConfigMap", name: "web", resourceVersion: "9", uid: "new" };
  const base = { kind: { kind: "ConfigMap" }, name: "web", text: "now\n", hideStatus: true, report: { object } };
  const version = {
    data: { resourceVersion: "of the data", uid: "as well", text: "a\n  uid: x\n" },
    metadata: { name: "web", resourceVersion: "3", uid: "old" },
    serial: new JsonNumber("9007199254740993"),
    status: { ready: true },
  };
  const text = atOnce(restoredText(version as never, base as unknown as EditBase));
  expect(text).toBe(`metadata:
  name: web
  resourceVersion: "9"
  uid: new
data:
  resourceVersion: of the data
  uid: as well
  text: |
    a
      uid: x
serial: 9007199254740993
`);
  expect(draftOf(base as unknown as EditBase, text)).toMatchObject({ title: "ConfigMap web", initial: "now\n", text });
});
