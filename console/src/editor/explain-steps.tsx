import type { JSX } from "preact";
import type { AdmissionReport, ReportedRule, ReportedStep } from "../../../src/meta/admission-report.ts";
import type { ReportedChange } from "../../../src/meta/history-report.ts";
import { Badge, Text } from "../ui/basics.tsx";

/** The steps of admission that did something with a write, or have considered rules. */
export function ExplainSteps({ report }: { readonly report: AdmissionReport }): JSX.Element {
  const active = report.steps.filter(
    ({ changes, warnings, refusal, rules }) =>
      changes.length + warnings.length > 0 || refusal !== undefined || rules.some(isAbout),
  );
  if (active.length === 0) return <p class="soft">No step of admission changed or refused it.</p>;
  return (
    <details class="explain-steps" open={report.failure !== undefined}>
      <summary>
        Admission: {active.length} of {report.steps.length} steps did something
      </summary>
      <ol>
        {active.map((step, index) => (
          <Step key={index} step={step} failure={report.failure?.message} />
        ))}
      </ol>
    </details>
  );
}

/** Whether a webhook or policy is about such requests at all. */
const isAbout = ({ matched, why }: ReportedRule): boolean => matched || why !== "resourceRules";

function Step({
  step,
  failure,
}: {
  readonly step: ReportedStep;
  /** The message of the refused request, which is shown already. */
  readonly failure: string | undefined;
}): JSX.Element {
  const { name, phase, changes, warnings, refusal, rules } = step;
  return (
    <li>
      <Text value={name} /> <span class="soft">({phase})</span>
      {refusal ? (
        <>
          {" "}
          <Badge tone="bad">refused</Badge>{" "}
          {refusal.message === failure ? undefined : <Text value={refusal.message ?? refusal.reason ?? ""} />}
        </>
      ) : undefined}
      <ul>
        {rules.filter(isAbout).map((rule, index) => (
          <li key={index}>
            <Text value={rule.name} /> <span class="soft">of</span> <Text value={rule.source} />:{" "}
            {rule.matched ? (rule.result ?? "matched") : "does not match"}
            {rule.why === undefined || rule.why === refusal?.message ? undefined : (
              <>
                : <Text value={rule.why} />
              </>
            )}
            <Changes changes={rule.changes ?? []} />
          </li>
        ))}
      </ul>
      {rules.some((rule) => rule.changes) ? undefined : <Changes changes={changes} />}
      {warnings.map((warning, index) => (
        <p key={index} class="warning-line">
          Warning: <Text value={warning} />
        </p>
      ))}
    </li>
  );
}

const SIGNS = { add: "+", remove: "−", replace: "~" } as const;
const WORDS = { add: "added", remove: "removed", replace: "changed" } as const;
const MAX_CHANGES = 200;
const MAX_LENGTH = 160;

/** Differences, one in a line. */
export function Changes({ changes }: { readonly changes: readonly ReportedChange[] }): JSX.Element | null {
  if (changes.length === 0) return null;
  return (
    <ul class="changes">
      {changes.slice(0, MAX_CHANGES).map(({ op, pointer, before, after }, index) => (
        <li key={index} class={`change-${op}`}>
          <span aria-label={WORDS[op]}>{SIGNS[op]}</span> <Text value={pointer || "/"} class="pointer" />:{" "}
          <Text
            value={[before, after]
              .filter((value) => value !== undefined)
              .map(short)
              .join(" → ")}
          />
        </li>
      ))}
      {changes.length > MAX_CHANGES ? <li class="soft">{changes.length - MAX_CHANGES} more</li> : undefined}
    </ul>
  );
}

/** A value in one line. */
export function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
}
