/**
 * What functions of expressions do with texts that nobody writes but to hold a server: each function, with each text (a third of
 * the texts in the usual run), and with two of them where it takes two.
 */
import { describe, expect, test } from "vitest";
import { ADDRESS_FUNCTIONS } from "../../src/cel/library/addresses.ts";
import { QUANTITY_FUNCTIONS } from "../../src/cel/library/quantities.ts";
import type { Overload } from "../../src/cel/library/contract.ts";
import { FORMAT_FUNCTIONS } from "../../src/cel/library/formats.ts";
import { LIST_FUNCTIONS } from "../../src/cel/library/lists.ts";
import { STANDARD_FUNCTIONS } from "../../src/cel/library/standard.ts";
import { STRING_FUNCTIONS } from "../../src/cel/library/strings.ts";
import { URL_FUNCTIONS } from "../../src/cel/library/urls.ts";
import { type Type, typeText } from "../../src/cel/types.ts";
import { Failure, type Value, Values } from "../../src/cel/values.ts";
import { sampled } from "../../src/util/testing/amount.ts";
import { leastCpu } from "../../src/util/testing/cpu-time.ts";
import { expectNotLong } from "../../src/util/testing/slices.ts";

/** Texts of a length: what is repeated, and what stands in front and behind. */
const TEXTS_OF: readonly (readonly [front: string, part: string, behind: string])[] = [
  ["", "0000s", "x"],
  ["", "0", "x"],
  ["", "9", ""],
  ["-", "1", "h"],
  ["0x", "a", ""],
  ["1e", "9", ""],
  ["", "1_", "1"],
  ["", ".1", "s"],
  ["1.2.", "3", ""],
  ["1.2.3-", "a.", "0"],
  ["1.2.3+", "-", ""],
  ["2024-01-01T00:00:00.", "0", "x"],
  ["x", "\t", "x"],
  ["", " ", ""],
  ["", "a", ""],
  ["", "a", "!"],
  ["", "a.", ""],
  ["", "a-", "-"],
  ["http://", "a:", "@"],
  ["http://a/?", "b=c&", "%"],
  ["http://[", "::", "]"],
  ["", "0:", ""],
  ["", "1.", "1"],
  ["", "%s", ""],
  ["%", "9", "d"],
  ["", "%", "%"],
  ["", '"\\', ""],
  ["", "\u{1f600}", "x"],
  ["", "\ud800", ""],
  ["", "é", ""],
];

const textOf = (size: number, [front, part, behind]: (typeof TEXTS_OF)[number]): string =>
  front + part.repeat(size / part.length) + behind;

/** What is looked for in a text and is nearly there everywhere. */
const needlesIn = (text: string): readonly string[] => {
  const half = text.slice(text.length >> 2, text.length * 0.75);
  return [half, `!${half}`, `${half}!`, `${half.slice(half.length / 2)}!${half.slice(half.length / 2)}`, "a", ""];
};

const PATTERNS = ["(a|a)*b", "[ab]*a[ab]{20}$", ""];
const REGULAR: ReadonlySet<string> = new Set(["matches", "find", "findAll"]);

const ALL = [
  ...STANDARD_FUNCTIONS,
  ...STRING_FUNCTIONS,
  ...LIST_FUNCTIONS,
  ...FORMAT_FUNCTIONS,
  ...URL_FUNCTIONS,
  ...ADDRESS_FUNCTIONS,
  ...QUANTITY_FUNCTIONS,
];
const makers = ALL.filter(({ params }) => params.every(({ kind }) => kind === "string"));
const run = ({ run: call }: Overload, args: readonly Value[]): Value =>
  (call as (...all: readonly Value[]) => Value)(...args);

/** Values of a type, the texts among them made of one text; none for a type of which no value is made here. */
function valuesOf(type: Type, text: string, isPattern: boolean): readonly Value[] {
  switch (type.kind) {
    case "string":
      return isPattern ? PATTERNS : [text, ...needlesIn(text)];
    case "dyn":
    case "param":
      return [text];
    case "int":
      return [0n, 1n, BigInt(text.length) >> 1n];
    case "bool":
      return [true];
    case "list":
      return [new Values(piecesOf(text)), new Values([text, text])];
    case "opaque":
      return opaqueOf(typeText(type), text);
    default:
      return [];
  }
}

/** Values that a function makes of the text, or of nothing. */
const opaqueOf = (type: string, text: string): readonly Value[] =>
  makers
    .filter(({ params, result }) => typeText(result) === type && params.length < 2)
    .map((maker) => run(maker, maker.params.length === 0 ? [] : [text]))
    .filter((value) => !(value instanceof Failure));

const PIECES = 200;
const piecesOf = (text: string): string[] =>
  Array.from({ length: PIECES }, (_, i) => text.slice((i * text.length) / PIECES, ((i + 1) * text.length) / PIECES));

function* argumentsOf({ name, params }: Overload, text: string): Generator<readonly Value[]> {
  const [first = [], second = [], third = []] = params.map((type, i) =>
    i === 0 && type.kind === "string" ? [text] : valuesOf(type, text, i === 1 && REGULAR.has(name)),
  );
  for (const one of first) {
    if (params.length === 1) yield [one];
    for (const two of second) {
      if (params.length === 2) yield [one, two];
      else if (third.length > 0) yield [one, two, third[0]!];
    }
  }
}

const takesText = ({ params }: Overload): boolean =>
  params.some((type) => typeText(type).includes("string") || type.kind === "opaque" || type.kind === "dyn");

const signature = ({ name, params }: Overload): string => `${name}(${params.map(typeText).join(", ")})`;

describe("a call of a function with a text of 50,000 characters delays no other request", () => {
  const overloads = ALL.filter(takesText);

  test("the functions that take texts are known", () => {
    const names = new Set(overloads.map(({ name }) => name));
    for (const name of [
      "duration",
      "double",
      "trim",
      "indexOf",
      "replace",
      "url",
      "semver",
      "quantity",
      "cidr",
      "validate",
    ])
      expect(names).toContain(name);
    expect(overloads.length).toBeGreaterThan(80);
  });

  test.each(overloads.map((overload, row) => [signature(overload), overload, sampled(TEXTS_OF, 3, row)] as const))(
    "%s",
    async (_, overload, forms) => {
      // What grows with the square is found where it does not take minutes yet.
      for (const [size, most] of [
        [3000, 10],
        [50_000, 50],
      ] as const) {
        for (const form of forms) {
          for (const args of argumentsOf(overload, textOf(size, form))) {
            const millis = await quickly(() => run(overload, args), most);
            expectNotLong(millis, most);
          }
        }
      }
    },
  );
});

/** The CPU of one call, or the least of some where one took too long: a collection of garbage falls into some. */
async function quickly(call: () => unknown, most: number): Promise<number> {
  const before = process.cpuUsage();
  call();
  const { user, system } = process.cpuUsage(before);
  const millis = (user + system) / 1000;
  return millis <= most ? millis : leastCpu(() => void call(), most);
}
