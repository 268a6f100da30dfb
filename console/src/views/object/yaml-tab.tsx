import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { CodeBox } from "../../editor/code-box.tsx";
import type { OwnedView } from "../../editor/owned-view.ts";
import { type LegendEntry, type LineOwner, ownerText } from "../../editor/owners.ts";
import { now } from "../../state/clock.ts";
import { Button, Loading, Text, classes } from "../../ui/basics.tsx";
import { visible } from "../../ui/visible.ts";
import type { ObjectState } from "./model.ts";

/** The object in YAML, with the owner of each line. */
export function YamlTab({ state, name }: { readonly state: ObjectState; readonly name: string }): JSX.Element {
  const view = useRef<OwnedView | undefined>(undefined);
  const shown = useRef<ObjectState["owned"]>(undefined);
  const legend = useSignal<readonly LegendEntry[]>([]);
  const only = useSignal<string | undefined>(undefined);
  const line = useSignal<{ readonly owner: LineOwner; readonly line: number } | undefined>(undefined);
  const { owned, report } = state;
  shown.current = owned;
  useEffect(() => {
    if (owned && view.current) legend.value = view.current.show(owned, Date.now());
  }, [owned]);
  const choose = (manager: string | undefined): void => {
    only.value = manager;
    view.current?.only(manager);
  };
  return (
    <div class="yaml-tab">
      <div class="legend row" role="group" aria-label="Managers: show only the lines of one">
        {legend.value.map(({ manager, sign, colour, lines, operations }) => (
          <button
            key={manager}
            type="button"
            class={classes("legend-entry", only.value === manager && "legend-chosen")}
            aria-pressed={only.value === manager}
            title={visible(`${manager}: ${operations.join(", ")}`)}
            onClick={() => choose(only.value === manager ? undefined : manager)}
          >
            <span class={`owner-sign owner-${colour}`} aria-hidden="true">
              {sign}
            </span>
            <Text value={manager} class="legend-name" />
            <span class="soft">{lines}</span>
          </button>
        ))}
        {only.value === undefined ? undefined : (
          <Button kind="quiet" onClick={() => choose(undefined)}>
            Show all lines
          </Button>
        )}
      </div>
      {owned ? undefined : <Loading what={name} />}
      <CodeBox
        of={[]}
        class="code-fill"
        make={({ ownedView }, parent) => {
          const made = ownedView(parent, `YAML of ${name}, with owners`, (owner, number) => {
            line.value = { owner, line: number };
          });
          view.current = made;
          if (shown.current) legend.value = made.show(shown.current, Date.now());
          return made;
        }}
      />
      <p class="line-owner" aria-live="polite">
        {line.value ? (
          <LineText owner={line.value.owner} line={line.value.line} />
        ) : (
          "Move the cursor to a line to see who owns it."
        )}
      </p>
      {report && report.absent.length > 0 ? (
        <details class="absent">
          <summary>{report.absent.length} owned fields that the object does not have</summary>
          <ul>
            {report.absent.slice(0, 200).map(({ field, manager }, index) => (
              <li key={index}>
                <Text value={field} /> <span class="soft">of</span> <Text value={manager.manager} />
              </li>
            ))}
          </ul>
        </details>
      ) : undefined}
    </div>
  );
}

function LineText({ owner, line }: { readonly owner: LineOwner; readonly line: number }): JSX.Element {
  return (
    <>
      Line {line}, <code class="pointer">{owner.pointer}</code>: {ownerText(owner, now.value)}
    </>
  );
}
