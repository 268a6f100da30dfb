/**
 * Regular expressions of users: RE2, which takes linear time for every pattern.
 *
 * @module
 */
import { RE2JS } from "re2js";
import { BoundedCache } from "./bounded-cache.ts";
import { checkWork } from "./work-limit.ts";
import { messageOf } from "./error.ts";

/** A compiled pattern; unanchored. */
export interface Regex {
  /** Whether a text contains a match. */
  test(text: string): boolean;
  /** Returns the first match, or an empty text. */
  find(text: string): string;
  /** Returns at most `max` matches; all for a negative number. */
  findAll(text: string, max: number): string[];
}

/** The error of an invalid regular expression. */
export class RegexFault extends Error {}

/** Larger patterns are not cached: in memory they may take a thousand times their length. */
const MAX_CACHED_STATES = 5000;
const cache = new BoundedCache<CachedRegex>({ entries: 2000, bytes: 32 << 20, weigh: ({ bytes }) => bytes });

/** A regular expression and its estimated bytes in memory. */
interface CachedRegex {
  readonly regex: Regex;
  readonly bytes: number;
}

/** Measured bytes of any pattern, and of each of its states; classes of Unicode have long tables. */
const REGEX_BYTES = 16_384;
const STATE_BYTES = 256;
const UNICODE_BYTES = 6_000;

/** What the compilation of a state costs, in units of work. */
const UNITS_PER_STATE = 200;

/**
 * Compiles a regular expression.
 *
 * @throws RegexFault; WorkTooLong
 */
export function regexOf(text: string): Regex {
  const known = cache.get(text);
  if (known) return known.regex;
  const states = statesOf(text);
  checkWork(states * UNITS_PER_STATE);
  const regex = compiled(compile(text));
  if (states > MAX_CACHED_STATES) return regex;
  const bytes = REGEX_BYTES + states * (/\\p/i.test(text) ? UNICODE_BYTES : STATE_BYTES);
  cache.set(text, { regex, bytes });
  return regex;
}

function compile(text: string): RE2JS {
  try {
    return RE2JS.compile(text);
  } catch (error) {
    const message = messageOf(error);
    // Go's message ends with an empty part of the pattern; that of RE2JS has none.
    throw new RegexFault(message.endsWith("trailing backslash at end of expression") ? `${message}: \`\`` : message);
  }
}

/** The length from which an automaton for one text is faster. */
const LONG_TEXT = 16_384;

function compiled(regex: RE2JS): Regex {
  const states = regex.programSize();
  const matcherOf = (text: string): ReturnType<RE2JS["matcher"]> => {
    checkWork(states * text.length);
    return regex.matcher(text);
  };
  return {
    test(text) {
      const matcher = matcherOf(text);
      if (text.length < LONG_TEXT) return matcher.find();
      // It is ten times as fast as a matcher with positions. It may take some megabytes, so it is not kept.
      return RE2JS.compile(regex.pattern(), regex.flags()).test(text);
    },
    find(text) {
      const matcher = matcherOf(text);
      return matcher.find() ? (matcher.group() ?? "") : "";
    },
    findAll(text, max) {
      const matcher = matcherOf(text);
      const found: string[] = [];
      let end = -1;
      while ((max < 0 || found.length < max) && matcher.find()) {
        checkWork(0);
        // An empty match directly after another one does not count.
        if (matcher.start() === matcher.end() && matcher.start() === end) continue;
        found.push(matcher.group() ?? "");
        end = matcher.end();
      }
      return found;
    },
  };
}

/** A repetition: `{3}`, `{3,}`, `{3,5}`. */
const REPETITION = /\{(\d{1,4})(?:,(\d{0,4}))?\}/y;

/** Estimates the largest number of states of a pattern; repeated parts count as often as they are repeated. */
export function statesOf(pattern: string): number {
  const outer: number[] = [];
  // The states of the group, and of the last part in it.
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
        REPETITION.lastIndex = i;
        const [text, min, max] = REPETITION.exec(pattern) ?? [];
        if (text === undefined) {
          add(1);
          break;
        }
        const times = Math.max(Number(min), Number(max ?? 0), 1);
        all += last * (times - 1);
        last *= times;
        i += text.length - 1;
        break;
      }
      case "[": {
        const end = endOfClass(pattern, i);
        // A class is one state, but parsing it takes time.
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

/** The index of the end of the character class that begins at `start`. */
function endOfClass(pattern: string, start: number): number {
  let i = start + (pattern[start + 1] === "^" ? 2 : 1);
  // A bracket at the beginning is a member.
  if (pattern[i] === "]") i++;
  for (; i < pattern.length && pattern[i] !== "]"; i++) if (pattern[i] === "\\") i++;
  return i;
}
