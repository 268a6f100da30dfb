import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { type Choice, offersChoice } from "../../../src/client/objects/resolve.ts";
import type { ApplyConflictReport, ConflictReport } from "../../../src/meta/ownership-reports.ts";
import { Age, Button, Text } from "../ui/basics.tsx";
import { visible } from "../ui/visible.ts";

/** What was decided, by the names of fields. */
export type Choices = Readonly<Record<string, Choice>>;

/** The most conflicts that are shown; of more, the rest is decided as one. */
const MAX_CONFLICTS = 100;
const CHOICES = ["keep", "take", "share"] as const;
const WORDS = { keep: "Keep theirs", take: "Take over", share: "Share" } as const;

/** Conflicts of an apply side by side: what is there, what is proposed, whose it is, and what to do. */
export function Conflicts({
  report,
  choices,
}: {
  readonly report: ApplyConflictReport;
  readonly choices: Signal<Choices>;
}): JSX.Element {
  const { conflicts } = report;
  const all = (choice: Choice): void => {
    choices.value = {
      ...choices.value,
      ...Object.fromEntries(
        conflicts.filter((conflict) => offersChoice(conflict, choice)).map(({ field }) => [field, choice] as const),
      ),
    };
  };
  return (
    <section class="conflicts" aria-label="Conflicts">
      <p>
        Others own {conflicts.length === 1 ? "a field" : `${conflicts.length} fields`} that you would change. Decide for
        each of them.
      </p>
      {conflicts.length > 1 ? (
        <div class="row" role="group" aria-label="Decide all">
          {CHOICES.filter((choice) => conflicts.some((conflict) => offersChoice(conflict, choice))).map((choice) => (
            <Button key={choice} onClick={() => all(choice)}>
              {WORDS[choice]}: all
            </Button>
          ))}
        </div>
      ) : undefined}
      {conflicts.slice(0, MAX_CONFLICTS).map((conflict) => (
        <Conflict key={conflict.field} conflict={conflict} choices={choices} />
      ))}
      {conflicts.length > MAX_CONFLICTS ? (
        <p class="soft">
          {conflicts.length - MAX_CONFLICTS} more are not shown. Decide all of them above, or change fewer fields.
        </p>
      ) : undefined}
    </section>
  );
}

function Conflict({
  conflict,
  choices,
}: {
  readonly conflict: ConflictReport;
  readonly choices: Signal<Choices>;
}): JSX.Element {
  const { field, current, proposed, owners, waysOut } = conflict;
  return (
    <fieldset class="conflict">
      <legend>
        <Text value={field} class="pointer" />
      </legend>
      <div class="conflict-sides">
        <div class="conflict-side">
          <p class="soft">
            now, of{" "}
            {owners.map(({ manager, operation, time }, index) => (
              <span key={index}>
                {index > 0 ? ", " : ""}
                <Text value={manager} /> ({operation}
                {time === undefined ? (
                  ""
                ) : (
                  <>
                    , <Age time={time} /> ago
                  </>
                )}
                )
              </span>
            ))}
          </p>
          <pre class="side-value">{valueText(current)}</pre>
        </div>
        <div class="conflict-side">
          <p class="soft">proposed by you</p>
          <pre class="side-value">{valueText(proposed)}</pre>
        </div>
      </div>
      {CHOICES.map((choice) => {
        const way = waysOut.find((one) => one.choice === choice);
        if (!way) return undefined;
        const offered = offersChoice(conflict, choice);
        return (
          <label key={choice} class="conflict-choice">
            <input
              type="radio"
              name={`conflict ${field}`}
              value={choice}
              disabled={!offered}
              checked={choices.value[field] === choice}
              onChange={() => {
                choices.value = { ...choices.value, [field]: choice };
              }}
            />{" "}
            <strong>{WORDS[choice]}</strong>:{" "}
            {offered ? way.does : "the field is not in the text in this form; change the text"}
          </label>
        );
      })}
    </fieldset>
  );
}

const MAX_LENGTH = 4000;

function valueText(value: unknown): string {
  if (value === undefined) return "(none)";
  const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
  return text.length > MAX_LENGTH ? `${lines(text.slice(0, MAX_LENGTH))}…` : lines(text);
}

/** A text of lines in which every character is seen. */
const lines = (text: string): string => text.split("\n").map(visible).join("\n");
