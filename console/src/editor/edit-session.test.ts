import { describe, expect, test } from "vitest";
import { StatusError } from "../../../src/client/errors.ts";
import type { ApplyConflictReport } from "../../../src/meta/ownership-reports.ts";
import type { PlanReport } from "../../../src/meta/plan-report.ts";
import type { Kind } from "../api/discovery.ts";
import { workerCalls } from "./calls.ts";
import type { Problem } from "./documents.ts";
import type { Draft, EditBase } from "./drafts.ts";
import type { Editor } from "./edit-view.ts";
import { EditSession, type EditServer, type Saved } from "./edit-session.ts";
import type { EditorWorker } from "./in-worker.ts";
import { ownedText, withoutOwners } from "./owners.ts";
import { atOnce } from "../../../src/util/steps.ts";
import { Undecided } from "./write.ts";

const KIND: Kind = {
  group: "",
  version: "v1",
  resource: "configmaps",
  kind: "ConfigMap",
  singular: "configmap",
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: ["get", "update", "create"],
  subresources: [],
};
const object = (resourceVersion: string, data: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "web", namespace: "default", resourceVersion },
  data,
});
const baseOf = (resourceVersion: string, data: Record<string, string>): EditBase => {
  const identity = { apiVersion: "v1", kind: "ConfigMap", name: "web", namespace: "default", resourceVersion };
  const report = atOnce(withoutOwners(object(resourceVersion, data), identity));
  const { text } = atOnce(ownedText(report));
  return { kind: KIND, namespace: "default", name: "web", text, report, hideStatus: false };
};
const failed = (code: number, reason: string, message: string, field?: string): StatusError =>
  new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    code,
    reason,
    message,
    ...(field ? { details: { causes: [{ reason: "FieldValueInvalid", field, message }] } } : {}),
  } as StatusError["status"]);
const stale = () => failed(409, "Conflict", "the object has been modified");

/** The view, as a text. */
class FakeEditor implements Editor {
  value: string;
  frozen = false;
  problems: readonly Problem[] = [];
  onChange = (): void => undefined;
  constructor(value: string) {
    this.value = value;
  }
  text = () => this.value;
  is = (text: string) => text === this.value;
  replace = (text: string) => this.type(text);
  refuse = (problems: readonly Problem[]) => void (this.problems = problems);
  freeze = (frozen: boolean) => void (this.frozen = frozen);
  focus = () => undefined;
  close = () => undefined;
  type(text: string): void {
    this.value = text;
    this.onChange();
  }
}

/** The worker, in this thread. */
function worker(): EditorWorker {
  const calls = workerCalls();
  const later =
    (call: (...given: never[]) => unknown) =>
    async (...given: never[]) =>
      call(...given);
  return {
    ...Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, later(call)])),
    close: () => undefined,
  } as unknown as EditorWorker;
}

function open(
  draft: Partial<Draft> & { base?: EditBase },
  server: Partial<EditServer>,
  reread?: () => Promise<EditBase>,
) {
  const saved: Saved[] = [];
  let commits = 0;
  const initial = draft.base?.text ?? "";
  const start = { title: "x", text: initial, initial, method: "update", manager: "m", ...draft } as const;
  const session = new EditSession(start, {
    worker: worker(),
    kindOf: (apiVersion, kind) => (apiVersion === "v1" && kind === "ConfigMap" ? KIND : undefined),
    loadSchema: async () => undefined,
    reread,
    onSaved: (one) => saved.push(one),
    onCommitted: () => void commits++,
    server: {
      explain: async () => undefined,
      stored: async () => "stored: before\n",
      write: async () => Promise.reject(new Error("not expected")),
      apply: async () => Promise.reject(new Error("not expected")),
      plan: async () => Promise.reject(new Error("not expected")),
      ...server,
    },
  });
  const editor = new FakeEditor(start.text);
  editor.onChange = () => session.changed();
  session.attach(editor);
  return { session, editor, saved, commits: () => commits };
}
const written = (value: object) => ({ text: JSON.stringify(value), warnings: [] });
const one = baseOf("1", { a: "1", b: "1" });

describe("an edit", () => {
  test("is unsaved while its text differs, and the draft has what goes on later", () => {
    const { session, editor } = open({ base: one }, {});
    expect(session.isUnsaved.value).toBe(false);
    editor.type(one.text.replace('a: "1"', 'a: "2"'));
    session.setManager("ann");
    expect(session.isUnsaved.value).toBe(true);
    expect(session.draft()).toEqual({
      title: "x",
      text: editor.value,
      initial: one.text,
      base: one,
      method: "update",
      manager: "ann",
    });
    editor.type(one.text);
    expect(session.isUnsaved.value).toBe(false);
  });

  test("a try shows what would be stored, and a text that is changed meanwhile drops its result", async () => {
    const response = Promise.withResolvers<{ text: string; warnings: string[] }>();
    const { session, editor } = open({ base: one }, { write: () => response.promise });
    const tried = session.try();
    expect(session.tried.value).toEqual({ of: "busy", what: "Trying" });
    editor.type(`${one.text}# more\n`);
    expect(session.tried.value).toEqual({ of: "nothing" });
    response.resolve(written(object("1", { a: "2" })));
    await tried;
    expect(session.tried.value).toEqual({ of: "nothing" });
    await session.try();
    expect(session.tried.value).toMatchObject({ of: "fits", before: "stored: before\n" });
  });

  test("of two tries only the last one counts", async () => {
    const responses: PromiseWithResolvers<{ text: string; warnings: string[] }>[] = [];
    const write = () => {
      responses.push(Promise.withResolvers());
      return responses.at(-1)!.promise;
    };
    const { session } = open({ base: one }, { write });
    const tries = [session.try(), session.try()];
    await expect.poll(() => responses.length).toBe(2);
    responses[1]!.resolve(written(object("1", { a: "last" })));
    responses[0]!.resolve(written(object("1", { a: "first" })));
    await Promise.all(tries);
    expect(session.tried.value).toMatchObject({ of: "fits", after: expect.stringContaining("a: last") as string });
  });

  test("a write freezes the text until it is stored, and runs once", async () => {
    const response = Promise.withResolvers<{ text: string; warnings: string[] }>();
    const asked: string[] = [];
    const write: EditServer["write"] = (_method, text) => {
      asked.push(text);
      return response.promise;
    };
    const { session, editor, saved } = open({ base: one }, { write });
    const done = session.write();
    await expect.poll(() => asked.length).toBe(1);
    expect(editor.frozen).toBe(true);
    await session.try();
    await session.write();
    response.resolve(written(object("2", { a: "1" })));
    await done;
    expect(asked).toEqual([one.text]);
    expect(editor.frozen).toBe(false);
    expect(saved).toEqual([{ kind: KIND, namespace: "default", name: "web" }]);
  });

  test("a try of an object that has changed merges and is repeated; what is typed meanwhile stays", async () => {
    const two = baseOf("2", { a: "1", b: "theirs" });
    const texts: string[] = [];
    const write: EditServer["write"] = async (_method, text) => {
      texts.push(text);
      if (texts.length === 1) throw stale();
      return written(object("2", { a: "mine", b: "theirs" }));
    };
    const { session, editor } = open({ base: one }, { write }, async () => two);
    editor.type(one.text.replace('a: "1"', "a: mine"));
    await session.try();
    expect(texts).toHaveLength(2);
    expect(texts[1]).toBe(two.text.replace('a: "1"', "a: mine"));
    expect(editor.value).toBe(texts[1]);
    expect(session.tried.value).toMatchObject({ of: "fits" });
    expect(session.note.value).toBe("The object was changed meanwhile. Your edits were applied to version 2.");
    expect(session.draft()).toMatchObject({ base: two, initial: two.text });

    // Typed while the object is read again.
    const late = Promise.withResolvers<EditBase>();
    const other = open({ base: one }, {}, () => late.promise);
    const merging = other.session.merge();
    other.editor.type(one.text.replace('a: "1"', "a: typed"));
    late.resolve(two);
    await merging;
    expect(other.editor.value).toBe(two.text.replace('a: "1"', "a: typed"));
  });

  test("what is typed while the edits are compared is merged, too", async () => {
    const newer = baseOf("2", { a: "1", b: "2" });
    const { session, editor } = open({ base: one }, {}, async () => newer);
    editor.type(one.text.replace('a: "1"', 'a: "2"'));
    let reads = 0;
    editor.text = () => {
      // After the first read, before the merge has ended.
      if (reads++ === 0) queueMicrotask(() => editor.type(`${editor.value}# typed\n`));
      return editor.value;
    };
    await session.merge();
    expect(editor.value).toBe(`${newer.text.replace('a: "1"', 'a: "2"')}# typed\n`);
  });

  test("a write of an object that has changed is not repeated: the user sees the merged text first", async () => {
    const two = baseOf("2", { a: "theirs", b: "1" });
    let writes = 0;
    const write: EditServer["write"] = async () => {
      writes++;
      throw stale();
    };
    const { session, editor } = open({ base: one }, { write }, async () => two);
    editor.type(one.text.replace('a: "1"', "a: mine"));
    await session.write();
    expect(writes).toBe(1);
    expect(session.tried.value).toEqual({ of: "nothing" });
    expect(session.note.value).toMatch(/in line \d+ both changed the same: your edit stands there/);
    expect(editor.value).toContain("a: mine");
    // A try is repeated, but not forever.
    await session.try();
    expect(writes).toBe(1 + 4);
    expect(session.note.value).toMatch(/Try again\.$/);
  });

  test("says that the object is newer only if its values are others", () => {
    const { session } = open({ base: one }, {});
    session.observe(baseOf("2", { a: "1", b: "1" }).report);
    expect(session.newer.value).toBeUndefined();
    session.observe(baseOf("3", { a: "1", b: "2" }).report);
    expect(session.newer.value).toBe("3");
    session.observe(baseOf("4", { a: "1", b: "1" }).report);
    expect(session.newer.value).toBeUndefined();
    // A view that has not caught up is not newer.
    session.observe(baseOf("0", { a: "old", b: "1" }).report);
    expect(session.newer.value).toBeUndefined();
    session.observe(baseOf("10", { a: "1", b: "2" }).report);
    expect(session.newer.value).toBe("10");
  });

  test("a refusal marks its fields in the text; one without a place is shown beside it", async () => {
    const { session, editor } = open(
      { base: one },
      { write: async () => Promise.reject(failed(422, "Invalid", "must be short", "data.b")) },
    );
    await session.try();
    expect(session.tried.value).toMatchObject({ of: "refused", status: { message: "must be short" } });
    expect(editor.problems.map(({ from, to }) => editor.value.slice(from, to))).toEqual(['"1"']);
  });

  test("conflicts are asked about, and decisions can be made again", async () => {
    const report = { message: "conflict", conflicts: [] } as unknown as ApplyConflictReport;
    const asked: object[] = [];
    const apply: EditServer["apply"] = async (_text, _target, choices) => {
      asked.push(choices);
      if (Object.keys(choices).length === 0) throw new Undecided(report);
      return written(object("2", { a: "2" }));
    };
    const { session } = open({ base: one, method: "apply" }, { apply });
    await session.try();
    expect(session.tried.value).toEqual({ of: "conflicts", report });
    session.choices.value = { ".data.a": "take" };
    await session.try();
    expect(session.tried.value).toMatchObject({ of: "fits" });
    await session.decideAgain();
    expect(session.tried.value).toEqual({ of: "conflicts", report });
    session.choices.value = { ".data.a": "keep" };
    session.setManager("another");
    expect(session.choices.value).toEqual({});
    expect(asked).toHaveLength(3);
  });

  test("several new documents are a plan, whose refusals are marked in their documents", async () => {
    const text =
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n---\napiVersion: v1\nkind: ConfigMap\ndata: 7\n";
    const plans: boolean[] = [];
    const plan: EditServer["plan"] = async (documents, { commit }) => {
      plans.push(commit);
      expect(documents).toHaveLength(2);
      const status = failed(422, "Invalid", "expected a map", "data").status;
      const documentsOf = [
        { result: "created" },
        plans.length === 1 ? { result: "refused", status } : { result: "created" },
      ];
      return {
        outcome: commit ? "committed" : "planned",
        documents: documentsOf,
        findings: [],
      } as unknown as PlanReport;
    };
    const { session, editor, commits } = open({ text, method: "create" }, { plan });
    expect(session.isUnsaved.value).toBe(true);
    await session.try();
    expect(session.tried.value).toMatchObject({ of: "plan", report: { outcome: "planned" } });
    expect(editor.problems.map(({ from, to }) => text.slice(from, to))).toEqual(["7"]);
    await session.write();
    expect(plans).toEqual([false, true]);
    expect(commits()).toBe(1);
    expect(session.isUnsaved.value).toBe(false);
  });

  test("a text without a kind, of an unknown kind, or too long says what was expected", async () => {
    const messageOf = async (text: string, method: "create" | "apply" = "create"): Promise<unknown> => {
      const { session } = open({ text, method }, {});
      await session.try();
      const state = session.tried.value;
      return state.of === "refused" ? state.status.message : state;
    };
    expect(await messageOf("# nothing")).toBe("expected an object with apiVersion, kind and metadata");
    expect(await messageOf("apiVersion: v1\nkind: Boat\n")).toBe("the server has no kind Boat of v1");
    expect(await messageOf("apiVersion: v1\nkind: ConfigMap\n", "apply")).toBe(
      "expected a name: an apply needs metadata.name",
    );
    const long = `# ${"x".repeat(3 * 1024 * 1024)}`;
    expect(await messageOf(long)).toMatch(/^expected at most 3145728 characters, found 3145730/);
    const { session } = open({ text: "" }, {});
    expect(await session.problems(long)).toMatchObject([{ severity: "error" }]);
  });
});
