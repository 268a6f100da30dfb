import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { PlannedDocument, PlanReport } from "../../../../src/meta/plan-report.ts";
import { kindOfObject } from "../../api/discovery.ts";
import { href, objectRoute } from "../../state/route.ts";
import { Badge, ErrorBox, Text, type Tone } from "../../ui/basics.tsx";
import { VirtualRows } from "../../ui/virtual-rows.tsx";
import { countsOf, MOVES, nameOf, restartText, valueText } from "./report.ts";

const TONES: Readonly<Record<PlannedDocument["result"], readonly [Tone, string]>> = {
  created: ["good", "+ created"],
  changed: ["info", "~ changed"],
  deleted: ["warning", "− deleted"],
  unchanged: ["neutral", "= unchanged"],
  refused: ["bad", "! refused"],
};

/** The most documents whose changes stand open in the page; of more the changed ones are opened one by one. */
const MAX_OPEN = 50;

/** What a plan changes, refuses, breaks and restarts. */
export function Report({
  report,
  from,
}: {
  readonly report: PlanReport;
  /** The file of a saved plan. */
  readonly from: string | undefined;
}): JSX.Element {
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
  const open = useSignal(isOpen);
  const [tone, text] = TONES[document.result];
  return (
    <details
      class="plan-document"
      open={isOpen}
      data-result={document.result}
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
    >
      <summary>
        <Badge tone={tone}>{text}</Badge> <Text value={nameOf(document)} />
      </summary>
      {open.value ? <DocumentBody document={document} /> : undefined}
    </details>
  );
}

function DocumentBody({ document }: { readonly document: PlannedDocument }): JSX.Element {
  const { changes = [], lost = [], warnings, moved, refusedBy, status, changesLeftOut, object } = document;
  const kind = object && kindOfObject(object.apiVersion, object.kind);
  return (
    <>
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
    </>
  );
}
