import type { JSX } from "preact";
import type { PlanReport } from "../../../src/meta/plan-report.ts";
import { Badge, Button, ErrorBox, Text } from "../ui/basics.tsx";
import { visible } from "../ui/visible.ts";
import { Conflicts } from "./conflicts.tsx";
import { Difference } from "./difference.tsx";
import type { EditSession } from "./edit-session.ts";
import { ExplainSteps } from "./explain-steps.tsx";

/** What came of a try. */
export function TriedView({ session }: { readonly session: EditSession }): JSX.Element {
  const state = session.tried.value;
  const { choices } = session;
  switch (state.of) {
    case "nothing":
      return (
        <p class="soft">
          Try shows what would be stored. Nothing is written before.
          {session.hidesStatus ? " The status is not in the text: an edit of the object does not write it." : ""}
        </p>
      );
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
          <Button kind="primary" disabled={!decided} onClick={() => void session.try()}>
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
          {Object.keys(choices.value).length > 0 ? (
            <p>
              <Button kind="quiet" onClick={() => void session.decideAgain()}>
                Decide about the conflicts again
              </Button>
            </p>
          ) : undefined}
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
  const refused = documents.filter(({ result }) => result === "refused").length;
  return (
    <section aria-label="The plan">
      <p role="status">
        {outcome === "committed"
          ? "All documents are applied."
          : outcome === "refused"
            ? "Nothing was applied."
            : refused > 0
              ? `${refused} of ${documents.length} documents would be refused, so none can be applied:`
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
