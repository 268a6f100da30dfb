import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { type ObjectRef, historyOf } from "../../../../src/client/objects/history.ts";
import { type Undeleted, undelete } from "../../../../src/client/objects/undelete.ts";
import type { HistoryReport, ReportedVersion } from "../../../../src/meta/history-report.ts";
import type { Status } from "../../../../src/meta/status.ts";
import type { Value } from "../../../../src/value/value.ts";
import { FIELD_MANAGER } from "../../api/kube.ts";
import { can } from "../../api/rights.ts";
import { client, servedKind, statusOf } from "../../editor/client.ts";
import { Difference } from "../../editor/difference.tsx";
import { Changes } from "../../editor/explain-steps.tsx";
import { plainText } from "../../editor/owners.ts";
import { inPageSlices } from "../../ui/sliced.ts";
import { Age, Badge, Button, EmptyState, ErrorBox, Loading, Text } from "../../ui/basics.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useIsShown } from "../../ui/is-shown.ts";
import { toast } from "../../ui/toast.tsx";
import type { ObjectKey, ObjectState } from "./model.ts";

/** How many versions are asked for at first; more when the user wants them. */
const LIMIT = 50;
const MAX_LIMIT = 500;
const TONES = { created: "good", updated: "info", deleted: "bad", kept: "neutral" } as const;

/** The versions of an object on a time line, with what each has changed, and the difference of any two. */
export function HistoryTab({
  of,
  state,
  onRestore,
  onBack,
}: {
  readonly of: ObjectKey;
  readonly state: ObjectState;
  /** Edits the object with what it was at a version; absent if the user may not edit it. */
  readonly onRestore: ((version: Value) => void) | undefined;
  /** The object is there again. */
  readonly onBack: () => void;
}): JSX.Element {
  const { kind, namespace, name } = of;
  const ref: ObjectRef = { client, kind: servedKind(kind), name, namespace };
  const report = useSignal<HistoryReport | undefined>(undefined);
  const failure = useSignal<Pick<Status, "message" | "reason" | "details"> | undefined>(undefined);
  const limit = useSignal(LIMIT);
  const from = useSignal<string | undefined>(undefined);
  const to = useSignal<string | undefined>(undefined);
  const lost = useSignal<Undeleted | undefined>(undefined);
  const busy = useSignal(false);
  const turn = useSignal(0);
  const isShown = useIsShown();
  // What was last seen of an object that is gone has the version from before.
  const version = `${state.state === "gone" ? "gone since " : ""}${state.report?.object.resourceVersion ?? state.state}`;
  useEffect(() => {
    let closed = false;
    historyOf(ref, { limit: limit.value }).then(
      (found) => {
        if (closed) return;
        report.value = found;
        failure.value = undefined;
      },
      (error: unknown) => {
        if (!closed) failure.value = statusOf(error);
      },
    );
    return () => {
      closed = true;
    };
  }, [version, limit.value, turn.value, name, namespace, kind]);

  if (failure.value)
    return (
      <ErrorBox title="The history cannot be read." status={failure.value}>
        <Button
          onClick={() => {
            turn.value++;
          }}
        >
          Try again
        </Button>
      </ErrorBox>
    );
  if (!report.value) return <Loading what="the history" />;
  const { versions, more, since } = report.value;
  if (versions.length === 0) return <EmptyState title="The history has no version of this object." />;
  const isGone = versions[0]?.event === "deleted" && state.state === "gone";
  // Until the server has answered, nothing is offered.
  const mayCreate = isGone ? can("create", kind, namespace).value : undefined;
  const chosen = to.value ?? versions[0]!.resourceVersion;
  const index = versions.findIndex(({ resourceVersion }) => resourceVersion === chosen);
  const before = from.value ?? versions[index + 1]?.resourceVersion;

  const bringBack = async (dryRun: boolean, at?: string): Promise<void> => {
    busy.value = true;
    try {
      const back = await undelete(ref, { version: at, fieldManager: FIELD_MANAGER, dryRun });
      if (dryRun) lost.value = back;
      else {
        lost.value = undefined;
        toast(`${name} was restored.`, "good");
        onBack();
      }
    } catch (error) {
      toast(`${name} was not restored: ${statusOf(error).message ?? ""}`, "bad");
    } finally {
      busy.value = false;
    }
  };
  const restore = async (at: string): Promise<void> => {
    try {
      const object = await objectAt(ref, at);
      if (isShown.current) onRestore?.(object);
    } catch (error) {
      toast(`Version ${at} cannot be read: ${statusOf(error).message ?? ""}`, "bad");
    }
  };

  return (
    <div class="history">
      <div class="history-list">
        {isGone ? (
          <div class="row history-gone">
            <p>The object is deleted. {mayCreate === false ? "You may not create it again." : undefined}</p>
            {mayCreate ? (
              <Button kind="primary" disabled={busy.value} onClick={() => void bringBack(true)}>
                Undelete…
              </Button>
            ) : undefined}
          </div>
        ) : undefined}
        <ol class="time-line" aria-label="Versions, newest first">
          {versions.map((one) => (
            <Version
              key={one.resourceVersion + one.event}
              version={one}
              isTo={one.resourceVersion === chosen}
              isFrom={one.resourceVersion === before}
              onTo={() => {
                to.value = one.resourceVersion;
                from.value = undefined;
              }}
              onFrom={() => {
                from.value = one.resourceVersion;
              }}
              onRestore={
                isGone || !onRestore || one.event === "deleted" ? undefined : () => void restore(one.resourceVersion)
              }
            />
          ))}
        </ol>
        {more && limit.value < MAX_LIMIT ? (
          <Button
            onClick={() => {
              limit.value = Math.min(MAX_LIMIT, limit.value * 4);
            }}
          >
            Show older versions
          </Button>
        ) : versions.at(-1)!.event === "created" ? undefined : (
          <p class="soft">What was before{since === undefined ? "" : ` version ${since}`} is not kept any more.</p>
        )}
      </div>
      <div class="history-difference">
        {before === undefined ? (
          <p class="soft">Version {chosen} is the oldest one that is kept.</p>
        ) : (
          <Versions
            of={ref}
            from={before}
            to={chosen}
            deleted={versions.flatMap(({ event, resourceVersion }) => (event === "deleted" ? [resourceVersion] : []))}
          />
        )}
      </div>
      {lost.value ? (
        <Dialog
          title={`Undelete ${name}`}
          onClose={() => {
            lost.value = undefined;
          }}
          actions={
            <Button kind="primary" disabled={busy.value} onClick={() => void bringBack(false)}>
              Undelete
            </Button>
          }
        >
          <p>
            It comes back as it was{" "}
            {lost.value.from.event === "deleted"
              ? "when it was deleted"
              : `at version ${lost.value.from.resourceVersion}`}
            . What cannot come back:
          </p>
          <ul>
            {lost.value.losses.map(({ what, why }, at) => (
              <li key={at}>
                <Text value={what} />: <Text value={why} />
              </li>
            ))}
          </ul>
        </Dialog>
      ) : undefined}
    </div>
  );
}

function Version({
  version,
  isTo,
  isFrom,
  onTo,
  onFrom,
  onRestore,
}: {
  readonly version: ReportedVersion;
  readonly isTo: boolean;
  readonly isFrom: boolean;
  readonly onTo: () => void;
  readonly onFrom: () => void;
  readonly onRestore: (() => void) | undefined;
}): JSX.Element {
  const { resourceVersion, event, time, managers, changes } = version;
  return (
    <li class={isTo ? "version version-to" : isFrom ? "version version-from" : "version"}>
      <div class="row">
        <button type="button" class="version-pick" aria-pressed={isTo} onClick={onTo}>
          Version {resourceVersion}
        </button>
        <Badge tone={TONES[event]}>{event}</Badge>
        {time === undefined ? undefined : (
          <span class="soft">
            <Age time={time} /> ago
          </span>
        )}
        {managers.map(({ manager, operation, subresource }, index) => (
          <span key={index}>
            by <Text value={manager} />{" "}
            <span class="soft">({subresource ? `${operation} ${subresource}` : operation})</span>
          </span>
        ))}
      </div>
      {changes.length > 0 ? (
        <Changes changes={changes.slice(0, 8)} />
      ) : event === "updated" ? (
        <p class="soft">only the owners of fields</p>
      ) : undefined}
      {changes.length > 8 ? <p class="soft">{changes.length - 8} more changes</p> : undefined}
      <div class="row">
        {isTo ? undefined : (
          <Button kind="quiet" onClick={onFrom} aria-pressed={isFrom}>
            {isFrom ? "Compared with this" : "Compare with this"}
            <span class="unseen"> version {resourceVersion}</span>
          </Button>
        )}
        {onRestore ? (
          <Button kind="quiet" onClick={onRestore}>
            Restore as an edit
            <span class="unseen"> version {resourceVersion}</span>
          </Button>
        ) : undefined}
      </div>
    </li>
  );
}

/** The object at a version. */
async function objectAt(ref: ObjectRef, at: string): Promise<Value> {
  const { versions } = await historyOf(ref, { at, objects: true });
  const object = versions[0]?.object;
  if (object === undefined) throw new Error("it is no longer in the history");
  return object;
}

/** The text of a version, to compare it. */
async function textAt(ref: ObjectRef, at: string): Promise<string> {
  return inPageSlices(plainText(await objectAt(ref, at), { unreported: true }));
}

function Versions({
  of,
  from,
  to,
  deleted,
}: {
  readonly of: ObjectRef;
  readonly from: string;
  readonly to: string;
  /** The versions that are deletes: there is no object at them. */
  readonly deleted: readonly string[];
}): JSX.Element {
  const texts = useSignal<{ readonly key: string; readonly before: string; readonly after: string } | undefined>(
    undefined,
  );
  const failure = useSignal<Pick<Status, "message" | "reason" | "details"> | undefined>(undefined);
  const key = `${from} ${to}`;
  useEffect(() => {
    let closed = false;
    failure.value = undefined;
    const read = async (at: string): Promise<string> => (deleted.includes(at) ? "" : textAt(of, at));
    Promise.all([read(from), read(to)]).then(
      ([before, after]) => {
        if (!closed) texts.value = { key, before, after };
      },
      (error: unknown) => {
        if (!closed) failure.value = statusOf(error);
      },
    );
    return () => {
      closed = true;
    };
  }, [key, of.name, of.namespace]);
  const shown = texts.value;
  if (failure.value) return <ErrorBox title="The versions cannot be compared." status={failure.value} />;
  if (shown?.key !== key) return <Loading what="the versions" />;
  return (
    <section aria-label="Difference">
      <h2>
        From version {from} to version {to}
      </h2>
      {shown.before === shown.after ? (
        <p class="soft">Only the owners of fields differ.</p>
      ) : (
        <Difference
          label={`Difference from version ${from} to version ${to}`}
          before={shown.before}
          after={shown.after}
        />
      )}
    </section>
  );
}
