import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { replayCommand } from "../../../../src/explore/contract/runs-named.ts";
import { describePlan } from "../../../../src/explore/perturbations/index.ts";
import { faultKinds } from "../../../../src/explore/report/kinds.ts";
import { Badge, Text } from "../../ui/basics.tsx";
import { CommandLine } from "../../ui/command-line.tsx";
import { visible } from "../../ui/visible.ts";
import type { ShownFinding, ShownLine } from "./read.ts";
import { Trace } from "./trace.tsx";

/** A finding: its sentence, and below it what happened. */
export function FindingCard({
  shown,
  isOpen,
}: {
  readonly shown: ShownFinding;
  readonly isOpen: boolean;
}): JSX.Element {
  const open = useSignal(isOpen);
  const { fault } = shown.finding;
  return (
    <details
      class="finding"
      open={isOpen}
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
    >
      <summary>
        <Badge tone={fault.severity === "fault" ? "bad" : "warning"}>{faultKinds[fault.kind].title}</Badge>{" "}
        <Text value={fault.sentence} />
      </summary>
      {open.value ? <FindingBody shown={shown} /> : undefined}
    </details>
  );
}

const PLACES = { clean: "only in the clean run", run: "only in this run", both: "with other contents" } as const;

function FindingBody({ shown }: { readonly shown: ShownFinding }): JSX.Element {
  const {
    finding,
    file = "FINDING",
    steps,
    rows,
    difference,
    state,
    knowledge,
    owners,
    output,
    command,
    until,
  } = shown;
  const { fault, replayed, seed, versions } = finding;
  const plan = useMemo(() => describePlan(finding.plan), [finding]);
  const replay = command ?? replayCommand(finding, file);
  return (
    <>
      <p>{faultKinds[fault.kind].meaning}</p>
      <p class="soft">
        shown {replayed.shown} of {replayed.of} times when it was played again, seed {seed}, keelson{" "}
        <Text value={versions.keelson} />
      </p>
      <h3>{plan.length === 0 ? "Nothing was perturbed" : "What went wrong"}</h3>
      <ul>
        {plan.map((sentence, i) => (
          <li key={i}>
            <Text value={sentence} />
          </li>
        ))}
      </ul>
      {steps.length === 0 ? undefined : (
        <>
          <h3>Steps</h3>
          <ol>
            {steps.map((step, i) => (
              <li key={i}>
                <Text value={step} />
              </li>
            ))}
          </ol>
        </>
      )}
      {difference ? (
        <>
          <h3>The first write that differs</h3>
          <p>
            <Text value={difference.text} />: {PLACES[difference.where]}
          </p>
          <Lines label="The first write that differs" lines={difference.lines} />
        </>
      ) : undefined}
      {state.length === 0 ? undefined : (
        <>
          <h3>Expected (−) and found (+)</h3>
          <Lines label="Expected and found" lines={state} />
        </>
      )}
      {knowledge ? (
        <>
          <h3>
            What <Text value={knowledge.actor} /> knew
          </h3>
          <ul>
            {knowledge.sights.map(({ object, text }, i) => (
              <li key={i}>
                <Text value={`${object}: ${text}`} />
              </li>
            ))}
          </ul>
        </>
      ) : undefined}
      {owners.length === 0 ? undefined : (
        <>
          <h3>Who owns it</h3>
          <ul>
            {owners.map(({ path, owners: all }, i) => (
              <li key={i}>
                <code>
                  <Text value={path} />
                </code>{" "}
                <Text value={all.map(({ manager, operation }) => `${manager} (${operation})`).join(", ")} />
              </li>
            ))}
          </ul>
        </>
      )}
      {rows.length === 0 ? undefined : <Trace rows={rows} />}
      {output.map(({ actor, lines }, i) => (
        <div key={i}>
          <h3>
            What <Text value={actor} /> printed
          </h3>
          <pre class="finding-output" tabIndex={0} aria-label="Output">
            {lines.map((one) => visible(one)).join("\n")}
          </pre>
        </div>
      ))}
      <h3>Play it again</h3>
      {replay === undefined ? (
        <p>
          The scenario is code of a test: call <code>replay()</code> of keelson/testing.
        </p>
      ) : (
        <CommandLine line={visible(replay)} />
      )}
      {until === undefined ? undefined : (
        <>
          <p class="soft">It stops right before the write that differs:</p>
          <CommandLine line={visible(until)} />
        </>
      )}
    </>
  );
}

const SIGNS = { "-": "minus", "+": "plus", " ": "same", gap: "gap" } as const;

function Lines({ lines, label }: { readonly lines: readonly ShownLine[]; readonly label: string }): JSX.Element {
  return (
    <pre class="finding-lines" tabIndex={0} aria-label={label}>
      {lines.map(({ sign, text }, i) => (
        <span key={i} class={`line-${SIGNS[sign]}`}>
          {sign === "gap" ? `… ${text}` : `${sign} ${visible(text)}`}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}
