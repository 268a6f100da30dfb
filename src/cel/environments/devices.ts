/**
 * Selectors of devices: over `device` with its driver, and its attributes and capacities by domain.
 *
 * @module
 */
import type { Environment } from "../environment.ts";
import { allFunctions } from "../library/index.ts";
import { BINDINGS } from "../macros.ts";
import { compile } from "../program.ts";
import { ANY, BOOL, STRING, type Type, mapOf, opaque, sameType, typeText } from "../types.ts";
import { structType, withPrefix } from "./expression.ts";

/** The fault of a selector. */
export interface SelectorFault {
  readonly reason: "FieldValueInvalid" | "FieldValueForbidden" | "InternalError";
  readonly why: string;
}

/** The largest cost of a selector for one device. */
const MAX_COST = 1_000_000n;

/** The largest size of a value, and of its parts. */
interface Sized {
  readonly max: number;
  readonly keys?: Sized;
  readonly values?: Sized;
  readonly members?: Readonly<Record<string, Sized>>;
  /** Members with any other name. */
  readonly any?: Sized;
}

const MAX_ENTRIES = 32;
const DOMAIN: Sized = { max: 63 };
const ID: Sized = { max: 32 };
const ATTRIBUTE: Sized = { max: 64 };
const AMOUNT: Sized = { max: 0 };
const byDomain = (values: Sized): Sized => ({ max: MAX_ENTRIES, keys: DOMAIN, values });

const SIZES: Sized = {
  max: 0,
  members: {
    driver: { max: 63 },
    allowMultipleAllocations: { max: 1 },
    attributes: byDomain({ max: MAX_ENTRIES, keys: ID, values: ATTRIBUTE, any: ATTRIBUTE }),
    capacity: byDomain({ max: MAX_ENTRIES, keys: ID, values: AMOUNT }),
  },
};

const STEPS: Readonly<Record<string, (at: Sized) => Sized | undefined>> = {
  "@items": ({ values }) => values,
  "@values": ({ values }) => values,
  "@keys": ({ keys }) => keys,
};

function sizeAt([root, ...path]: readonly string[]): ReturnType<NonNullable<Environment["sizeAt"]>> {
  let at = root === "device" ? SIZES : undefined;
  for (const name of path) at = at && (STEPS[name] ? STEPS[name](at) : (at.members?.[name] ?? at.any));
  return at && { min: 0n, max: BigInt(at.max) };
}

const byName = (value: Type): Type => mapOf(STRING, mapOf(STRING, value));

const environmentOf = (hasShares: boolean): Environment => ({
  functions: allFunctions(),
  variables: new Map([
    [
      "device",
      structType("DRADevice", {
        driver: STRING,
        attributes: byName(ANY),
        capacity: byName(opaque("kubernetes.Quantity")),
        ...(hasShares ? { allowMultipleAllocations: BOOL } : {}),
      }),
    ],
  ]),
  macros: BINDINGS,
  sizeAt,
});

const environments = new Map<boolean, Environment>();

/**
 * The fault of a selector of devices; undefined where it is valid.
 *
 * @param hasShares whether devices have `allowMultipleAllocations`
 */
export function selectorFault(source: string, hasShares: boolean): SelectorFault | undefined {
  let environment = environments.get(hasShares);
  if (!environment) environments.set(hasShares, (environment = environmentOf(hasShares)));
  const compiled = compile(source, environment);
  const type = compiled.program ? compiled.program.type : compiled.type;
  if (type && !sameType(type, BOOL) && !sameType(type, ANY)) {
    const why = `must evaluate to bool or the unknown type, not ${typeText(type)}`;
    return { reason: "FieldValueInvalid", why };
  }
  if (!compiled.program)
    return { reason: type ? "InternalError" : "FieldValueInvalid", why: withPrefix(compiled.error) };
  if (compiled.program.cost.max <= MAX_COST) return undefined;
  return { reason: "FieldValueForbidden", why: `expected a cost of at most ${MAX_COST}, estimated more` };
}
