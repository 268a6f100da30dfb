/**
 * How a volume may be mounted: the access modes of claims and volumes (DEC-39, DEC-43), and the two volume modes
 * (PVC-5, PV-21).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";

const SHORT = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
} as const;

const ACCESS_MODES = Object.keys(SHORT);

/** `Block` or `Filesystem`. */
export const VOLUME_MODES: readonly string[] = ["Block", "Filesystem"];

/** Known modes, and ReadWriteOncePod by itself. */
export function checkAccessModes(field: string, modes: readonly string[], errors: FieldErrors): void {
  for (const mode of modes) {
    if (!ACCESS_MODES.includes(mode)) errors.notSupported(field, mode, ACCESS_MODES);
  }
  const shared = modes.some((mode) => mode !== "ReadWriteOncePod" && ACCESS_MODES.includes(mode));
  if (shared && modes.includes("ReadWriteOncePod")) {
    errors.forbidden(field, "expected ReadWriteOncePod without other access modes");
  }
}

/** The modes in short, as tables show them: `RWO,ROX`. */
export const shortAccessModes = (modes: readonly string[] = []): string =>
  Object.entries(SHORT)
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(",");
