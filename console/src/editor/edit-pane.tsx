/**
 * An editor with what belongs to it: what the cursor stands in, trying a write, its refusals and conflicts, and writing.
 *
 * @module
 */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { BlameReport } from "../../../src/meta/ownership-reports.ts";
import type { PlanReport } from "../../../src/meta/plan-report.ts";
import { kindOfObject } from "../api/discovery.ts";
import { isNarrow } from "../state/media.ts";
import { Button } from "../ui/basics.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { useIsShown } from "../ui/is-shown.ts";
import { useKeys } from "../ui/keys.ts";
import { toast } from "../ui/toast.tsx";
import { CodeBox } from "./code-box.tsx";
import type { Draft, EditBase } from "./drafts.ts";
import { EditSession, type EditServer, type Saved } from "./edit-session.ts";
import { FieldHelp } from "./field-help.tsx";
import { editorWorker } from "./in-worker.ts";
import { drafts } from "./page-drafts.ts";
import type { Explanation } from "./schema.ts";
import { loadSchema } from "./schemas.ts";
import { TriedView } from "./tried-view.tsx";
import { type Method, applyText, explainWrite, planTexts, storedNow, writeText } from "./write.ts";

/** Properties of {@link EditPane}. */
export interface EditPaneProps {
  /** The edit at the start. */
  readonly draft: Draft;
  /** The key of the draft that is kept if the editor is closed with edits that are not saved. */
  readonly draftKey: string;
  /** The namespace of new objects that name none. */
  readonly namespace?: string | undefined;
  /** Reads the object again, for edits of an object that was changed meanwhile. */
  readonly reread?: () => Promise<EditBase>;
  /** The object as it is on the server. */
  readonly newest?: BlameReport | undefined;
  /** Called when an object was written and the editor is still shown. */
  readonly onSaved: (saved: Saved) => void;
  readonly onClose: () => void;
}

const MAX_MANAGER_LENGTH = 128;
const SERVER: EditServer = {
  write: writeText,
  apply: applyText,
  explain: explainWrite,
  stored: storedNow,
  plan: planTexts,
};

/** Edits the text of an object, or of new ones. */
export function EditPane({ draft, draftKey, namespace, reread, newest, onSaved, onClose }: EditPaneProps): JSX.Element {
  const isShown = useIsShown();
  /** Whether the text was saved or discarded. */
  const isDone = useRef(false);
  const writing = useRef(Promise.resolve());
  const worker = useMemo(() => editorWorker(), []);
  const session = useMemo(
    () =>
      new EditSession(draft, {
        worker,
        kindOf: kindOfObject,
        loadSchema,
        server: SERVER,
        namespace,
        reread,
        onSaved(saved) {
          isDone.current = true;
          drafts.drop(draftKey);
          toast(`${saved.name} is stored.`, "good");
          if (isShown.current) onSaved(saved);
        },
        onCommitted: () => drafts.drop(draftKey),
      }),
    [],
  );
  const isUnsaved = session.isUnsaved.value;
  useEffect(() => (isUnsaved ? drafts.opened() : undefined), [isUnsaved]);
  useEffect(
    () => () => {
      // A write that runs still needs the worker.
      void writing.current.then(() => worker.close());
      // The text outlives the editor unless it was saved or discarded.
      if (session.isUnsaved.peek() && !isDone.current) drafts.put(draftKey, session.draft());
      else drafts.drop(draftKey);
    },
    [],
  );
  useEffect(() => session.observe(newest), [newest]);
  const place = useSignal<Explanation | undefined>(undefined);
  const asks = useSignal(false);
  const discard = (): void => {
    isDone.current = true;
    onClose();
  };
  const write = (): void => {
    writing.current = session.write().then(() => {
      const { of } = session.tried.peek();
      if (!isShown.current && !isDone.current)
        toast(`${draft.title} was not stored${of === "refused" ? "" : ": try it again"}. Your edit is kept.`, "bad");
    });
  };
  const state = session.tried.value;
  const side = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a narrow screen the result stands below the text.
    if (isNarrow.peek() && state.of !== "nothing" && state.of !== "busy") side.current?.scrollIntoView();
  }, [state]);
  const busy = session.busy.value;
  const method = session.method.value;
  const { isPlan, isEdit } = session;
  const canWrite = state.of === "fits" || (state.of === "plan" && isApplicable(state.report));
  useKeys(
    "Editor",
    [{ keys: "Ctrl-Enter", does: "try the text: nothing is written", run: () => void session.try(), always: true }],
    [],
  );
  const verb = { create: "Create", update: "Save", apply: "Apply" }[isPlan ? "apply" : method];
  return (
    <div class="edit-pane">
      <div class="row edit-bar">
        <Button
          kind="primary"
          disabled={busy}
          onClick={() => void session.try()}
          title="Nothing is written (Ctrl-Enter)"
        >
          Try
        </Button>
        <Button disabled={!canWrite} onClick={write}>
          {verb}
        </Button>
        <Button
          kind="quiet"
          onClick={() => {
            if (isUnsaved) asks.value = true;
            else onClose();
          }}
        >
          {isUnsaved ? "Discard…" : "Close"}
        </Button>
        {isPlan ? (
          <span class="soft">{session.documents.value} documents, applied as one: all or none</span>
        ) : (
          <label>
            as{" "}
            <select
              class="select"
              value={method}
              disabled={busy}
              onChange={(event) => session.setMethod(event.currentTarget.value as Method)}
            >
              {isEdit ? <option value="update">an update</option> : <option value="create">a create</option>}
              <option value="apply">an apply</option>
            </select>
          </label>
        )}
        <label>
          by{" "}
          <input
            class="input"
            aria-label="Field manager"
            value={session.manager.value}
            maxLength={MAX_MANAGER_LENGTH}
            size={18}
            disabled={busy}
            onInput={(event) => session.setManager(event.currentTarget.value)}
          />
        </label>
      </div>
      <p class="edit-note" role="status">
        {session.note.value}
      </p>
      {session.newer.value === undefined ? undefined : (
        <p class="edit-note row" role="status">
          <span>Version {session.newer.value} of the object is newer than the one that you edit.</span>
          <Button disabled={busy} onClick={() => void session.merge()}>
            Merge your edits into it
          </Button>
        </p>
      )}
      <div class="edit-parts">
        <div class="edit-main">
          <CodeBox
            of={[]}
            class="code-fill"
            make={({ editorView }, parent) => {
              const made = editorView(parent, {
                label: `YAML of ${draft.title}`,
                text: session.text(),
                schemaAt: (offset) => session.schemaAt(offset),
                problems: (text) => session.problems(text),
                onChange: () => session.changed(),
                onPlace(explanation) {
                  place.value = explanation;
                },
                onTry: () => void session.try(),
              });
              session.attach(made);
              made.focus();
              return made;
            }}
          />
        </div>
        <aside ref={side} class="edit-side" aria-label="About the text">
          <TriedView session={session} />
          <FieldHelp of={place.value} />
        </aside>
      </div>
      {asks.value ? (
        <Dialog
          title={`Discard your edit of ${draft.title}?`}
          onClose={() => {
            asks.value = false;
          }}
          actions={
            <Button kind="danger" onClick={discard}>
              Discard
            </Button>
          }
        >
          <p>The text is not saved and cannot be restored.</p>
        </Dialog>
      ) : undefined}
    </div>
  );
}

/** Whether the documents of a plan can be applied: it is a plan, and none of them is refused. */
const isApplicable = ({ outcome, documents }: PlanReport): boolean =>
  outcome === "planned" && documents.every(({ result }) => result !== "refused");
