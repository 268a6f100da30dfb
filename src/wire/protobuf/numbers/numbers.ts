import { VENDOR_MEMBERS } from "../../../meta/dialect.ts";

/**
 * The field numbers of one message by the names of its members in JSON. A member that is a message, or a list or map of
 * messages, names it too: in the same file, or `group.Message`. A name that begins with three dots is a message whose
 * members stand one level up in JSON (`...volumeSource`).
 */
export type Numbers = Readonly<Record<string, number | readonly [number, string]>>;

/** The messages of a group and version by their names. */
export type Messages = Readonly<Record<string, Numbers>>;

/** The same numbers, with the neutral name in addition to each member that has the name of a vendor (CONV-12). */
export function underBothNames(numbers: Numbers): Numbers {
  const both: Record<string, Numbers[string]> = { ...numbers };
  for (const [neutral, vendor] of Object.entries(VENDOR_MEMBERS)) {
    const number = numbers[vendor];
    if (number !== undefined) both[neutral] = number;
  }
  return both;
}
