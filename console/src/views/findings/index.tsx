import { signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { replayCommand } from "../../../../src/explore/contract/runs-named.ts";
import { describePlan } from "../../../../src/explore/perturbations/index.ts";
import { faultKinds } from "../../../../src/explore/report/kinds.ts";
import { durationText } from "../../../../src/util/duration.ts";
import { MAX_LENGTH, ParseFailure, parseInWorker } from "../../editor/yaml.ts";
import type { Value } from "../../../../src/value/value.ts";
import type { PlainRoute } from "../../state/route.ts";
import { Badge, Button, classes, EmptyState, ErrorBox, Text } from "../../ui/basics.tsx";
import { useTitle } from "../../ui/title.ts";
import { FileDrop, readFiles } from "../../ui/file-drop.tsx";
import { VirtualRows } from "../../ui/virtual-rows.tsx";
import { visible } from "../../ui/visible.ts";
import {
  actorOf,
  lanesOf,
  type Moment,
  type Opened,
  openedOf,
  type ShownFinding,
  type ShownLine,
  type TraceRow,
} from "./read.ts";
import "../../ui/views.css";
import "./findings.css";

/** The largest report in bytes. */
const MAX_REPORT = 16 * 1024 * 1024;

/** What is opened; it stays while other views are shown. */
const opened = signal<readonly Opened[]>([]);

/** The view of the route `explore`: what `keelson explore` has found, read from its files. Nothing of them runs. */
export default function FindingsView({ route }: { readonly route: PlainRoute }): JSX.Element {
  useTitle("Explore");
  const failure = useSignal<string | undefined>(undefined);
  const pasted = useSignal("");
  const open = async (read: () => Promise<readonly Opened[]>): Promise<void> => {
    failure.value = undefined;
    try {
      opened.value = await read();
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error);
    }
  };
  const openFiles = (files: readonly File[]): void =>
    void open(async () => {
      const all = await readFiles(files, MAX_REPORT);
      return Promise.all(all.map(({ name, text }) => readText(text, name)));
    });
  return (
    <div class="view findings" data-view={route.view}>
      <header class="view-head">
        <h1>Explore</h1>
        {opened.value.length === 0 ? undefined : (
          <Button
            onClick={() => {
              opened.value = [];
            }}
          >
            Close the files
          </Button>
        )}
      </header>
      <FileDrop label="Open findings" accept=".yaml,.yml,.json" onFiles={openFiles}>
        <span class="soft">or drop files of keelson explore here: findings, and reports of -o json</span>
      </FileDrop>
      <details class="findings-paste">
        <summary>Paste one</summary>
        <label class="field">
          <span>Finding or report</span>
          <textarea
            rows={6}
            spellcheck={false}
            value={pasted.value}
            onInput={(event) => {
              pasted.value = event.currentTarget.value;
            }}
          />
        </label>
        <Button
          disabled={pasted.value.trim() === ""}
          onClick={() => void open(async () => [await readText(pasted.value, "pasted.yaml")])}
        >
          Open
        </Button>
      </details>
      {failure.value === undefined ? undefined : (
        <ErrorBox title="The file could not be opened." status={{ message: failure.value }} />
      )}
      {opened.value.length === 0 && failure.value === undefined ? (
        <EmptyState title="No file is open.">
          <p>
            <code>keelson explore scenario.yaml -o json &gt; report.json</code> makes a report; each finding has a file
            of its own beside it.
          </p>
          <p>The page reads them. It runs nothing, and sends nothing to the server.</p>
        </EmptyState>
      ) : undefined}
      {opened.value.map((one, i) => (
        <OpenedFile key={i} opened={one} />
      ))}
    </div>
  );
}

/** Reads a text as a finding or a report; JSON of reports may be longer than YAML. */
async function readText(text: string, file: string): Promise<Opened> {
  try {
    return openedOf(await valueOf(text, file), file);
  } catch (error) {
    throw new ParseFailure(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

async function valueOf(text: string, file: string): Promise<Value> {
  if (text.length > MAX_LENGTH && text.trimStart().startsWith("{")) return JSON.parse(text) as Value;
  const [first, ...more] = await parseInWorker(text);
  if (!first || more.length > 0)
    throw new ParseFailure(`expected one document in ${file}, found ${first ? more.length + 1 : 0}`);
  return first.value;
}

function OpenedFile({ opened: { title, summary, findings } }: { readonly opened: Opened }): JSX.Element {
  return (
    <section class="opened" aria-label={visible(title)}>
      <h2>
        Exploration of <Text value={title} />
      </h2>
      {summary.map((sentence, i) => (
        <p key={i}>
          <Text value={sentence} />
        </p>
      ))}
      {findings.length === 0 ? <p class="soft">Nothing was found.</p> : undefined}
      {findings.map((shown, i) => (
        <FindingCard key={i} shown={shown} isOpen={i === 0} />
      ))}
    </section>
  );
}

function FindingCard({ shown, isOpen }: { readonly shown: ShownFinding; readonly isOpen: boolean }): JSX.Element {
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
        <Command text={replay} />
      )}
      {until === undefined ? undefined : (
        <>
          <p class="soft">It stops right before the write that differs:</p>
          <Command text={until} />
        </>
      )}
    </>
  );
}

function Command({ text }: { readonly text: string }): JSX.Element {
  return (
    <p class="row">
      <code class="finding-command">
        <Text value={text} />
      </code>
      <Button onClick={() => void navigator.clipboard.writeText(visible(text))}>Copy</Button>
    </p>
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

/** What happened, as lanes over the time and as a list; the one leads to the other. */
function Trace({ rows }: { readonly rows: readonly TraceRow[] }): JSX.Element {
  const lanes = useMemo(() => lanesOf(rows), [rows]);
  const chosen = useSignal<number | undefined>(undefined);
  const last = Math.max(1, ...rows.map(({ clean, run }) => (run ?? clean)?.at ?? 0));
  const one = chosen.value === undefined ? undefined : rows[chosen.value];
  const at = useMemo(() => new Map(rows.map(({ clean, run }, i) => [(run ?? clean)?.seq, i])), [rows]);
  return (
    <>
      <h3>Time line</h3>
      <div class="lanes" role="group" aria-label="What each program did over the time">
        {lanes.map(({ actor, moments }) => (
          <div key={actor} class="lane">
            <span class="lane-name">
              <Text class="cut" value={actor} />
            </span>
            <span class="lane-track">
              {thinned(moments).map((moment, i) => (
                <button
                  key={i}
                  type="button"
                  tabIndex={-1}
                  class={classes(
                    "moment",
                    `moment-${moment.kind}`,
                    `moment-${moment.side}`,
                    moment.isPerturbed && "moment-perturbed",
                    moment.isFirst && "moment-first",
                  )}
                  style={{ left: `${(moment.at / last) * 100}%` }}
                  title={`${durationText(Math.max(0, moment.at))} ${visible(moment.text)}`}
                  aria-label={`${durationText(Math.max(0, moment.at))} ${visible(moment.text)}`}
                  onClick={() => {
                    chosen.value = at.get(moment.seq);
                  }}
                />
              ))}
            </span>
          </div>
        ))}
        <div class="lane soft" aria-hidden="true">
          <span class="lane-name" />
          <span class="lane-track lane-axis">
            <span>0</span>
            <span>{durationText(last)}</span>
          </span>
        </div>
      </div>
      <p class="lane-chosen" aria-live="polite">
        {one ? (
          <Chosen row={one} />
        ) : (
          <span class="soft">
            Choose a moment above, or read them below: in order, the clean run and this one side by side.
          </span>
        )}
      </p>
      <VirtualRows
        class="trace"
        label="Clean run and this run"
        items={rows.map((row, i) => ({ row, i }))}
        height={26}
        keyOf={({ i }) => String(i)}
        render={({ row, i }) => <TraceLine row={row} isChosen={i === chosen.value} />}
      />
    </>
  );
}

/** The most buttons of a lane: of more, every n-th one, and all that matter. */
const MAX_MOMENTS = 400;

function thinned<T extends Moment & { readonly isFirst: boolean; readonly side: string }>(
  moments: readonly T[],
): readonly T[] {
  if (moments.length <= MAX_MOMENTS) return moments;
  const step = Math.ceil(moments.length / MAX_MOMENTS);
  return moments
    .filter((moment, i) => i % step === 0 || moment.isFirst || moment.isPerturbed)
    .slice(0, 2 * MAX_MOMENTS);
}

function Chosen({ row: { clean, run } }: { readonly row: TraceRow }): JSX.Element {
  const one = run ?? clean;
  if (!one) return <></>;
  return (
    <>
      <Badge tone={one.isPerturbed ? "warning" : "neutral"}>{actorOf(one)}</Badge> {durationText(Math.max(0, one.at))}:{" "}
      <Text value={[one.text, one.note].filter(Boolean).join("; ")} />{" "}
      <span class="soft">{clean && run ? "in both runs" : run ? "only in this run" : "only in the clean run"}</span>
    </>
  );
}

function TraceLine({
  row: { clean, run, isFirst },
  isChosen,
}: {
  readonly row: TraceRow;
  readonly isChosen: boolean;
}): JSX.Element {
  const side = clean && run ? "both" : run ? "run" : "clean";
  const cell = (moment: Moment | undefined): JSX.Element => (
    <span class="trace-cell">
      {moment ? (
        <>
          <span class="trace-time">{durationText(Math.max(0, moment.at))}</span>{" "}
          <Text class="cut" value={[moment.text, moment.note].filter(Boolean).join("; ")} />
        </>
      ) : undefined}
    </span>
  );
  return (
    <div
      class={classes(
        "trace-line",
        `trace-${side}`,
        isFirst && "trace-first",
        isChosen && "trace-chosen",
        (run ?? clean)?.isPerturbed && "trace-perturbed",
      )}
    >
      {cell(clean)}
      {cell(run)}
    </div>
  );
}
