/**
 * The part of a container's log that a request for `pods/log` chooses.
 *
 * @module
 */
import { parseTime } from "../../meta/time.ts";

/** See the head of this file. */
export interface LogQuery {
  /** Empty for the only one. */
  readonly container: string;
  /** Whether to follow the log until the container ends. */
  readonly follow: boolean;
  /** Whether it is the log of the previous start. */
  readonly previous: boolean;
  /** Whether each line begins with its time. */
  readonly timestamps: boolean;
  /** In ms since the epoch. */
  readonly since: number | undefined;
  /** The number of lines from the end. */
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
}

/** Reads the parameters of a request, which were checked before. */
export function logQueryOf(parameter: (name: string) => string | undefined, now: number): LogQuery {
  const is = (name: string): boolean => !["false", "0", undefined].includes(parameter(name));
  const number = (name: string): number | undefined => {
    const text = parameter(name);
    return text === undefined || text === "" ? undefined : Number(text);
  };
  const seconds = number("sinceSeconds");
  return {
    container: parameter("container") ?? "",
    follow: is("follow"),
    previous: is("previous"),
    timestamps: is("timestamps"),
    since: seconds === undefined ? parseTime(parameter("sinceTime") ?? "") : now - seconds * 1000,
    tailLines: number("tailLines"),
    limitBytes: number("limitBytes"),
  };
}
