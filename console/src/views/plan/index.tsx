import { signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { PlanReport } from "../../../../src/meta/plan-report.ts";
import { ApiFailure } from "../../api/http.ts";
import { MAX_LENGTH, ParseFailure, documentsAsJson } from "../../editor/yaml.ts";
import { moment } from "../../state/moment.ts";
import type { PlainRoute } from "../../state/route.ts";
import { Badge, Button, EmptyState, ErrorBox } from "../../ui/basics.tsx";
import { useTitle } from "../../ui/title.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FileDrop, readFiles } from "../../ui/file-drop.tsx";
import { toast } from "../../ui/toast.tsx";
import { countsText, savedPlan } from "./report.ts";
import { Report } from "./result.tsx";
import { sendPlan } from "./send.ts";
import "../../ui/views.css";
import "./plan.css";

/** What is planned, and how. */
interface Draft {
  readonly text: string;
  readonly namespace: string;
  readonly manager: string;
  readonly force: boolean;
}

/** It stays while other views are shown. */
const draft = signal<Draft>({ text: "", namespace: "default", manager: "keelson", force: false });

const isSame = (a: Draft, b: Draft): boolean =>
  a.text === b.text && a.namespace === b.namespace && a.manager === b.manager && a.force === b.force;

/** A result, and what was planned; of a saved plan that is not known. */
interface Result {
  readonly report: PlanReport;
  readonly of?: Draft;
  readonly from?: string;
}

const result = signal<Result | undefined>(undefined);

/** The view of the route `plan`: what manifests would change, and their apply, all or none. */
export default function PlanView({ route }: { readonly route: PlainRoute }): JSX.Element {
  useTitle("Plan");
  const busy = useSignal<"plan" | "apply" | undefined>(undefined);
  const failure = useSignal<{ readonly title: string; readonly message: string } | undefined>(undefined);
  const asks = useSignal(false);
  const isPast = moment.value !== undefined;
  const { text, namespace, manager, force } = draft.value;
  const shown = result.value;
  const isOfDraft = shown?.of !== undefined && isSame(shown.of, draft.value);
  const run = async (commit: boolean): Promise<void> => {
    // Keys are not held up by a button that is disabled.
    const of = draft.peek();
    if (busy.peek() !== undefined || of.text.trim() === "") return;
    busy.value = commit ? "apply" : "plan";
    failure.value = undefined;
    try {
      const documents = await documentsAsJson(of.text);
      if (documents.length === 0) throw new ParseFailure("expected at least one document");
      const saved = savedPlan(documents);
      if (saved) {
        result.value = { report: saved, from: "the pasted text" };
        return;
      }
      const options = { fieldManager: of.manager, namespace: of.namespace, force: of.force };
      const report = await sendPlan({ ...options, documents }, commit);
      result.value = { report, of };
      if (report.outcome === "committed") toast("All documents are applied.", "good");
      else if (commit) toast("Nothing was applied: see what is refused.", "bad");
    } catch (error) {
      failure.value = messageOf(
        error,
        commit ? "The documents could not be applied." : "The documents could not be planned.",
      );
    } finally {
      busy.value = undefined;
    }
  };
  const open = async (files: readonly File[]): Promise<void> => {
    failure.value = undefined;
    try {
      const read = await readFiles(files, MAX_LENGTH);
      const [only] = read;
      if (read.length === 1 && only && only.text.trimStart().startsWith("{")) {
        const saved = savedPlan(await documentsAsJson(only.text, only.name));
        if (saved) {
          result.value = { report: saved, from: only.name };
          return;
        }
      }
      const sorted = read.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      // JSON is YAML, so that files of both can stand in one text.
      draft.value = {
        ...draft.peek(),
        text: sorted.map((file) => `# ${oneLine(file.name)}\n${file.text}`).join("\n---\n"),
      };
      result.value = undefined;
    } catch (error) {
      failure.value = messageOf(error, "The files could not be read.");
    }
  };
  const isRefused = shown?.report.documents.some((document) => document.result === "refused") === true;
  const canApply = shown?.report.outcome === "planned" && !isRefused && isOfDraft && !isPast;
  // What was planned does not stay after the past was chosen: it would say what is now.
  useEffect(() => {
    if (isPast) asks.value = false;
  }, [isPast]);
  return (
    <div class="view plan" data-view={route.view}>
      <header class="view-head">
        <h1>Plan</h1>
        {isPast ? <Badge tone="info">a plan is always of now: go back to now to apply</Badge> : undefined}
      </header>
      <div class="plan-body">
        <form
          class="plan-form"
          aria-label="Documents"
          onSubmit={(event) => {
            event.preventDefault();
            void run(false);
          }}
        >
          <FileDrop label="Open files" accept=".yaml,.yml,.json" onFiles={(files) => void open(files)}>
            <span class="soft">or drop manifests, or a saved plan, here</span>
          </FileDrop>
          <label class="field">
            <span>Manifests</span>
            <textarea
              class="plan-text"
              rows={14}
              spellcheck={false}
              autocomplete="off"
              value={text}
              onInput={(event) => {
                draft.value = { ...draft.peek(), text: event.currentTarget.value };
              }}
              onKeyDown={(event) => {
                if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
                event.preventDefault();
                void run(false);
              }}
            />
          </label>
          <div class="row">
            <label class="choice">
              <span class="soft">Namespace</span>
              <input
                class="input plan-short"
                value={namespace}
                onInput={(event) => {
                  draft.value = { ...draft.peek(), namespace: event.currentTarget.value };
                }}
              />
            </label>
            <label class="choice">
              <span class="soft">Field manager</span>
              <input
                class="input plan-short"
                value={manager}
                onInput={(event) => {
                  draft.value = { ...draft.peek(), manager: event.currentTarget.value };
                }}
              />
            </label>
            <label class="check">
              <input
                type="checkbox"
                checked={force}
                onChange={(event) => {
                  draft.value = { ...draft.peek(), force: event.currentTarget.checked };
                }}
              />{" "}
              take fields over
            </label>
          </div>
          <div class="row plan-actions">
            <Button
              type="submit"
              kind={canApply ? "plain" : "primary"}
              disabled={busy.value !== undefined || text.trim() === ""}
            >
              {busy.value === "plan" ? "Planning…" : "Plan"}
            </Button>
            <Button
              kind="primary"
              disabled={!canApply || busy.value !== undefined}
              onClick={() => {
                asks.value = true;
              }}
            >
              {busy.value === "apply" ? "Applying…" : "Apply all or none"}
            </Button>
            <span class="soft">
              {canApply || shown?.of === undefined || isOfDraft ? "" : "The text has changed: plan it again."}
            </span>
          </div>
        </form>
        <section class="plan-result" aria-label="Result" aria-live="polite">
          {failure.value ? (
            <ErrorBox title={failure.value.title} status={{ message: failure.value.message }} />
          ) : undefined}
          {shown ? (
            <Report report={shown.report} from={shown.from} />
          ) : failure.value ? undefined : (
            <EmptyState title="Nothing is planned yet.">
              <p>
                A plan shows what each document would change, whose fields it would take over, what would be refused,
                and which Pods would be restarted. Nothing is stored.
              </p>
            </EmptyState>
          )}
        </section>
      </div>
      {asks.value && shown ? (
        <Dialog
          title="Apply all documents?"
          onClose={() => {
            asks.value = false;
          }}
          actions={
            <Button
              kind="primary"
              onClick={() => {
                asks.value = false;
                void run(true);
              }}
            >
              Apply
            </Button>
          }
        >
          <p>{countsText(shown.report)}. All of it is stored, or nothing.</p>
          {shown.report.restarts.length === 0 ? undefined : (
            <p>{shown.report.restarts.length} workloads replace Pods.</p>
          )}
        </Dialog>
      ) : undefined}
    </div>
  );
}

function messageOf(error: unknown, title: string): { readonly title: string; readonly message: string } {
  if (error instanceof ApiFailure)
    return { title, message: error.status.message ?? `the server responded with ${error.code}` };
  return { title, message: error instanceof Error ? error.message : String(error) };
}

const oneLine = (name: string): string => name.replaceAll(/\p{Cc}/gu, " ");
