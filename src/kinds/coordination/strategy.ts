import type { FieldErrors } from "../../meta/field-errors.ts";
import { qualifiedName } from "../../meta/names.ts";

/** The strategy that the election of the server knows. */
export const OLDEST_EMULATION_VERSION = "OldestEmulationVersion";

/**
 * A strategy is one that the server knows, or the qualified name of another implementation (DEC-11). Causes name the field as
 * clients know it, with its name twice.
 */
export function validateStrategy(strategy: string, field: string, errors: FieldErrors): void {
  const at = `${field}.strategy`;
  if (strategy.includes("/")) {
    const wrong = qualifiedName(strategy);
    if (wrong) errors.invalid(at, strategy, wrong);
  } else if (strategy !== OLDEST_EMULATION_VERSION) {
    errors.notSupported(at, strategy, [OLDEST_EMULATION_VERSION]);
  }
}
