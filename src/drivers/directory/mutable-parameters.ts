/**
 * Mutable parameters of volumes (VAC-5). They are recorded, and have no effect on a directory.
 *
 * @module
 */
import { DriverError } from "../../csi/driver-error.ts";

const KNOWN = new Map([
  ["iops", /^[1-9]\d{0,8}$/],
  ["throughput", /^[1-9]\d{0,8}$/],
  ["tier", /^[A-Za-z0-9-]{1,63}$/],
]);

/** The parameters, if all are known and valid. Throws `InvalidArgument`. */
export function checkedMutable(parameters: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [key, value] of Object.entries(parameters)) {
    const form = KNOWN.get(key);
    if (!form) throw new DriverError("InvalidArgument", `expected iops, throughput or tier, got ${key}`);
    if (!form.test(value)) throw new DriverError("InvalidArgument", `${key} cannot be ${value}`);
  }
  return parameters;
}
