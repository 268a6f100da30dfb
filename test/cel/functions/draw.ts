/**
 * What the packages of a real server are asked about functions of texts: expressions with the texts `s` and `t`, and the texts that
 * stand for these, drawn by chance that repeats itself from texts that people write.
 *
 * @module
 */
import { seededRandom } from "../../../src/util/clock.ts";
import { AREAS, type Area } from "./areas.ts";

/** A pair of texts, of which the second may be of no matter. */
export type Pair = readonly [s: string, t: string];

/** Pairs of texts, and what is asked of each of them. */
export interface Questions {
  readonly area: string;
  /** Pairs of texts; or values, each with an empty text. */
  readonly pairs: readonly Pair[];
  readonly isValue: boolean;
  readonly expressions: readonly string[];
  readonly formats: readonly string[];
}

/** All questions, always the same. */
export const drawn = (): Questions[] => Object.entries(AREAS).map(([area, one]) => drawnOf(area, one));

function drawnOf(
  area: string,
  { texts, more, parts, skip, count, isValue = false, expressions = [], formats = [] }: Area,
): Questions {
  const random = seededRandom(Array.from(area).reduce((sum, char) => sum * 31 + char.charCodeAt(0), 7) >>> 0);
  const below = (most: number): number => Math.floor(random.next() * most);
  const one = (of: readonly string[]): string => of[below(of.length)]!;

  /** A text with a part put in, taken out, doubled or exchanged, once or more. */
  const changed = (text: string): string => {
    const points = Array.from(text);
    for (let left = 1 + below(3); left > 0; left--) {
      const at = below(points.length + 1);
      switch (below(4)) {
        case 0:
          points.splice(at, 0, one(parts));
          break;
        case 1:
          points.splice(at, 1);
          break;
        case 2:
          points.splice(at, 0, ...points.slice(at, at + 1 + below(3)));
          break;
        default:
          points.splice(at, 1, one(parts));
      }
    }
    return points.join("");
  };
  const pairs = new Map<string, Pair>();
  const add = (s: string, t: string): unknown =>
    skip?.test(s) || skip?.test(t) ? undefined : pairs.set(JSON.stringify([s, t]), [s, t]);
  for (const text of texts) add(text, more ? one(more) : "");
  for (let left = count * 10; pairs.size < count && left > 0; left--) {
    add(changed(one(texts)), more ? (below(2) === 0 ? one(more) : changed(one(more))) : "");
  }
  return { area, pairs: [...pairs.values()], isValue, expressions, formats };
}

/** An expression as it is asked about a pair: of values, with the value in it, which nothing is known of. */
export const askedOf = (expression: string, { isValue }: Pick<Questions, "isValue">, [s, t]: Pair): Question =>
  isValue ? { expr: expression.replaceAll(/\bV\b/g, () => `dyn(${s})`), s: "", t: "" } : { expr: expression, s, t };

/** An expression and its texts. */
export interface Question {
  readonly expr: string;
  readonly s: string;
  readonly t: string;
}
