/**
 * A matcher that tries one way after another, as engines of JavaScript do, and counts what that takes: slow and simple, to hold
 * the judge against.
 *
 * @module
 */
import type { AST } from "@eslint-community/regexpp";
import { parse } from "./form.ts";
import type { Expression } from "./judge.ts";

/** What is to be done at a place; the place where a match ends, or -1 where there is none. */
type Next = (at: number) => number;

/** Counts up to a limit. */
class Steps {
  count = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Throws where it is enough. */
  one(): void {
    if (++this.count > this.#most) throw TOO_MANY;
  }
}

const TOO_MANY = new Error("too many steps");

/**
 * The steps that an expression takes to find all its matches in a text, or the first where it is not global; `most` where they
 * are more. Knows characters, classes without ranges, `.`, `^`, `$`, groups, looks ahead and quantifiers.
 */
export function stepsOf({ source, flags }: Expression, text: string, most: number): number {
  const matcher = new Matcher(text, new Steps(most));
  try {
    matcher.run(parse(source, flags), /[gy]/.test(flags), flags.includes("y"));
  } catch (error) {
    if (error !== TOO_MANY && !(error instanceof RangeError)) throw error;
    return most;
  }
  return matcher.steps.count;
}

class Matcher {
  readonly #text: string;
  readonly steps: Steps;

  constructor(text: string, steps: Steps) {
    this.#text = text;
    this.steps = steps;
  }

  run(pattern: AST.Pattern, isGlobal: boolean, isSticky: boolean): void {
    for (let at = 0; at <= this.#text.length;) {
      const end = this.#oneOf(pattern.alternatives, at, (last) => last);
      if (end >= 0 ? !isGlobal : isSticky) return;
      at = end > at ? end : at + 1;
    }
  }

  #oneOf(alternatives: readonly AST.Alternative[], at: number, next: Next): number {
    for (const { elements } of alternatives) {
      const end = this.#all(elements, 0, at, next);
      if (end >= 0) return end;
    }
    return -1;
  }

  #all(elements: readonly AST.Element[], i: number, at: number, next: Next): number {
    if (i === elements.length) return next(at);
    return this.#element(elements[i]!, at, (end) => this.#all(elements, i + 1, end, next));
  }

  #element(node: AST.Element, at: number, next: Next): number {
    this.steps.one();
    switch (node.type) {
      case "Group":
      case "CapturingGroup":
        return this.#oneOf(node.alternatives, at, next);
      case "Quantifier":
        return this.#times(node, 0, at, next);
      case "Assertion":
        return this.#holds(node, at) ? next(at) : -1;
      default:
        return at < this.#text.length && isOne(node, this.#text[at]!) ? next(at + 1) : -1;
    }
  }

  #times(node: AST.Quantifier, done: number, at: number, next: Next): number {
    const again = (): number =>
      done >= node.max
        ? -1
        : this.#element(node.element, at, (end) =>
            end === at && done >= node.min ? -1 : this.#times(node, done + 1, end, next),
          );
    const enough = (): number => (done < node.min ? -1 : next(at));
    const [first, second] = node.greedy ? [again, enough] : [enough, again];
    const end = first();
    return end >= 0 ? end : second();
  }

  #holds(node: AST.Assertion, at: number): boolean {
    if (node.kind === "start") return at === 0;
    if (node.kind === "end") return at === this.#text.length;
    if (node.kind !== "lookahead") throw new Error(`the model knows no ${node.kind}`);
    return this.#oneOf(node.alternatives, at, (end) => end) >= 0 !== node.negate;
  }
}

function isOne(node: AST.Element, char: string): boolean {
  if (node.type === "Character") return node.raw === char;
  if (node.type === "CharacterSet" && node.kind === "any") return char !== "\n";
  if (node.type !== "CharacterClass") throw new Error(`the model knows no ${node.raw}`);
  return node.raw.slice(1, -1).includes(char) !== node.negate;
}
