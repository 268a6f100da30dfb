import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import type { Kind } from "../../api/discovery.ts";
import { request } from "../../api/http.ts";
import { Button, Text } from "../../ui/basics.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { bulkRequest, runBulk, type BulkAction, type BulkProgress } from "./bulk-run.ts";
import type { Selected } from "./selection.ts";

/** What a dialog asks about. */
export type BulkType = BulkAction["type"];

const TITLES = { delete: "Delete", label: "Label", annotate: "Annotate" } as const;
/** So many names are shown before the question. */
const MOST_NAMES = 8;

/** Asks what is done with the selected objects, does it, and shows what failed. */
export function BulkDialog({
  type,
  kind,
  objects,
  onDone,
  onClose,
}: {
  readonly type: BulkType;
  readonly kind: Kind;
  readonly objects: readonly Selected[];
  /** It was done with these objects. */
  readonly onDone: (objects: readonly Selected[]) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const progress = useSignal<BulkProgress | undefined>(undefined);
  const propagation = useSignal<"Background" | "Foreground" | "Orphan">("Background");
  const key = useSignal("");
  const value = useSignal("");
  const remove = useSignal(false);
  const aborter = useRef(new AbortController());
  useEffect(() => () => aborter.current.abort(), []);
  const what = objects.length === 1 ? `1 ${kind.kind}` : `${objects.length} objects (${kind.resource})`;
  const runs = progress.value !== undefined && progress.value.done < progress.value.of;
  const form = useId();
  const ready = type === "delete" || key.value.trim() !== "";

  const run = async (): Promise<void> => {
    const action: BulkAction =
      type === "delete"
        ? { type, propagation: propagation.value }
        : { type, key: key.value.trim(), value: remove.value ? null : value.value };
    progress.value = { done: 0, of: objects.length, failures: [] };
    const result = await runBulk(
      objects,
      (object) => {
        const { path, options } = bulkRequest(kind, action, object);
        return request(path, { ...options, signal: aborter.current.signal });
      },
      (state) => {
        progress.value = state;
      },
      { isDelete: type === "delete", signal: aborter.current.signal },
    );
    onDone(result.succeeded);
    if (result.failures.length === 0 && result.done === result.of) onClose();
  };

  const actions =
    progress.value === undefined ? (
      <Button kind={type === "delete" ? "danger" : "primary"} type="submit" form={form} disabled={!ready}>
        {TITLES[type]} {what}
      </Button>
    ) : undefined;
  return (
    <Dialog title={`${TITLES[type]} ${what}`} onClose={onClose} actions={actions}>
      {progress.value === undefined ? (
        <form
          id={form}
          onSubmit={(event) => {
            event.preventDefault();
            if (ready) void run();
          }}
        >
          <Names objects={objects} />
          {type === "delete" ? (
            <label class="field">
              Objects that they own
              <select
                class="select"
                value={propagation.value}
                onChange={({ currentTarget }) => {
                  propagation.value = currentTarget.value as typeof propagation.value;
                }}
              >
                <option value="Background">are deleted afterwards</option>
                <option value="Foreground">are deleted first</option>
                <option value="Orphan">stay, without an owner</option>
              </select>
            </label>
          ) : (
            <>
              <label class="field">
                Key
                <input
                  class="input"
                  value={key.value}
                  required
                  maxLength={317}
                  spellcheck={false}
                  placeholder="example.com/team"
                  onInput={({ currentTarget }) => {
                    key.value = currentTarget.value;
                  }}
                />
              </label>
              <label class="field">
                Value
                <input
                  class="input"
                  value={value.value}
                  disabled={remove.value}
                  spellcheck={false}
                  onInput={({ currentTarget }) => {
                    value.value = currentTarget.value;
                  }}
                />
              </label>
              <label class="row">
                <input
                  type="checkbox"
                  checked={remove.value}
                  onChange={({ currentTarget }) => {
                    remove.value = currentTarget.checked;
                  }}
                />
                Remove it
              </label>
            </>
          )}
        </form>
      ) : (
        <>
          <p role="status">
            {progress.value.done} of {progress.value.of} done
            {progress.value.failures.length > 0 ? `, ${progress.value.failures.length} failed` : ""}
            {runs ? "…" : "."}
          </p>
          <progress aria-label="Objects that are done" value={progress.value.done} max={progress.value.of} />
          {progress.value.failures.length > 0 ? (
            <ul class="error-box">
              {progress.value.failures.slice(0, 50).map(({ object, message }) => (
                <li key={object.uid}>
                  <b>
                    <Text value={object.namespace === "" ? object.name : `${object.namespace}/${object.name}`} />
                  </b>
                  : <Text value={message} />
                </li>
              ))}
              {progress.value.failures.length > 50 ? (
                <li>and {progress.value.failures.length - 50} more</li>
              ) : undefined}
            </ul>
          ) : undefined}
        </>
      )}
    </Dialog>
  );
}

function Names({ objects }: { readonly objects: readonly Selected[] }): JSX.Element {
  return (
    <ul class="bulk-names">
      {objects.slice(0, MOST_NAMES).map(({ uid, namespace, name }) => (
        <li key={uid}>
          <Text value={namespace === "" ? name : `${namespace}/${name}`} />
        </li>
      ))}
      {objects.length > MOST_NAMES ? <li>and {objects.length - MOST_NAMES} more</li> : undefined}
    </ul>
  );
}
