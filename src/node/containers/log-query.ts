/**
 * Which part of the log of a container is asked for, as a request for `pods/log` says it.
 *
 * @module
 */
import { parseTime } from "../../meta/time.ts";

/** See the head of this file. */
export interface LogQuery {
  /** Empty for the only one. */
  readonly container: string;
  /** Whether what comes later is wanted, too, until the container ends. */
  readonly follow: boolean;
  /** Whether it is the log of the start before. */
  readonly previous: boolean;
  /** Whether a time stands before each line. */
  readonly timestamps: boolean;
  /** In ms since the epoch. */
  readonly since: number | undefined;
  /** So many lines of the end. */
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
