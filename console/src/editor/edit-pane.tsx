/**
 * An editor with what belongs to it: what the cursor stands in, trying a write, its refusals and conflicts, and writing.
 *
 * @module
 */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { StatusError } from "../../../src/client/errors.ts";
import type { AdmissionReport } from "../../../src/meta/admission-report.ts";
import type { ApplyConflictReport, BlameReport } from "../../../src/meta/ownership-reports.ts";
import type { PlanReport } from "../../../src/meta/plan-report.ts";
import { PLAN_PATH } from "../../../src/meta/plan-report.ts";
import type { Status } from "../../../src/meta/status.ts";
import { type Kind, kindOfObject } from "../api/discovery.ts";
import { objectPath } from "../api/kube.ts";
import { useKeys } from "../ui/keys.ts";
import { Badge, Button, ErrorBox, Text } from "../ui/basics.tsx";
import { visible } from "../ui/visible.ts";
import { sendText, statusOf } from "./client.ts";
import { CodeBox } from "./code-box.tsx";
import type { Editor } from "./code.ts";
import { type Choices, Conflicts } from "./conflicts.tsx";
import { Difference } from "./difference.tsx";
import type { DocumentHead, Problem } from "./documents.ts";
import { ExplainSteps } from "./explain-steps.tsx";
import { editorWorker } from "./in-worker.ts";
import { planBody } from "./plan-body.ts";
import type { Explanation, KindSchema } from "./schema.ts";
import { loadSchema } from "./schemas.ts";
import { storedText } from "./stored-text.ts";
import { mergeEdits } from "./three-way.ts";
import { type Method, type Target, Undecided, applyText, causesOf, explainWrite, isStale, writeText } from "./write.ts";

/** The object that is edited, as it was read. */
export interface EditBase {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly text: string;
  readonly report: BlameReport;
  /** Whether the status is a subresource, which an edit of the object does not write. */
  readonly hideStatus: boolean;
}

/** What was written. */
export interface Saved {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Properties of {@link EditPane}. */
export interface EditPaneProps {
  /** The text at the start. */
  readonly text: string;
  /** Absent for a new object. */
  readonly base?: EditBase;
  /** The namespace of new objects that name none. */
  readonly namespace?: string | undefined;
  /** Reads the object again, for edits of an object that was changed meanwhile. */
  readonly reread?: () => Promise<EditBase>;
  readonly onSaved: (saved: Saved) => void;
  readonly onClose: () => void;
}

/** The result of a try. */
type Tried =
  | { readonly of: "nothing" }
  | { readonly of: "busy"; readonly what: string }
  | {
      readonly of: "fits";
      readonly text: string;
      readonly before: string;
      readonly after: string;
      readonly warnings: readonly string[];
      readonly steps?: AdmissionReport | undefined;
      readonly notes: readonly string[];
    }
  | {
      readonly of: "refused";
      readonly status: Pick<Status, "message" | "reason" | "details">;
      readonly steps?: AdmissionReport | undefined;
    }
  | { readonly of: "conflicts"; readonly report: ApplyConflictReport }
  | { readonly of: "plan"; readonly report: PlanReport; readonly text: string };

const DEFAULT_MANAGER = "keelson-console";
const MAX_MANAGER_LENGTH = 128;

/** Edits the text of an object, or of new ones. */
export function EditPane({ text, base: first, namespace, reread, onSaved, onClose }: EditPaneProps): JSX.Element {
  const worker = useMemo(() => editorWorker(), []);
  useEffect(() => () => worker.close(), [worker]);
  const editor = useRef<Editor | undefined>(undefined);
  const base = useRef(first);
  const heads = useRef<readonly DocumentHead[]>([]);
  const schemas = useRef(new Map<string, KindSchema>());
  const method = useSignal<Method>(first ? "update" : "create");
  const manager = useSignal(DEFAULT_MANAGER);
  const tried = useSignal<Tried>({ of: "nothing" });
  const choices = useSignal<Choices>({});
  const place = useSignal<Explanation | undefined>(undefined);
  const count = useSignal(1);
  const note = useSignal("");
  const run = useRef(0);

  const now = (): string => editor.current?.text() ?? text;

  /** Reads what the documents are, and loads their schemas. */
  const readHeads = async (current: string): Promise<readonly DocumentHead[]> => {
    const found = await worker.heads(current);
    heads.current = found;
    count.value = found.length;
    await Promise.all(
      found.map(async ({ apiVersion, kind: name }) => {
        const key = `${apiVersion}/${name}`;
        const kind = schemas.current.has(key) ? undefined : kindOfObject(apiVersion, name);
        if (!kind) return;
        // Without a schema a text is edited as well; the server judges it.
        const schema = await loadSchema(kind).catch(() => undefined);
        if (!schema) return;
        schemas.current.set(key, schema);
        await worker.schema(apiVersion, name, schema);
      }),
    );
    return found;
  };

  const schemaAt = (offset: number): KindSchema | undefined => {
    const found = heads.current.findLast(({ from }) => from <= offset) ?? heads.current[0];
    return found && schemas.current.get(`${found.apiVersion}/${found.kind}`);
  };

  const problems = async (current: string): Promise<readonly Problem[]> => {
    await readHeads(current);
    return worker.problems(current);
  };

  const targetOf = async (current: string): Promise<Target> => {
    const object = base.current;
    if (object) return { kind: object.kind, namespace: object.namespace, name: object.name, manager: manager.value };
    const [head] = await readHeads(current);
    if (!head) throw new Error("expected an object with apiVersion, kind and metadata");
    const kind = kindOfObject(head.apiVersion, head.kind);
    if (!kind)
      throw new Error(
        `the server has no kind ${head.kind || "without a name"} of ${head.apiVersion || "no apiVersion"}`,
      );
    const inside = kind.namespaced ? head.namespace || namespace || "default" : undefined;
    if (method.value === "apply" && head.name === "") throw new Error("expected a name: an apply needs metadata.name");
    return { kind, namespace: inside, name: head.name, manager: manager.value };
  };

  /** The body to send, and what it leaves out. */
  const bodyOf = async (current: string): Promise<{ readonly body: string; readonly notes: readonly string[] }> => {
    const object = base.current;
    if (!object || method.value !== "apply") return { body: current, notes: [] };
    const { body, kept } = await intent(object, current);
    return {
      body,
      notes: [
        `As ${manager.value}, only the fields that it owns and those that you changed are applied.`,
        ...(kept.length === 0
          ? []
          : [
              `An apply cannot remove fields of others: ${kept.slice(0, 5).join(", ")}${kept.length > 5 ? ", …" : ""} stay.`,
            ]),
      ],
    };
  };

  const intent = async (object: EditBase, current: string): Promise<{ body: string; kept: readonly string[] }> => {
    const key = `${object.report.object.apiVersion}/${object.kind.kind}`;
    const leaves = JSON.stringify(object.report.leaves);
    const made = await worker.intent(current, leaves, manager.value, schemas.current.get(key));
    return { body: made.text, kept: made.kept };
  };

  const refuse = async (error: unknown, current: string): Promise<void> => {
    const causes = causesOf(error);
    if (causes.length === 0) return;
    const ranges = await worker.locate(
      current,
      causes.map(({ field }) => field),
      0,
    );
    if (now() !== current) return;
    editor.current?.refuse(
      causes.map(({ message }, index) => {
        const [from, to] = ranges[index] ?? [0, 1];
        return { from, to, severity: "error", message };
      }),
    );
  };

  /** Brings the edits to the object as it is now. */
  const rebase = async (current: string): Promise<void> => {
    const before = base.current;
    if (!before || !reread) return;
    const newer = await reread();
    const merged = mergeEdits(before.text, current, newer.text);
    base.current = newer;
    editor.current?.replace(merged.text);
    const version = newer.report.object.resourceVersion ?? "";
    const { conflicts } = merged;
    note.value =
      `The object was changed meanwhile. Your edits were applied to version ${version}` +
      (conflicts.length === 0
        ? "; try again."
        : `; in ${conflicts.length === 1 ? `line ${conflicts[0]! + 1}` : `${conflicts.length} lines from line ${conflicts[0]! + 1} on`} both changed the same: your edit stands there. Look at it, and try again.`);
    tried.value = { of: "nothing" };
  };

  const attempt = async (dryRun: boolean): Promise<void> => {
    const turn = ++run.current;
    const current = now();
    tried.value = { of: "busy", what: dryRun ? "Trying" : "Writing" };
    note.value = "";
    const set = (value: Tried): void => {
      if (turn === run.current) tried.value = value;
    };
    try {
      if (!base.current && (await readHeads(current)).length > 1) {
        await plan(current, dryRun, set);
        return;
      }
      const target = await targetOf(current);
      const { body, notes } = await bodyOf(current);
      const chosen = method.value;
      const steps = dryRun ? explainWrite(chosen, body, target) : Promise.resolve(undefined);
      // What it says is needed only beside the answer.
      steps.catch(() => undefined);
      try {
        const written =
          chosen === "apply"
            ? await applyText(body, target, choices.value, worker, dryRun)
            : await writeText(chosen, body, target, dryRun);
        const hideStatus = base.current?.hideStatus ?? target.kind.subresources.some(({ name }) => name === "status");
        const after = storedText(written.text, hideStatus);
        if (!dryRun) {
          onSaved({ kind: target.kind, namespace: after.namespace, name: after.name });
          return;
        }
        const before = await storedNow(target, hideStatus, chosen);
        const { warnings } = written;
        set({ of: "fits", text: current, before, after: after.text, warnings, steps: await steps, notes });
      } catch (error) {
        if (isStale(error) && base.current) await rebase(current);
        else if (error instanceof Undecided) set({ of: "conflicts", report: error.report });
        else {
          set({ of: "refused", status: statusOf(error), steps: await steps.catch(() => undefined) });
          await refuse(error, current);
        }
      }
    } catch (error) {
      set({ of: "refused", status: statusOf(error) });
    }
  };

  const plan = async (current: string, dryRun: boolean, set: (value: Tried) => void): Promise<void> => {
    const body = planBody(
      heads.current.map(({ from, to }) => current.slice(from, to)),
      { fieldManager: manager.value, namespace: namespace ?? "default", commit: !dryRun },
    );
    const report = await sendText(PLAN_PATH, { method: "POST", body, type: "application/yaml" }).then(
      ({ text: json }) => JSON.parse(json) as PlanReport,
      (error: unknown) => {
        // Documents that were not stored come with a report that says why.
        if (error instanceof StatusError && error.plan) return error.plan;
        throw error;
      },
    );
    set({ of: "plan", report, text: current });
  };

  const state = tried.value;
  const fits = (state.of === "fits" || state.of === "plan") && state.text === now();
  const busy = state.of === "busy";
  const isPlan = count.value > 1 && !base.current;
  useKeys(
    "Editor",
    [{ keys: "Ctrl-Enter", does: "try the text: nothing is written", run: () => void attempt(true), always: true }],
    [],
  );
  const written = { create: "Create", update: "Save", apply: "Apply" }[isPlan ? "apply" : method.value];
  return (
    <div class="edit-pane">
      <div class="row edit-bar">
        <Button
          kind="primary"
          disabled={busy}
          onClick={() => void attempt(true)}
          title="Nothing is written (Ctrl-Enter)"
        >
          Try
        </Button>
        <Button
          disabled={busy || !fits || (state.of === "plan" && !isApplicable(state.report))}
          onClick={() => void attempt(false)}
        >
          {written}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
        {isPlan ? (
          <span class="soft">{count.value} documents, applied as one: all or none</span>
        ) : (
          <label>
            as{" "}
            <select
              class="select"
              value={method.value}
              onChange={(event) => {
                method.value = event.currentTarget.value as Method;
                tried.value = { of: "nothing" };
              }}
            >
              {first ? <option value="update">an update</option> : <option value="create">a create</option>}
              <option value="apply">an apply</option>
            </select>
          </label>
        )}
        <label>
          by{" "}
          <input
            class="input"
            aria-label="Field manager"
            value={manager.value}
            maxLength={MAX_MANAGER_LENGTH}
            size={18}
            onInput={(event) => {
              manager.value = event.currentTarget.value;
              tried.value = { of: "nothing" };
              choices.value = {};
            }}
          />
        </label>
      </div>
      <p class="edit-note" role="status">
        {note.value}
      </p>
      <div class="edit-parts">
        <div class="edit-main">
          <CodeBox
            of={[]}
            class="code-fill"
            make={({ editorView }, parent) => {
              const made = editorView(parent, {
                label: first ? `YAML of ${first.name}` : "YAML of new objects",
                text,
                schemaAt,
                problems,
                onChange() {
                  if (tried.peek().of !== "nothing" && tried.peek().of !== "busy") tried.value = { of: "nothing" };
                },
                onPlace(explanation) {
                  place.value = explanation;
                },
                onTry: () => void attempt(true),
              });
              editor.current = made;
              made.focus();
              return made;
            }}
          />
        </div>
        <aside class="edit-side" aria-label="About the text">
          <TriedView state={state} choices={choices} onDecided={() => void attempt(true)} />
          <Place of={place.value} />
        </aside>
      </div>
    </div>
  );
}

/** Whether the documents of a plan can be applied: it is a plan, and none of them is refused. */
const isApplicable = ({ outcome, documents }: PlanReport): boolean =>
  outcome === "planned" && documents.every(({ result }) => result !== "refused");

/** The object as it is stored now, as text; empty where there is none. */
async function storedNow({ kind, namespace, name }: Target, hideStatus: boolean, method: Method): Promise<string> {
  if (method === "create" || name === "") return "";
  try {
    return storedText((await sendText(objectPath(kind, namespace, name), {})).text, hideStatus).text;
  } catch (error) {
    if (statusOf(error).code === 404) return "";
    throw error;
  }
}

function TriedView({
  state,
  choices,
  onDecided,
}: {
  readonly state: Tried;
  readonly choices: { value: Choices } & Parameters<typeof Conflicts>[0]["choices"];
  readonly onDecided: () => void;
}): JSX.Element {
  switch (state.of) {
    case "nothing":
      return <p class="soft">Try shows what would be stored. Nothing is written before.</p>;
    case "busy":
      return <p role="status">{state.what}…</p>;
    case "refused":
      return (
        <ErrorBox title="Refused" status={state.status}>
          {state.steps ? <ExplainSteps report={state.steps} /> : undefined}
        </ErrorBox>
      );
    case "conflicts": {
      const decided = state.report.conflicts.every(({ field }) => choices.value[field] !== undefined);
      return (
        <>
          <Conflicts report={state.report} choices={choices} />
          <Button kind="primary" disabled={!decided} onClick={onDecided}>
            Try with these answers
          </Button>
        </>
      );
    }
    case "fits": {
      const { before, after, warnings, notes, steps } = state;
      return (
        <section aria-label="What would be stored">
          <p role="status">
            <Badge tone="good">accepted</Badge>{" "}
            {before === after ? "Nothing would change." : before === "" ? "A new object." : "This would change:"}
          </p>
          {warnings.map((warning, index) => (
            <p key={index} class="warning-line">
              Warning: <Text value={warning} />
            </p>
          ))}
          {notes.map((text, index) => (
            <p key={index} class="soft">
              {visible(text)}
            </p>
          ))}
          {before === after ? undefined : <Difference label="What would change" before={before} after={after} />}
          {steps ? <ExplainSteps report={steps} /> : undefined}
        </section>
      );
    }
    case "plan":
      return <PlanView report={state.report} />;
  }
}

const TONES = { created: "good", changed: "info", unchanged: "neutral", deleted: "warning", refused: "bad" } as const;

function PlanView({ report }: { readonly report: PlanReport }): JSX.Element {
  const { documents, findings, outcome } = report;
  return (
    <section aria-label="The plan">
      <p role="status">
        {outcome === "committed"
          ? "All documents are applied."
          : outcome === "refused"
            ? "Nothing was applied."
            : "This would happen:"}
      </p>
      <ol class="plan-list">
        {documents.map(({ object, result, status, warnings, changes }, index) => (
          <li key={index}>
            <Badge tone={TONES[result]}>{result}</Badge>{" "}
            {object ? (
              <Text value={`${object.kind} ${object.namespace ? `${object.namespace}/` : ""}${object.name}`} />
            ) : (
              "?"
            )}
            {changes && changes.length > 0 ? <span class="soft"> {changes.length} changes</span> : undefined}
            {status?.message ? (
              <p class="refusal">
                <Text value={status.message} />
              </p>
            ) : undefined}
            {warnings.map((warning, at) => (
              <p key={at} class="warning-line">
                Warning: <Text value={warning} />
              </p>
            ))}
          </li>
        ))}
      </ol>
      {findings.map(({ message }, index) => (
        <p key={index} class="warning-line">
          <Text value={message} />
        </p>
      ))}
    </section>
  );
}

function Place({ of }: { readonly of: Explanation | undefined }): JSX.Element {
  if (!of) return <section class="place" aria-label="The field under the cursor" />;
  const { field, type, required, description, values, members } = of;
  return (
    <section class="place" aria-label="The field under the cursor">
      <h2>
        <code>{visible(field)}</code>
      </h2>
      <p>
        <span class="place-type">{type}</span>
        {required ? <Badge tone="warning">required</Badge> : undefined}
        {of.default === undefined ? undefined : <span class="soft"> default {of.default}</span>}
      </p>
      <p class="place-text">{visible(description)}</p>
      {values.length > 0 ? <p>One of: {values.join(", ")}</p> : undefined}
      {members.length > 0 ? (
        <details>
          <summary>{members.length} members</summary>
          <p class="place-members">{members.join(", ")}</p>
        </details>
      ) : undefined}
    </section>
  );
}
