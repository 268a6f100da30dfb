/**
 * The tests of the language's specification, as @bufbuild/cel-spec packs them: for each expression the tree, the checked
 * tree and the type that the original implementation makes of it, and of most the value.
 *
 * @module
 */
import { tests as checking } from "@bufbuild/cel-spec/testdata/checking.js";
import { tests as comprehension } from "@bufbuild/cel-spec/testdata/comprehension.js";
import { tests as conformance } from "@bufbuild/cel-spec/testdata/conformance.js";
import { tests as parsing } from "@bufbuild/cel-spec/testdata/parsing.js";

/** JSON of the protobuf messages that the tests are written in. */
export interface Json {
  readonly [name: string]: unknown;
}

/** What a test asks. */
export interface Question {
  readonly name?: string;
  readonly expr: string;
  readonly container?: string;
  /** Declared variables and functions. */
  readonly typeEnv?: readonly {
    readonly name: string;
    readonly ident?: { readonly type: Json };
    readonly function?: Json;
  }[];
  readonly bindings?: Readonly<Record<string, { readonly value?: Json }>>;
  readonly value?: Json;
  readonly typedResult?: { readonly result?: Json; readonly deducedType?: Json };
  readonly evalError?: Json;
  readonly disableCheck?: boolean;
  readonly checkOnly?: boolean;
}

/** A test. */
export interface SpecCase {
  /** `basic/self_eval_zeroish/self_eval_int_zero`, or the expression where there is no name. */
  readonly name: string;
  readonly ask: Question;
  /** The tree that the parser makes; macros of extensions and optional syntax were off. */
  readonly ast?: string;
  readonly checkedAst?: string;
  readonly type?: string;
  readonly error?: string;
}

/** Tests of one file. */
export interface SpecFile {
  readonly name: string;
  readonly cases: readonly SpecCase[];
}

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly (Omit<SpecCase, "name" | "ask"> & { readonly original: unknown })[];
}

function casesOf(suite: Suite, path = ""): SpecCase[] {
  const own = (suite.tests ?? []).map(({ original, ...made }) => {
    const ask = original as Question;
    return { ...made, ask, name: `${path}${ask.name ?? ask.expr}` };
  });
  return [...own, ...(suite.suites ?? []).flatMap((inner) => casesOf(inner, `${path}${inner.name}/`))];
}

const fileOf = (suite: unknown, name = (suite as Suite).name): SpecFile => ({ name, cases: casesOf(suite as Suite) });

/** Tests of the original's parser and checker: trees, types and messages, no values. */
export const TREES: readonly SpecFile[] = [fileOf(parsing), fileOf(checking), fileOf(comprehension)];

/** Tests of the language, by file: values too. */
export const CONFORMANCE: readonly SpecFile[] = (conformance as Suite)
  .suites!.map((suite) => fileOf(suite))
  .filter(({ cases }) => cases.length > 0);
