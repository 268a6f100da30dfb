import type { Write } from "../causality.ts";
import type { RequestPoint, Refusal } from "../contract/plan.ts";
import type { Candidate, PerturbationRule } from "./rule.ts";
import { forWrite, freshReads, freshWrites, gravity, isRepeatable } from "./weights.ts";
import { requestNoun } from "./words.ts";

const WORDS: Readonly<Record<Refusal, string>> = {
  conflict: "409 Conflict",
  "too-many-requests": "429 Too Many Requests",
  "internal-error": "500 Internal Server Error",
  unavailable: "503 Service Unavailable",
  timeout: "504 Gateway Timeout, though it is handled",
  "deadline-exceeded": "DEADLINE_EXCEEDED",
  aborted: "ABORTED",
};

/** How often a refusal is repeated where it lasts: longer than a program retries at once. */
const OUTAGE = 12;

/** The errors of a write with how telling each is. */
const errorsOf = (write: Write): readonly (readonly [Refusal, number])[] => {
  if (write.point.protocol === "csi")
    return [
      ["deadline-exceeded", 40],
      ["aborted", 30],
      ["unavailable", 25],
      ["internal-error", 20],
    ];
  const { verb } = write.request;
  return [
    ...(verb === "update" || verb === "patch" || verb === "apply" ? [["conflict", 40] as const] : []),
    ["timeout", isRepeatable(write) ? 50 : 25],
    ["internal-error", 30],
    ["unavailable", 15],
    ["too-many-requests", 12],
  ];
};

export const refused: PerturbationRule<"refused"> = {
  type: "refused",
  title: "A request is refused",
  permitted:
    "A server may respond to any request with 409, 429, 500, 503 or 504 (API conventions, HTTP status codes): another client wrote first, priority and fairness refuses the request, etcd changes its leader, a webhook times out, the server itself times out (`--request-timeout`). After 504 the write may have been stored, as the server responds before its handler has ended. A storage driver may respond to any call with UNAVAILABLE, ABORTED, INTERNAL or DEADLINE_EXCEEDED (CSI specification, error scheme and timeouts).",
  describe({ at, with: refusal, times }) {
    const more = times === 1 ? "" : `, as are the ${times - 1} that follow`;
    return `the ${requestNoun(at)} by ${at.actor} is refused with ${WORDS[refusal]}${more}`;
  },
  propose(run) {
    const refuse = (at: RequestPoint, refusal: Refusal, times: number) =>
      ({ type: "refused", at, with: refusal, times }) as const;
    const writes = freshWrites(run).flatMap((write): readonly Candidate[] => [
      ...errorsOf(write).map(([refusal, worth]) =>
        forWrite(write, refuse(write.point, refusal, 1), worth * gravity(write)),
      ),
      forWrite(write, refuse(write.point, "internal-error", OUTAGE), 22 * gravity(write)),
    ]);
    const reads = freshReads(run).flatMap(({ point }): readonly Candidate[] => [
      { perturbation: refuse(point, "internal-error", 1), worth: 30 },
      { perturbation: refuse(point, "internal-error", OUTAGE), worth: 15 },
    ]);
    return [...writes, ...reads];
  },
};
