import { signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { PLAN_PATH, PLAN_VERSION, type PlannedDocument, type PlanReport } from "../../../../src/meta/plan-report.ts";
import { kindOfObject } from "../../api/discovery.ts";
import { ApiFailure, request, requestText } from "../../api/http.ts";
import { MAX_LENGTH, ParseFailure, parseInWorker, type TextDocument } from "../../editor/yaml.ts";
import { moment } from "../../state/moment.ts";
import { href, objectRoute, type PlainRoute } from "../../state/route.ts";
import { Badge, Button, EmptyState, ErrorBox, Text, type Tone } from "../../ui/basics.tsx";
import { useTitle } from "../../ui/title.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FileDrop, readFiles } from "../../ui/file-drop.tsx";
import { toast } from "../../ui/toast.tsx";
import { VirtualRows } from "../../ui/virtual-rows.tsx";
import { countsOf, isPlan, MOVES, nameOf, planOf, restartText, valueText } from "./report.ts";
import "../../ui/views.css";
import "./plan.css";

/** What is planned, and how; it stays while other views are shown. */
const draft = signal({ text: "", namespace: "default", manager: "keelson", force: false });

/** A result, and the text that it is of; a saved plan has no text. */
interface Result {
  readonly report: PlanReport;
  readonly of?: string;
  readonly documents: readonly TextDocument[];
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
  const key = JSON.stringify(draft.value);
  const run = async (commit: boolean): Promise<void> => {
    busy.value = commit ? "apply" : "plan";
    failure.value = undefined;
    try {
      const documents = await parseInWorker(text);
      if (documents.length === 0) throw new ParseFailure("expected at least one document");
      const [only] = documents;
      if (documents.length === 1 && only && isPlan(only.value)) {
        result.value = { report: planOf(only.value), documents: [], from: "the pasted text" };
        return;
      }
      const body = {
        kind: "PlanRequest",
        apiVersion: PLAN_VERSION,
        fieldManager: manager,
        namespace,
        force,
        commit,
        documents: documents.map(({ value }) => value),
      };
      const report = await send(body);
      result.value = { report, documents, of: key };
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
        const documents = await parseInWorker(only.text, only.name);
        const [first] = documents;
        if (documents.length === 1 && first && isPlan(first.value)) {
          result.value = { report: planOf(first.value), documents: [], from: only.name };
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
  const canApply = shown?.report.outcome === "planned" && !isRefused && shown.of === key && !isPast;
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
              {canApply || !shown || shown.of === undefined || shown.of === key
                ? ""
                : "The text has changed: plan it again."}
            </span>
          </div>
        </form>
        <section class="plan-result" aria-label="Result" aria-live="polite">
          {failure.value ? (
            <ErrorBox title={failure.value.title} status={{ message: failure.value.message }} />
          ) : undefined}
          {shown ? (
            <Report result={shown} />
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

/** Sends a plan; the response to a refused one is a plan, too. */
async function send(body: object): Promise<PlanReport> {
  try {
    return await request<PlanReport>(PLAN_PATH, { method: "POST", body });
  } catch (error) {
    if (!(error instanceof ApiFailure) || !("commit" in body) || body.commit !== true || error.code < 400) throw error;
    // What is refused is in the plan that is not stored.
    const { text } = await requestText(PLAN_PATH, { method: "POST", body: { ...body, commit: false } });
    const report = JSON.parse(text) as PlanReport;
    if (report.documents.every(({ result: one }) => one !== "refused")) throw error;
    return { ...report, outcome: "refused", status: error.status };
  }
}

function messageOf(error: unknown, title: string): { readonly title: string; readonly message: string } {
  if (error instanceof ApiFailure)
    return { title, message: error.status.message ?? `the server responded with ${error.code}` };
  return { title, message: error instanceof Error ? error.message : String(error) };
}

const oneLine = (name: string): string => name.replaceAll(/\p{Cc}/gu, " ");

const TONES: Readonly<Record<PlannedDocument["result"], readonly [Tone, string]>> = {
  created: ["good", "+ created"],
  changed: ["info", "~ changed"],
  deleted: ["warning", "− deleted"],
  unchanged: ["neutral", "= unchanged"],
  refused: ["bad", "! refused"],
};

const countsText = (report: PlanReport): string =>
  countsOf(report)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");

/** The most documents whose changes stand open in the page; of more the changed ones are opened one by one. */
const MAX_OPEN = 50;

function Report({ result: { report, from } }: { readonly result: Result }): JSX.Element {
  const all = [...report.documents, ...report.pruned];
  const told = all.filter(({ result: one }) => one !== "unchanged");
  const first = told.slice(0, MAX_OPEN);
  const rest = told.slice(MAX_OPEN);
  return (
    <>
      <p class="row plan-summary">
        {from === undefined ? undefined : (
          <>
            Saved plan <Text value={from} />:{" "}
          </>
        )}
        <Badge tone={report.outcome === "refused" ? "bad" : report.outcome === "committed" ? "good" : "info"}>
          {report.outcome === "committed" ? "applied" : report.outcome}
        </Badge>{" "}
        {countsOf(report).map(([name, count]) =>
          count === 0 ? undefined : (
            <Badge key={name} tone={TONES[name][0]}>
              {count} {name}
            </Badge>
          ),
        )}{" "}
        <span class="soft">
          at revision <Text value={report.resourceVersion} />
        </span>
      </p>
      {report.status ? <ErrorBox title="Nothing was stored." status={report.status} /> : undefined}
      {report.findings.length === 0 ? undefined : (
        <div class="plan-part">
          <h2>What they break together</h2>
          <ul>
            {report.findings.map((finding, i) => (
              <li key={i}>
                <Badge tone="warning">{finding.kind}</Badge>{" "}
                <Text value={`${finding.namespace}/${finding.name}: ${finding.message}`} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {report.restarts.length === 0 ? undefined : (
        <div class="plan-part">
          <h2>Restarts</h2>
          <ul>
            {report.restarts.map((restart, i) => (
              <li key={i}>
                <Text value={restartText(restart)} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <h2>Documents</h2>
      {told.length === 0 ? <p class="soft">Nothing would change.</p> : undefined}
      {first.map((document, i) => (
        <DocumentCard key={i} document={document} isOpen={i < 10 || document.result === "refused"} />
      ))}
      {rest.length === 0 ? undefined : (
        <VirtualRows
          class="plan-rest"
          label={`${rest.length} more documents`}
          items={rest.map((document, i) => ({ document, i }))}
          height={30}
          keyOf={({ i }) => String(i)}
          render={({ document }) => (
            <>
              <Badge tone={TONES[document.result][0]}>{TONES[document.result][1]}</Badge>{" "}
              <Text value={[nameOf(document), document.status?.message].filter(Boolean).join(": ")} />
            </>
          )}
        />
      )}
    </>
  );
}

/** The most changes of a document that are shown. */
const MAX_CHANGES = 200;

function DocumentCard({
  document,
  isOpen,
}: {
  readonly document: PlannedDocument;
  readonly isOpen: boolean;
}): JSX.Element {
  const { changes = [], lost = [], warnings, moved, refusedBy, status, changesLeftOut, object } = document;
  const [tone, text] = TONES[document.result];
  const kind = object && kindOfObject(object.apiVersion, object.kind);
  return (
    <details class="plan-document" open={isOpen} data-result={document.result}>
      <summary>
        <Badge tone={tone}>{text}</Badge> <Text value={nameOf(document)} />
      </summary>
      {kind && object && document.result !== "created" && document.result !== "refused" ? (
        <p>
          <a href={href(objectRoute(kind, object.namespace, object.name))}>Open the object</a>
        </p>
      ) : undefined}
      {refusedBy === undefined ? undefined : (
        <p class="plan-refused">
          Refused by <Text value={refusedBy} />: <Text value={status?.message ?? ""} />
        </p>
      )}
      {moved ? (
        <p class="soft">
          It is applied earlier than it stands: {MOVES[moved.rule] ?? "it is needed by document"} {moved.before + 1}.
        </p>
      ) : undefined}
      {warnings.map((warning, i) => (
        <p key={i} class="says">
          <Text value={warning} />
        </p>
      ))}
      {changes.length === 0 ? undefined : (
        <ul class="plan-changes">
          {changes.slice(0, MAX_CHANGES).map((change, i) => (
            <li key={i}>
              <code>
                <Text value={change.pointer} />
              </code>
              {change.op === "add" ? undefined : (
                <del>
                  <Text value={valueText(change.before)} />
                </del>
              )}
              {change.op === "remove" ? undefined : (
                <ins>
                  <Text value={valueText(change.after)} />
                </ins>
              )}
              <span class="soft">
                <Text value={change.managers.join(", ")} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {changesLeftOut || changes.length > MAX_CHANGES ? <p class="soft">More changes are left out.</p> : undefined}
      {lost.map(({ manager, fields }, i) => (
        <p key={i} class="says">
          <Text value={manager} /> loses <Text value={fields.slice(0, 20).join(", ")} />
          {fields.length > 20 ? ` and ${fields.length - 20} more` : ""}
        </p>
      ))}
    </details>
  );
}
