/**
 * What an editor does with its text: try, write, merge; without its view.
 *
 * @module
 */
import { type ReadonlySignal, type Signal, computed, signal } from "@preact/signals";
import { StatusError } from "../../../src/client/errors.ts";
import type { AdmissionReport } from "../../../src/meta/admission-report.ts";
import type { ApplyConflictReport, BlameReport } from "../../../src/meta/ownership-reports.ts";
import type { PlanReport } from "../../../src/meta/plan-report.ts";
import type { Status } from "../../../src/meta/status.ts";
import type { Kind } from "../api/discovery.ts";
import { MAX_LENGTH } from "../api/yaml-limits.ts";
import { inPageSlices } from "../ui/sliced.ts";
import { statusOf } from "./client.ts";
import type { Choices } from "./conflicts.tsx";
import { DocumentSchemas, type SchemaSource } from "./document-schemas.ts";
import type { Problem } from "./documents.ts";
import type { Draft, EditBase } from "./drafts.ts";
import type { Editor } from "./edit-view.ts";
import type { EditorWorker } from "./in-worker.ts";
import { isChanged } from "./owners.ts";
import type { KindSchema } from "./schema.ts";
import { storedText } from "./stored-text.ts";
import { type Merged, mergeEdits } from "./three-way.ts";
import {
  type Method,
  type Target,
  Undecided,
  type applyText,
  causesOf,
  type explainWrite,
  isStale,
  type planTexts,
  type storedNow,
  type writeText,
} from "./write.ts";

/** An object that was written. */
export interface Saved {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** The result of a try, or what runs. */
export type Tried =
  | { readonly of: "nothing" }
  | { readonly of: "busy"; readonly what: "Trying" | "Writing" | "Merging" }
  | {
      readonly of: "fits";
      readonly before: string;
      readonly after: string;
      readonly warnings: readonly string[];
      readonly notes: readonly string[];
      readonly steps?: AdmissionReport | undefined;
    }
  | {
      readonly of: "refused";
      readonly status: Pick<Status, "message" | "reason" | "details">;
      readonly steps?: AdmissionReport | undefined;
    }
  | { readonly of: "conflicts"; readonly report: ApplyConflictReport }
  | { readonly of: "plan"; readonly report: PlanReport };

/** The requests of a session. */
export interface EditServer {
  readonly write: typeof writeText;
  readonly apply: typeof applyText;
  readonly explain: typeof explainWrite;
  readonly stored: typeof storedNow;
  readonly plan: typeof planTexts;
}

/** What a session needs. */
export interface SessionParts {
  readonly worker: EditorWorker;
  readonly kindOf: SchemaSource["kindOf"];
  readonly loadSchema: SchemaSource["load"];
  readonly server: EditServer;
  /** The namespace of new objects that name none. */
  readonly namespace?: string | undefined;
  /** Reads the object again. */
  readonly reread?: (() => Promise<EditBase>) | undefined;
  /** Called when an object was written; also after the view was closed. */
  readonly onSaved: (saved: Saved) => void;
  /** Called when all documents of a plan were written. */
  readonly onCommitted: () => void;
}

/** How often a try is repeated because the object has changed meanwhile. */
const MAX_MERGES = 3;
const NOTHING: Tried = { of: "nothing" };

/** An edit from its first key until it is saved or closed. */
export class EditSession {
  readonly #parts: SessionParts;
  readonly #schemas: DocumentSchemas;
  readonly #title: string;
  #base: EditBase | undefined;
  #initial: string;
  /** The text until the view is there. */
  readonly #start: string;
  #editor: Editor | undefined;
  /** The last run: only its result is shown. */
  #run = 0;
  #isReplacing = false;
  readonly #isUnsaved: Signal<boolean>;
  readonly #tried = signal<Tried>(NOTHING);
  readonly #note = signal("");
  readonly #documents = signal(1);
  readonly #newer = signal<string | undefined>(undefined);
  readonly #method: Signal<Method>;
  readonly #manager: Signal<string>;
  /** What was decided about conflicts. */
  readonly choices: Signal<Choices> = signal({});
  /** Whether something runs. */
  readonly busy: ReadonlySignal<boolean> = computed(() => this.#tried.value.of === "busy");

  constructor({ title, text, initial, base, method, manager }: Draft, parts: SessionParts) {
    this.#parts = parts;
    this.#title = title;
    this.#base = base;
    this.#initial = initial;
    this.#start = text;
    this.#isUnsaved = signal(text !== initial);
    this.#method = signal(method);
    this.#manager = signal(manager);
    const { worker, kindOf, loadSchema } = parts;
    this.#schemas = new DocumentSchemas({ worker, kindOf, load: loadSchema });
  }

  /** Whether the text has edits that are not saved. */
  get isUnsaved(): ReadonlySignal<boolean> {
    return this.#isUnsaved;
  }

  /** The result of the last try, until the text is changed. */
  get tried(): ReadonlySignal<Tried> {
    return this.#tried;
  }

  /** What happened to the text. */
  get note(): ReadonlySignal<string> {
    return this.#note;
  }

  /** How many documents the text has. */
  get documents(): ReadonlySignal<number> {
    return this.#documents;
  }

  /** Whether the text has several documents, which are applied as one. */
  get isPlan(): boolean {
    return this.#documents.value > 1 && !this.#base;
  }

  /** The version of the object that is newer than the edited one and has other values; undefined if there is none. */
  get newer(): ReadonlySignal<string | undefined> {
    return this.#newer;
  }

  /** How the text is written. */
  get method(): ReadonlySignal<Method> {
    return this.#method;
  }

  /** The field manager of the write. */
  get manager(): ReadonlySignal<string> {
    return this.#manager;
  }

  /** Whether the text leaves out the status of the object. */
  get hidesStatus(): boolean {
    return this.#base?.hideStatus ?? false;
  }

  /** Whether the object exists already. */
  get isEdit(): boolean {
    return this.#base !== undefined;
  }

  /** Shows the text in a view. */
  attach(editor: Editor): void {
    this.#editor = editor;
  }

  /** The text as it is now. */
  text(): string {
    return this.#editor?.text() ?? this.#start;
  }

  /** The edit as it is now. */
  draft(): Draft {
    return {
      title: this.#title,
      text: this.text(),
      initial: this.#initial,
      ...(this.#base ? { base: this.#base } : {}),
      method: this.#method.peek(),
      manager: this.#manager.peek(),
    };
  }

  /** The view has another text: what was tried is not that text. */
  changed(): void {
    this.#refresh();
    if (!this.#isReplacing) this.#cancel();
  }

  #refresh(): void {
    if (this.#editor) this.#isUnsaved.value = !this.#editor.is(this.#initial);
  }

  /** Chooses how the text is written. */
  setMethod(method: Method): void {
    this.#method.value = method;
    this.#cancel();
  }

  /** Chooses the field manager; decisions were about the conflicts of another one. */
  setManager(manager: string): void {
    this.#manager.value = manager;
    this.choices.value = {};
    this.#cancel();
  }

  /** Takes note of the object as it is on the server. */
  observe(report: BlameReport | undefined): void {
    const base = this.#base;
    if (!base || !report) return;
    const { resourceVersion = "" } = report.object;
    // What the view shows may be older than what was read to edit it.
    const isNewer =
      isLater(resourceVersion, base.report.object.resourceVersion ?? "") &&
      isChanged(base.report, report, { status: base.hideStatus });
    this.#newer.value = isNewer ? resourceVersion : undefined;
  }

  /** What is wrong with a text. */
  async problems(text: string): Promise<readonly Problem[]> {
    if (text.length > MAX_LENGTH) return [{ from: 0, to: 1, severity: "error", message: tooLong(text) }];
    await this.#schemas.read(text);
    // Of the last text: its schemas may have been there sooner than those of this one.
    this.#documents.value = this.#schemas.count;
    return this.#parts.worker.problems(text);
  }

  /** The schema of the document at an offset; undefined while it is not known. */
  schemaAt(offset: number): KindSchema | undefined {
    return this.#schemas.at(offset);
  }

  /** Tries the text: nothing is written. */
  try(): Promise<void> {
    return this.#begin(true);
  }

  /** Writes the text. */
  write(): Promise<void> {
    return this.#begin(false);
  }

  /** Forgets what was decided about conflicts, and tries again. */
  decideAgain(): Promise<void> {
    this.choices.value = {};
    return this.try();
  }

  /** Brings the edits to the object as it is now. */
  async merge(): Promise<void> {
    if (this.busy.peek()) return;
    const run = ++this.#run;
    this.#tried.value = { of: "busy", what: "Merging" };
    try {
      await this.#merge();
      if (run === this.#run) this.#tried.value = NOTHING;
    } catch (error) {
      if (run === this.#run) this.#tried.value = { of: "refused", status: statusOf(error) };
    }
  }

  /** What runs or was tried is not about the text any more. A write cannot be cancelled. */
  #cancel(): void {
    const state = this.#tried.peek();
    if (state.of === "nothing" || (state.of === "busy" && state.what === "Writing")) return;
    this.#run++;
    this.#tried.value = NOTHING;
  }

  async #begin(dryRun: boolean): Promise<void> {
    const state = this.#tried.peek();
    if (state.of === "busy" && state.what !== "Trying") return;
    const run = ++this.#run;
    this.#note.value = "";
    this.#tried.value = { of: "busy", what: dryRun ? "Trying" : "Writing" };
    if (!dryRun) this.#editor?.freeze(true);
    try {
      const isCurrent = (): boolean => run === this.#run;
      const result = await this.#attempt(dryRun, isCurrent).catch((error: unknown): Tried => ({
        of: "refused",
        status: statusOf(error),
      }));
      if (isCurrent()) this.#tried.value = result;
    } finally {
      if (!dryRun) this.#editor?.freeze(false);
    }
  }

  async #attempt(dryRun: boolean, isCurrent: () => boolean, merges = 0): Promise<Tried> {
    const text = this.text();
    if (text.length > MAX_LENGTH) throw new Error(tooLong(text));
    if (!this.#base) {
      const heads = await this.#schemas.read(text);
      if (heads.length > 1) return this.#plan(text, heads, dryRun, isCurrent);
    }
    const { server, worker } = this.#parts;
    const target = await this.#target(text);
    const method = this.#method.peek();
    const { body, notes } = await this.#body(text);
    const steps = dryRun ? server.explain(method, body, target) : Promise.resolve(undefined);
    // They are needed only beside the result.
    steps.catch(() => undefined);
    try {
      const written =
        method === "apply"
          ? await server.apply(body, target, this.choices.peek(), worker, dryRun)
          : await server.write(method, body, target, dryRun);
      const hideStatus = this.#base?.hideStatus ?? target.kind.subresources.some(({ name }) => name === "status");
      const after = await storedText(written.text, hideStatus);
      if (!dryRun) {
        this.#parts.onSaved({ kind: target.kind, namespace: after.namespace, name: after.name });
        return NOTHING;
      }
      const before = method === "create" ? "" : await server.stored(target, hideStatus);
      const { warnings } = written;
      return { of: "fits", before, after: after.text, warnings, notes, steps: await steps.catch(() => undefined) };
    } catch (error) {
      if (error instanceof Undecided) return { of: "conflicts", report: error.report };
      if (isStale(error) && this.#base && isCurrent()) {
        const isClean = await this.#merge();
        // A try that others have outrun is repeated; a write waits for the user, who has not seen this text.
        if (dryRun && isClean && merges < MAX_MERGES) return await this.#attempt(dryRun, isCurrent, merges + 1);
        if (isClean) this.#note.value += " Try again.";
        return NOTHING;
      }
      if (isCurrent()) await this.#mark(text, [{ document: 0, error }]);
      return { of: "refused", status: statusOf(error), steps: await steps.catch(() => undefined) };
    }
  }

  async #plan(
    text: string,
    heads: readonly { readonly from: number; readonly to: number }[],
    dryRun: boolean,
    isCurrent: () => boolean,
  ): Promise<Tried> {
    const report = await this.#parts.server.plan(
      heads.map(({ from, to }) => text.slice(from, to)),
      { fieldManager: this.#manager.peek(), namespace: this.#parts.namespace ?? "default", commit: !dryRun },
    );
    const refused = report.documents.flatMap(({ status, result }, document) =>
      status && result === "refused" ? [{ document, error: new StatusError(status) }] : [],
    );
    if (isCurrent()) await this.#mark(text, refused);
    if (report.outcome === "committed") {
      this.#initial = text;
      this.#refresh();
      this.#parts.onCommitted();
    }
    return { of: "plan", report };
  }

  async #target(text: string): Promise<Target> {
    const manager = this.#manager.peek();
    if (this.#base) {
      const { kind, namespace, name } = this.#base;
      return { kind, namespace, name, manager };
    }
    const [head] = await this.#schemas.read(text);
    if (!head) throw new Error("expected an object with apiVersion, kind and metadata");
    const kind = this.#parts.kindOf(head.apiVersion, head.kind);
    if (!kind)
      throw new Error(
        `the server has no kind ${head.kind || "without a name"} of ${head.apiVersion || "no apiVersion"}`,
      );
    const namespace = kind.namespaced ? head.namespace || this.#parts.namespace || "default" : undefined;
    if (this.#method.peek() === "apply" && head.name === "")
      throw new Error("expected a name: an apply needs metadata.name");
    return { kind, namespace, name: head.name, manager };
  }

  /** The body to send, and what it leaves out. */
  async #body(text: string): Promise<{ readonly body: string; readonly notes: readonly string[] }> {
    const base = this.#base;
    if (!base || this.#method.peek() !== "apply") return { body: text, notes: [] };
    const manager = this.#manager.peek();
    const { leaves, object } = base.report;
    const schema = this.#schemas.of(object.apiVersion, base.kind.kind);
    const { text: body, kept } = await this.#parts.worker.intent(text, JSON.stringify(leaves), manager, schema);
    const notes = [`As ${manager}, only the fields that it owns and those that you changed are applied.`];
    if (kept.length > 0)
      notes.push(
        `An apply cannot remove fields of others; these stay: ${kept.slice(0, 5).join(", ")}${kept.length > 5 ? ", …" : ""}.`,
      );
    return { body, notes };
  }

  /** Marks what errors say of fields of documents, in the text. */
  async #mark(text: string, errors: readonly { readonly document: number; readonly error: unknown }[]): Promise<void> {
    try {
      const found = await Promise.all(
        errors.map(async ({ document, error }) => {
          const causes = causesOf(error);
          if (causes.length === 0) return [];
          const fields = causes.map(({ field }) => field);
          const ranges = await this.#parts.worker.locate(text, fields, document);
          return causes.flatMap(({ message }, index): Problem[] => {
            const range = ranges[index];
            return range ? [{ from: range[0], to: range[1], severity: "error", message }] : [];
          });
        }),
      );
      const problems = found.flat();
      if (problems.length > 0 && this.#editor?.is(text)) this.#editor.refuse(problems);
    } catch {
      // The refusal itself is shown beside the text.
    }
  }

  /** Brings the edits to the object as it is now; returns whether no line has a conflict. */
  async #merge(): Promise<boolean> {
    const { reread } = this.#parts;
    const before = this.#base;
    if (!before || !reread) return false;
    const newer = await reread();
    let edited: string;
    let merged: Merged;
    do {
      edited = this.text();
      // oxlint-disable-next-line no-await-in-loop -- what was typed meanwhile is an edit, too
      merged = await inPageSlices(mergeEdits(before.text, edited, newer.text));
    } while (this.text() !== edited);
    const { text, conflicts } = merged;
    this.#base = newer;
    this.#initial = newer.text;
    this.#newer.value = undefined;
    this.#isReplacing = true;
    this.#editor?.replace(text);
    this.#isReplacing = false;
    this.#refresh();
    const version = newer.report.object.resourceVersion ?? "";
    const [first = 0, ...more] = conflicts;
    this.#note.value =
      `The object was changed meanwhile. Your edits were applied to version ${version}` +
      (conflicts.length === 0
        ? "."
        : `; in ${more.length === 0 ? `line ${first + 1}` : `${conflicts.length} lines from line ${first + 1} on`} both changed the same: your edit stands there. Look at it, and try again.`);
    return conflicts.length === 0;
  }
}

/** Whether a resourceVersion is later than another one: they are decimal numbers, of any length. */
const isLater = (version: string, than: string): boolean =>
  version.length === than.length ? version > than : version.length > than.length;

const tooLong = (text: string): string =>
  `expected at most ${MAX_LENGTH} characters, found ${text.length}: shorten the text`;
