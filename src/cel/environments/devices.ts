/**
 * Selectors of devices: over `device` with its driver, and its attributes and capacities by their domains.
 *
 * @module
 */
import type { Environment } from "../environment.ts";
import { allFunctions } from "../library/index.ts";
import { BINDINGS } from "../macros.ts";
import { compile } from "../program.ts";
import { ANY, BOOL, STRING, type Type, mapOf, opaque, sameType, typeText } from "../types.ts";
import { declared, withPrefix } from "./expression.ts";

/** Why a text is no selector. */
export interface SelectorFault {
  readonly reason: "FieldValueInvalid" | "FieldValueForbidden" | "InternalError";
  readonly why: string;
}

/** The most that a selector may cost for one device. */
const MOST_COST = 1_000_000n;

/** How large a value may become, and what is in it. */
interface Sized {
  readonly most: number;
  readonly keys?: Sized;
  readonly values?: Sized;
  /** Members that have names of their own. */
  readonly members?: Readonly<Record<string, Sized>>;
  /** What any other name selects. */
  readonly any?: Sized;
}

const MOST_ENTRIES = 32;
const DOMAIN: Sized = { most: 63 };
const ID: Sized = { most: 32 };
const ATTRIBUTE: Sized = { most: 64 };
const AMOUNT: Sized = { most: 0 };
const byDomain = (values: Sized): Sized => ({ most: MOST_ENTRIES, keys: DOMAIN, values });

const SIZES: Sized = {
  most: 0,
  members: {
    driver: { most: 63 },
    allowMultipleAllocations: { most: 1 },
    attributes: byDomain({ most: MOST_ENTRIES, keys: ID, values: ATTRIBUTE, any: ATTRIBUTE }),
    capacity: byDomain({ most: MOST_ENTRIES, keys: ID, values: AMOUNT }),
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
  return at && { min: 0n, max: BigInt(at.most) };
}

const byName = (value: Type): Type => mapOf(STRING, mapOf(STRING, value));

const environmentOf = (hasShares: boolean): Environment => ({
  functions: allFunctions(),
  variables: new Map([
    [
      "device",
      declared("DRADevice", {
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
 * Says why a text is no selector of devices; undefined where it is one.
 *
 * @param hasShares whether devices say that several may have them at a time
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
  if (compiled.program.cost.max <= MOST_COST) return undefined;
  return { reason: "FieldValueForbidden", why: `expected a cost of at most ${MOST_COST}, estimated more` };
}
