import type { FieldErrors } from "../../../../meta/field-errors.ts";

const PLAIN =
  "ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ";

const after = (first: string, sign: string, count: number): readonly string[] =>
  Array.from({ length: count + 1 }, (_none, n) => (n === 0 ? first : `${first}${sign}${n}`));

/** The signals that end a container, by operating system. */
const SIGNALS: Readonly<Record<string, readonly string[]>> = {
  linux: [
    ...PLAIN.split(" ").map((name) => `SIG${name}`),
    ...after("SIGRTMIN", "+", 15),
    ...after("SIGRTMAX", "-", 14),
  ],
  windows: ["SIGKILL", "SIGTERM"],
};

/** A signal of the Pod's operating system, which the Pod must name (KIND-PodSpec-5). */
export function checkSignal(signal: string, os: string | undefined, field: string, errors: FieldErrors): void {
  if (os === undefined) return errors.forbidden(field, "expected none without an os");
  const known = SIGNALS[os];
  if (known && !known.includes(signal)) errors.notSupported(field, signal, known);
}
