/**
 * Reads what is typed into the terminal of a page: a small part of a shell. Words with quotes, variables and comments; pipes;
 * `;`, `&&`, `||` and line breaks; `<`, `>`, `>>`, `2>`, `2>&1` and texts after `<<EOF`.
 *
 * It is one pass over the text. What a shell has beside that (loops, functions, jobs, `$(...)`) is an error that names it.
 *
 * @module
 */

/** A part of a word: text, or the name of a variable whose value takes its place. */
export type Part = { readonly text: string } | { readonly variable: string };

/** A word, before variables have their values. */
export interface Word {
  readonly parts: readonly Part[];
  /** Whether any of it was quoted: then it stays a word when it is empty. */
  readonly isQuoted: boolean;
}

/** Where input comes from or output goes to. */
export interface Redirect {
  readonly type: "<" | ">" | ">>" | "2>" | "2>&1" | "<<";
  /** The file; the text itself for `<<`; empty for `2>&1`. */
  readonly target: Word;
}

/** One program with its words. */
export interface SimpleCommand {
  readonly assignments: readonly { readonly name: string; readonly value: Word }[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
}

/** Programs whose output is the input of the next, and when they run. */
export interface Pipeline {
  /** Whether it runs always, after success of the one before, or after its failure. */
  readonly runs: "always" | "after success" | "after failure";
  readonly commands: readonly SimpleCommand[];
}

/** Says what is not a line of this shell. */
export class ShellError extends Error {}

/** Says that more has to be typed: a quote is open, or a text after `<<` has not ended. */
export class UnfinishedError extends ShellError {}

/** The longest text that is read. */
export const MAX_SCRIPT = 1 << 16;
/** The most pipelines of a text. */
const MAX_PIPELINES = 1000;

const NAME = /^[A-Za-z_]\w*$/;
const isNameUnit = (unit: string | undefined): boolean => unit !== undefined && /\w/.test(unit);
/** Words that begin what this shell does not have. */
const ABSENT = new Set(["if", "for", "while", "until", "case", "function", "select", "{", "("]);

/** Reads a text; the pipelines in their order. @throws ShellError */
export function parseScript(text: string): readonly Pipeline[] {
  if (text.length > MAX_SCRIPT) throw new ShellError(`expected at most ${MAX_SCRIPT} characters, got ${text.length}`);
  return new Reader(text).pipelines();
}

class Reader {
  readonly #text: string;
  #at = 0;
  /** Texts after `<<` whose lines come after this line. */
  readonly #pending: { readonly end: string; readonly isPlain: boolean; readonly take: (word: Word) => void }[] = [];

  constructor(text: string) {
    this.#text = text.replaceAll("\r\n", "\n");
  }

  pipelines(): readonly Pipeline[] {
    const found: Pipeline[] = [];
    let runs: Pipeline["runs"] = "always";
    for (;;) {
      this.#skipBlank();
      const end = this.#operator();
      if (end === undefined) {
        const commands = this.#pipeline();
        found.push({ runs, commands });
        if (found.length > MAX_PIPELINES) throw new ShellError(`expected at most ${MAX_PIPELINES} commands in a text`);
        runs = "always";
        continue;
      }
      if (end === "") return found;
      if (end === "&&" || end === "||") {
        if (found.length === 0) throw new ShellError(`expected a command before ${end}`);
        runs = end === "&&" ? "after success" : "after failure";
        this.#skipLines();
      }
    }
  }

  #pipeline(): readonly SimpleCommand[] {
    const commands = [this.#command()];
    for (;;) {
      this.#skipBlank();
      if (this.#text[this.#at] !== "|" || this.#text[this.#at + 1] === "|") return commands;
      this.#at++;
      this.#skipBlank();
      this.#skipLines();
      commands.push(this.#command());
    }
  }

  #command(): SimpleCommand {
    const words: Word[] = [];
    const assignments: { name: string; value: Word }[] = [];
    const redirects: Redirect[] = [];
    for (;;) {
      this.#skipBlank();
      const unit = this.#text[this.#at];
      if (unit === undefined || "\n;|&)".includes(unit)) break;
      if (unit === "(") throw new ShellError("expected a command: this terminal has no ( )");
      const redirect = this.#redirect(redirects);
      if (redirect) continue;
      const word = this.#word();
      const assigned = words.length === 0 ? assignmentOf(word) : undefined;
      if (assigned) assignments.push(assigned);
      else words.push(word);
    }
    const [first] = words;
    const name =
      first && !first.isQuoted && first.parts.length === 1 && "text" in first.parts[0]! ? first.parts[0].text : "";
    if (ABSENT.has(name)) throw new ShellError(`expected a command: this terminal has no ${name}`);
    if (words.length + assignments.length + redirects.length === 0) {
      throw new ShellError(`expected a command, found ${JSON.stringify(this.#text[this.#at] ?? "the end")}`);
    }
    return { assignments, words, redirects };
  }

  /** Reads what sends input or output elsewhere, where there is such. */
  #redirect(into: Redirect[]): boolean {
    const rest = this.#text.slice(this.#at, this.#at + 5);
    if (rest.startsWith("2>&1")) {
      this.#at += 4;
      into.push({ type: "2>&1", target: { parts: [], isQuoted: false } });
      return true;
    }
    if (rest.startsWith("<<")) {
      this.#at += rest.startsWith("<<-") ? 3 : 2;
      this.#skipBlank();
      const word = this.#word();
      const end = word.parts.map((part) => ("text" in part ? part.text : `$${part.variable}`)).join("");
      const place = into.push({ type: "<<", target: word }) - 1;
      this.#pending.push({
        end,
        isPlain: word.isQuoted,
        take: (target) => void (into[place] = { type: "<<", target }),
      });
      return true;
    }
    const type = (["2>", ">>", ">", "<"] as const).find((one) => rest.startsWith(one));
    if (type === undefined) return false;
    this.#at += type.length;
    this.#skipBlank();
    into.push({ type, target: this.#word() });
    return true;
  }

  #word(): Word {
    const parts: Part[] = [];
    let text = "";
    let isQuoted = false;
    const flush = (): void => {
      if (text !== "") parts.push({ text });
      text = "";
    };
    const variable = (): void => {
      const name = this.#variable();
      if (name === undefined) text += "$";
      else {
        flush();
        parts.push({ variable: name });
      }
    };
    for (;;) {
      const unit = this.#text[this.#at];
      if (unit === undefined || " \t\n;|&<>()".includes(unit)) break;
      this.#at++;
      if (unit === "\\") {
        const next = this.#text[this.#at++];
        if (next !== "\n") text += next ?? "\\";
      } else if (unit === "'") {
        isQuoted = true;
        const end = this.#text.indexOf("'", this.#at);
        if (end < 0) throw new UnfinishedError("expected a closing '");
        text += this.#text.slice(this.#at, end);
        this.#at = end + 1;
      } else if (unit === '"') {
        isQuoted = true;
        for (;;) {
          const inner = this.#text[this.#at++];
          if (inner === undefined) throw new UnfinishedError('expected a closing "');
          if (inner === '"') break;
          if (inner === "\\" && '"\\$`\n'.includes(this.#text[this.#at] ?? "")) {
            const next = this.#text[this.#at++];
            if (next !== "\n") text += next;
          } else if (inner === "$") variable();
          else text += inner;
        }
      } else if (unit === "$") variable();
      else if (unit === "`") throw new ShellError("expected a word: this terminal runs no commands in words");
      else text += unit;
    }
    flush();
    return { parts, isQuoted };
  }

  /** Reads the name of a variable after `$`; undefined where there is none. */
  #variable(): string | undefined {
    const unit = this.#text[this.#at];
    if (unit === "(") throw new ShellError("expected a word: this terminal runs no commands in words");
    if (unit === "?") {
      this.#at++;
      return "?";
    }
    if (unit === "{") {
      const end = this.#text.indexOf("}", this.#at);
      const name = end < 0 ? "" : this.#text.slice(this.#at + 1, end);
      if (!NAME.test(name)) throw new ShellError(`expected a variable such as \${NAME}`);
      this.#at = end + 1;
      return name;
    }
    const start = this.#at;
    if (/\d/.test(unit ?? "")) return undefined;
    while (isNameUnit(this.#text[this.#at])) this.#at++;
    return this.#at === start ? undefined : this.#text.slice(start, this.#at);
  }

  /** What ends a command: an operator, a line, or the end of the text (empty); undefined where a command begins. */
  #operator(): string | undefined {
    const unit = this.#text[this.#at];
    if (unit === undefined) {
      this.#readPending();
      return "";
    }
    const two = this.#text.slice(this.#at, this.#at + 2);
    if (two === "&&" || two === "||") {
      this.#at += 2;
      return two;
    }
    if (unit === "\n") {
      this.#at++;
      this.#readPending();
      return unit;
    }
    if (unit === ";") {
      this.#at++;
      return unit;
    }
    if (unit === "&") throw new ShellError("expected a command: this terminal runs nothing in the background");
    if (unit === ")") throw new ShellError("expected a command, found )");
    return undefined;
  }

  /** Reads the texts that the line before has announced with `<<`. */
  #readPending(): void {
    for (const { end, isPlain, take } of this.#pending.splice(0)) {
      const lines: string[] = [];
      for (;;) {
        if (this.#at >= this.#text.length) throw new UnfinishedError(`expected a line ${end} at the end of the text`);
        const next = this.#text.indexOf("\n", this.#at);
        const line = this.#text.slice(this.#at, next < 0 ? undefined : next);
        this.#at = next < 0 ? this.#text.length : next + 1;
        if (line === end) break;
        lines.push(`${line}\n`);
      }
      const text = lines.join("");
      take(isPlain ? { parts: [{ text }], isQuoted: true } : withVariables(text));
    }
  }

  /** Blanks, line breaks after a backslash, and comments. */
  #skipBlank(): void {
    for (;;) {
      const unit = this.#text[this.#at];
      if (unit === " " || unit === "\t") this.#at++;
      else if (unit === "\\" && this.#text[this.#at + 1] === "\n") this.#at += 2;
      else if (unit === "#" && (this.#at === 0 || " \t\n;|&".includes(this.#text[this.#at - 1]!))) {
        const end = this.#text.indexOf("\n", this.#at);
        this.#at = end < 0 ? this.#text.length : end;
      } else return;
    }
  }

  #skipLines(): void {
    for (;;) {
      this.#skipBlank();
      if (this.#text[this.#at] !== "\n") return;
      this.#at++;
    }
  }
}

/** The parts of a text after `<<`, in which variables have their values. */
function withVariables(text: string): Word {
  const parts = text
    .split(/(\$\{[A-Za-z_]\w*\}|\$[A-Za-z_]\w*)/)
    .map((part, at): Part => (at % 2 === 0 ? { text: part } : { variable: part.replace(/[${}]/g, "") }));
  return { parts, isQuoted: true };
}

function assignmentOf({ parts, isQuoted }: Word): { name: string; value: Word } | undefined {
  const [first, ...rest] = parts;
  if (!first || !("text" in first)) return undefined;
  const at = first.text.indexOf("=");
  const name = first.text.slice(0, Math.max(at, 0));
  if (!NAME.test(name)) return undefined;
  return { name, value: { parts: [{ text: first.text.slice(at + 1) }, ...rest], isQuoted } };
}
