/**
 * What the packages of a real server answer to the drawn questions, as `record.ts` has asked them.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import type { Want } from "../spec/answers.ts";
import { sameAnswer } from "../written.ts";
import type { Pair } from "./draw.ts";

/** The answers of an area: places in the list of all answers, a row for each expression or format, one for each pair. */
export interface AnsweredArea {
  readonly area: string;
  readonly isValue: boolean;
  readonly pairs: readonly Pair[];
  readonly expressions: readonly (readonly [expression: string, places: readonly number[]])[];
  readonly formats: readonly (readonly [format: string, places: readonly number[]])[];
}

/** All of it; an answer stands once. */
export interface Answered {
  readonly answers: readonly (Want | boolean | null)[];
  readonly areas: readonly AnsweredArea[];
}

/** The recorded answers. */
export const readAnswers = (): Answered =>
  JSON.parse(readFileSync(new URL("answers.json", import.meta.url), "utf8")) as Answered;

/** What of an answer is kept: what an expression comes to, or why it is refused. */
export function keptOf({ value, error, compile }: Want): Want {
  if (typeof compile === "string") return { compile: compile.replaceAll(/\n \| .*/g, "") };
  // The text form of a message has one blank between fields or two, by the build.
  return error === undefined ? { value } : { error: (error as string).replaceAll(`"  value:"`, `" value:"`) };
}

/** Whether two answers say the same. */
export const isSame = (want: Want, got: Want): boolean =>
  [...new Set([...Object.keys(want), ...Object.keys(got)])].every((part) => sameAnswer(part, want[part], got[part]));
