import { describe, expect, test } from "vitest";
import { type Draft, Drafts, bytesOfDraft } from "./drafts.ts";

const draft = (title: string, text = "text"): Draft => ({ title, text, initial: "", method: "create", manager: "m" });

describe("drafts", () => {
  test("a draft is kept by its key until it is dropped, and the last one of a key counts", () => {
    const lost: string[] = [];
    const drafts = new Drafts(1000, ({ title }) => lost.push(title));
    expect(drafts.unsaved.value).toBe(false);
    drafts.put("a", draft("one"));
    drafts.put("a", draft("two"));
    drafts.put("b", draft("three"));
    expect(drafts.get("a")?.title).toBe("two");
    expect(drafts.unsaved.value).toBe(true);
    drafts.drop("a");
    drafts.drop("never there");
    expect(drafts.get("a")).toBeUndefined();
    expect(drafts.get("b")?.title).toBe("three");
    drafts.clear();
    expect(drafts.unsaved.value).toBe(false);
    expect(lost).toEqual([]);
  });

  test("the oldest drafts are dropped, and named, where all have more bytes than the bound", () => {
    const lost: string[] = [];
    const drafts = new Drafts(100, ({ title }) => lost.push(title));
    drafts.put("a", draft("a", "x".repeat(20)));
    drafts.put("b", draft("b", "x".repeat(20)));
    drafts.put("a", draft("a again", "x".repeat(20)));
    drafts.put("c", draft("c", "x".repeat(20)));
    expect(lost).toEqual(["b"]);
    expect(drafts.get("a")?.title).toBe("a again");
    drafts.put("d", draft("too large", "x".repeat(51)));
    expect(lost).toEqual(["b", "a again", "c", "too large"]);
    expect(drafts.unsaved.value).toBe(false);
  });

  test("an open editor with edits counts as unsaved until it is closed", () => {
    const drafts = new Drafts(100, () => undefined);
    const [first, second] = [drafts.opened(), drafts.opened()];
    first();
    expect(drafts.unsaved.value).toBe(true);
    second();
    expect(drafts.unsaved.value).toBe(false);
  });

  test("the bytes of a draft are those of its texts and of the report of the object", () => {
    const small = bytesOfDraft(draft("a"));
    const leaf = { field: ".data.a", pointer: "/data/a", value: "x".repeat(1000), managers: [] };
    const report = { kind: "Blame", apiVersion: "keelson.dev/v1", leaves: [leaf], containers: [], absent: [] };
    const object = { apiVersion: "v1", kind: "ConfigMap", name: "a" };
    const base = { namespace: "", name: "a", text: "", hideStatus: false, report: { ...report, object } };
    const large = bytesOfDraft({ ...draft("a"), base: base as unknown as NonNullable<Draft["base"]> });
    expect(small).toBe(8);
    expect(large).toBeGreaterThan(2000);
  });
});
