/**
 * Regular expressions of others: RE2, which takes a time that grows with the text and no faster, whatever the pattern.
 *
 * @module
 */
import { RE2JS } from "re2js";
import { BoundedCache } from "./bounded-cache.ts";
import { mayTake } from "./heavy.ts";

/** A compiled pattern; unanchored. */
export interface Regex {
  /** Whether it is found in a text. */
  test(text: string): boolean;
  /** The first match, or nothing. */
  find(text: string): string;
  /** The matches, at most so many; all for a negative number. */
  findAll(text: string, most: number): string[];
}

/** Says what is wrong with the text of a regular expression. */
export class RegexFault extends Error {}

/** Those that were asked for last are kept, but no long ones: what they compile to may take a thousand times their length. */
const MOST_KEPT_STATES = 5000;
const kept = new BoundedCache<Kept>({ entries: 2000, bytes: 32 << 20, weigh: ({ bytes }) => bytes });

/** A pattern with about what it takes in memory. */
interface Kept {
  readonly regex: Regex;
  readonly bytes: number;
}

/** What a pattern takes in memory, whatever it is, and for each state, as measured; classes of Unicode have long tables. */
const REGEX_BYTES = 16_384;
const STATE_BYTES = 256;
const UNICODE_BYTES = 6_000;

/** What a state costs when it is made, and a character when it is read, in units of work. */
const TO_MAKE = 200;

/**
 * The regular expression that a text describes.
 *
 * @throws RegexFault; TooHeavy
 */
export function regexOf(text: string): Regex {
  const known = kept.get(text);
  if (known) return known.regex;
  const states = statesOf(text);
  mayTake(states * TO_MAKE);
  const regex = compiled(compile(text));
  if (states > MOST_KEPT_STATES) return regex;
  const bytes = REGEX_BYTES + states * (/\\p/i.test(text) ? UNICODE_BYTES : STATE_BYTES);
  kept.set(text, { regex, bytes });
  return regex;
}

function compile(text: string): RE2JS {
  try {
    return RE2JS.compile(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // It alone has no part of the pattern in its message; Go's has an empty one.
    throw new RegexFault(message.endsWith("trailing backslash at end of expression") ? `${message}: \`\`` : message);
  }
}

/** From here on an automaton that is made for the text pays. */
const LONG = 16_384;

function compiled(regex: RE2JS): Regex {
  const states = regex.programSize();
  const matcherOf = (text: string): ReturnType<RE2JS["matcher"]> => {
    mayTake(states * text.length);
    return regex.matcher(text);
  };
  return {
    test(text) {
      const matcher = matcherOf(text);
      if (text.length < LONG) return matcher.find();
      // Ten times as fast as what also knows places. It may grow to some megabytes: made for one text, and not kept.
      return RE2JS.compile(regex.pattern(), regex.flags()).test(text);
    },
    find(text) {
      const matcher = matcherOf(text);
      return matcher.find() ? (matcher.group() ?? "") : "";
    },
    findAll(text, most) {
      const matcher = matcherOf(text);
      const found: string[] = [];
      let end = -1;
      while ((most < 0 || found.length < most) && matcher.find()) {
        mayTake(0);
        // An empty match right behind another one is none.
        if (matcher.start() === matcher.end() && matcher.start() === end) continue;
        found.push(matcher.group() ?? "");
        end = matcher.end();
      }
      return found;
    },
  };
}

/** How often what stands before it is repeated: `{3}`, `{3,}`, `{3,5}`. */
const TIMES = /\{(\d{1,4})(?:,(\d{0,4}))?\}/y;

/** How many states a pattern has at most, about: what is repeated a given number of times counts as often as that. */
export function statesOf(pattern: string): number {
  const outer: number[] = [];
  // Of the group, and of what stands last in it.
  let [all, last] = [0, 0];
  const add = (states: number): void => {
    last = states;
    all += states;
  };
  for (let i = 0; i < pattern.length; i++) {
    switch (pattern[i]) {
      case "(":
        outer.push(all);
        all = 0;
        last = 0;
        break;
      case ")": {
        const group = all + 1;
        all = outer.pop() ?? 0;
        add(group);
        break;
      }
      case "{": {
        TIMES.lastIndex = i;
        const [text, least, most] = TIMES.exec(pattern) ?? [];
        if (text === undefined) {
          add(1);
          break;
        }
        const times = Math.max(Number(least), Number(most ?? 0), 1);
        all += last * (times - 1);
        last *= times;
        i += text.length - 1;
        break;
      }
      case "[": {
        const end = endOfClass(pattern, i);
        // A class is one state, but has to be read.
        add(Math.max(1, (end - i) / 4));
        i = end;
        break;
      }
      case "\\":
        add(1);
        i++;
        break;
      default:
        add(1);
    }
  }
  return Math.max(
    outer.reduce((sum, one) => sum + one, all),
    pattern.length / 4,
  );
}

/** Where a class of characters ends that begins at `start`. */
function endOfClass(pattern: string, start: number): number {
  let i = start + (pattern[start + 1] === "^" ? 2 : 1);
  // A bracket that stands first is a member.
  if (pattern[i] === "]") i++;
  for (; i < pattern.length && pattern[i] !== "]"; i++) if (pattern[i] === "\\") i++;
  return i;
}
