import { wholeNumber } from "../meta/quantity.ts";
import type { DriverRequest } from "./actions.ts";
import { CliError } from "./cli-error.ts";

/** The flags of `keelson driver` as texts. */
export interface DriverFlags extends Omit<
  DriverRequest,
  "topology" | "maxVolumes" | "capacity" | "maxVolumeSize" | "central" | "links"
> {
  readonly topology: readonly string[];
  readonly central?: boolean;
  readonly links?: boolean;
  readonly maxVolumes?: string;
  readonly capacity?: string;
  readonly maxVolumeSize?: string;
}

/** Parses the flags. @throws CliError for an invalid flag */
export function readRequest({
  topology,
  maxVolumes,
  capacity,
  maxVolumeSize,
  central = false,
  links = false,
  ...rest
}: DriverFlags): DriverRequest {
  return {
    ...rest,
    central,
    links,
    topology: Object.fromEntries(topology.map(segment)),
    maxVolumes: maxVolumes === undefined ? undefined : count("--max-volumes", maxVolumes),
    capacity: capacity === undefined ? undefined : bytes("--capacity", capacity),
    maxVolumeSize: maxVolumeSize === undefined ? undefined : bytes("--max-volume-size", maxVolumeSize),
  };
}

function segment(text: string): [string, string] {
  const end = text.indexOf("=");
  if (end > 0) return [text.slice(0, end), text.slice(end + 1)];
  throw new CliError(`expected --topology to be KEY=VALUE, got ${text}`, { usage: true });
}

function count(flag: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CliError(`expected ${flag} to be a whole number from 0, got ${text}`, { usage: true });
}

function bytes(flag: string, text: string): bigint {
  const found = wholeNumber(text);
  if (found !== undefined && found > 0n) return found;
  throw new CliError(`expected ${flag} to be a size such as 10Gi, got ${text}`, { usage: true });
}
