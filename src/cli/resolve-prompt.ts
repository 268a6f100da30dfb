import { createInterface } from "node:readline";
import type { ApplyConflictReport, ConflictReport, ReportedManager } from "../meta/ownership-reports.ts";
import { type Choice, offersChoice } from "../client/objects/resolve.ts";
import { humanDuration, parseTime } from "../meta/time.ts";
import type { Value } from "../value/value.ts";
import type { Terminal } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { type Painter, printable } from "./colours.ts";

/** Choices by their letters; a capital letter is for this and all further fields of the object. */
const LETTERS: Readonly<Record<string, Choice>> = { k: "keep", t: "take", s: "share" };

/** Asks how to resolve conflicts, on standard input and standard error. */
export class Prompt implements Disposable {
  readonly #terminal: Terminal;
  readonly #paint: Painter;
  readonly #now: () => number;
  #lines: AsyncIterator<string> | undefined;
  #close: (() => void) | undefined;
  #introduced: ApplyConflictReport | undefined;
  #all: { readonly object: string; readonly choice: Choice } | undefined;

  constructor(terminal: Terminal, paint: Painter, now: () => number) {
    this.#terminal = terminal;
    this.#paint = paint;
    this.#now = now;
  }

  [Symbol.dispose](): void {
    this.#close?.();
  }

  /** Repeats the question until there is a valid answer. @throws CliError if the user quits or the input ends */
  async ask(conflict: ConflictReport, report: ApplyConflictReport): Promise<Choice> {
    const object = `${report.object.kind} ${report.object.name}`;
    const all = this.#all;
    if (all?.object === object && offersChoice(conflict, all.choice)) return all.choice;
    if (this.#introduced !== report) this.#introduce(report, object);
    this.#introduced = report;
    this.#describe(conflict);
    const offered = (["keep", "take", "share"] as const).filter((choice) => offersChoice(conflict, choice));
    const words = { keep: "[k]eep theirs", take: "[t]ake over", share: "[s]hare" };
    const question = `  ${offered.map((choice) => words[choice]).join(", ")}, [q]uit; a capital letter for all: `;
    for (;;) {
      this.#terminal.tell(question);
      const answer = (await this.#line()).trim();
      // Input that is not a terminal has no echo.
      if (this.#terminal.input.isTTY !== true) this.#terminal.tell(`${answer}\n`);
      if (answer === "q" || answer === "Q") throw new CliError(`${object} was not applied`);
      const choice = LETTERS[answer.toLowerCase()] ?? offered.find((one) => one === answer);
      if (choice === undefined || !offered.includes(choice)) continue;
      if (answer.length === 1 && answer !== answer.toLowerCase()) this.#all = { object, choice };
      return choice;
    }
  }

  #introduce({ conflicts }: ApplyConflictReport, object: string): void {
    const count = conflicts.length === 1 ? "one field" : `${conflicts.length} fields`;
    this.#terminal.tell(`${this.#paint("bold", printable(object))}: others own ${count} that you would change\n`);
  }

  #describe({ field, current, proposed, owners }: ConflictReport): void {
    const lines = [
      this.#paint("bold", printable(field)),
      `  now       ${this.#paint("red", short(current))}`,
      `  proposed  ${this.#paint("green", short(proposed))}`,
      ...owners.map((owner, i) => `  ${i === 0 ? "owned by" : "        "}  ${this.#owner(owner)}`),
    ];
    this.#terminal.tell(`\n${lines.join("\n")}\n`);
  }

  #owner({ manager, operation, subresource, time }: ReportedManager): string {
    const written = time === undefined ? undefined : parseTime(time);
    const age = written === undefined ? "" : `, ${humanDuration(Math.max(0, this.#now() - written))} ago`;
    const what = subresource ? `${operation} ${printable(subresource)}` : operation;
    return `${this.#paint("cyan", printable(manager))} (${what}${age})`;
  }

  async #line(): Promise<string> {
    if (this.#lines === undefined) {
      const reader = createInterface({ input: this.#terminal.input, terminal: false, crlfDelay: Infinity });
      this.#lines = reader[Symbol.asyncIterator]();
      this.#close = () => reader.close();
    }
    const { done, value } = await this.#lines.next();
    if (done === true) {
      this.#terminal.tell("\n");
      throw new CliError(
        "expected an answer, the input has ended; nothing more was applied (--yes answers for all fields)",
      );
    }
    return value;
  }
}

const MAX_VALUE_LENGTH = 200;

/** Formats a value on one line. */
function short(value: Value | undefined): string {
  if (value === undefined) return "(none)";
  const text = printable(JSON.stringify(value));
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}
