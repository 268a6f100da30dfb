/**
 * A {@link Finding} as plain JSON. It may come from anyone, so it is validated strictly.
 *
 * @module
 */
import { isObject, type Value } from "../value/value.ts";
import type { Fault, FaultKind, Finding } from "./contract/finding.ts";
import type { DeliveryPoint, Perturbation, PerturbationType, Refusal, RequestPoint } from "./contract/plan.ts";
import { count, type Decoder, listOf, oneOf, record, StrictError, tagged, text, wholeFrom, word } from "./strict.ts";

/** The format that this version writes. */
const FORMAT = 1;
const MAX_ITEMS = 10_000;

/** Returns the finding of a value. @throws StrictError that names the member which is not as expected */
export function findingOf(value: Value): Finding {
  checkFormat(value);
  return finding(value, "");
}

/** A file of a later version has members that this one does not know: its format is judged before them. */
function checkFormat(value: Value): void {
  if (!isObject(value)) throw new StrictError("expected an object with a format, a scenario, a plan and a fault");
  const { format, versions } = value;
  if (format === FORMAT) return;
  const by =
    isObject(versions) && typeof versions["keelson"] === "string"
      ? `; it was written by keelson ${versions["keelson"]}`
      : "";
  throw new StrictError(`format: expected ${FORMAT}, found ${JSON.stringify(format) ?? "nothing"}${by}`);
}

const requestPoint: Decoder<RequestPoint> = record(
  { actor: word, protocol: oneOf("api", "csi"), verb: word, group: text, kind: word, occurrence: count },
  { namespace: word, name: word, subresource: word },
);

const deliveryPoint: Decoder<DeliveryPoint> = record(
  {
    actor: word,
    group: text,
    kind: word,
    name: word,
    change: oneOf("ADDED", "MODIFIED", "DELETED"),
    occurrence: count,
  },
  { namespace: word },
);

const refusal: Decoder<Refusal> = oneOf(
  "conflict",
  "too-many-requests",
  "internal-error",
  "unavailable",
  "timeout",
  "deadline-exceeded",
  "aborted",
);

const type = <T extends PerturbationType>(name: T): Decoder<T> => oneOf(name);

const PERTURBATIONS: { readonly [T in PerturbationType]: Decoder<Extract<Perturbation, { readonly type: T }>> } = {
  crash: record(
    { type: type("crash"), at: requestPoint, when: oneOf("before", "after", "late"), downMillis: count },
    { victim: oneOf("driver") },
  ),
  "answer-lost": record({ type: type("answer-lost"), at: requestPoint }, {}),
  refused: record({ type: type("refused"), at: requestPoint, with: refusal, times: count }, {}),
  slow: record({ type: type("slow"), at: requestPoint, byMillis: count }, {}),
  lag: record({ type: type("lag"), at: deliveryPoint }, {}),
  gap: record({ type: type("gap"), at: deliveryPoint }, { untilStep: count }),
  "stale-restart": record({ type: type("stale-restart"), at: requestPoint, behind: deliveryPoint }, {}),
  resync: record({ type: type("resync"), at: deliveryPoint }, {}),
  bookmark: record({ type: type("bookmark"), at: deliveryPoint }, {}),
  "lead-changes": record({ type: type("lead-changes"), at: requestPoint }, {}),
  "slow-webhooks": record({ type: type("slow-webhooks"), actor: word, byMillis: count }, {}),
  "node-lost": record({ type: type("node-lost"), step: count, node: word, forMillis: count }, {}),
  "clock-jump": record({ type: type("clock-jump"), step: count, byMillis: count }, {}),
  repeated: record({ type: type("repeated"), at: requestPoint }, {}),
  overtaken: record({ type: type("overtaken"), at: requestPoint }, {}),
};

/** All kinds of faults; the type makes sure that none is left out. */
const KINDS: Readonly<Record<FaultKind, true>> = {
  missing: true,
  leaked: true,
  "stuck-in-deletion": true,
  differs: true,
  dangling: true,
  "stale-status": true,
  "deleted-unseen": true,
  "deleted-needlessly": true,
  "data-lost": true,
  "made-twice": true,
  restless: true,
  fight: true,
  unsettled: true,
  "crash-loop": true,
  failed: true,
  remembers: true,
  always: true,
  eventually: true,
  "step-failed": true,
};

const fault: Decoder<Fault> = record(
  {
    kind: oneOf(...(Object.keys(KINDS) as FaultKind[])),
    key: word,
    sentence: word,
    // -1 for what shows when the programs start.
    step: wholeFrom(-1),
    severity: oneOf("fault", "notice"),
  },
  {
    object: record({ group: text, kind: word }, { namespace: word, name: word }),
    path: word,
    expected: text,
    found: text,
    until: count,
    seq: count,
  },
);

/** A path of a file relative to the finding; neither a URL nor an absolute path. */
const relativeFile: Decoder<string> = (value, path) => {
  const name = word(value, path);
  if (name.includes("\0") || name.startsWith("/") || name.startsWith("\\") || /^[A-Za-z][A-Za-z0-9+.-]*:/.test(name)) {
    throw new StrictError(`${path}: expected a path relative to the finding, found ${JSON.stringify(name)}`);
  }
  return name;
};

const finding: Decoder<Finding> = record(
  {
    format: (): 1 => FORMAT,
    scenario: record({ name: word }, { file: relativeFile }),
    seed: count,
    plan: listOf(tagged(PERTURBATIONS), MAX_ITEMS),
    fault,
    replayed: record({ shown: count, of: count }, {}),
    versions: record({ keelson: word, node: word, platform: word }, {}),
  },
  {
    command: listOf(text, MAX_ITEMS),
    programs: listOf(record({ name: word, command: listOf(text, MAX_ITEMS) }, {}), MAX_ITEMS),
    csi: record({ endpoint: word }, { driver: listOf(text, MAX_ITEMS) }),
    steps: listOf(count, MAX_ITEMS),
  },
);
