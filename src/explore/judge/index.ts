/**
 * Returns the faults of a run: compared with clean runs of the same steps, and by itself. Runs are compared in a normal form (`flat.ts`),
 * in which generated names, uids, times and revisions are the same in all runs. Members that differ between clean runs are not judged
 * (`expected.ts`). States are compared after each step (`over-time.ts`); from the trace come deletions (`needless.ts`), writes to objects
 * that were never seen (`unseen.ts`) and writes without end (`restless.ts`). Related suspects are one fault (`roots.ts`).
 *
 * @module
 */
import { encodeYaml } from "../../value/yaml-encode.ts";
import type { Value } from "../../value/value.ts";
import type { Fault } from "../contract/finding.ts";
import type { Judge } from "../contract/judge.ts";
import type { RunRecord } from "../contract/laboratory.ts";
import { objectText } from "../names.ts";
import { Base } from "./base.ts";
import { complaintsOf } from "./complaints.ts";
import { type Count, countsOf } from "./counts.ts";
import { Comparer, type Side } from "./differences.ts";
import { Expected } from "./expected.ts";
import { leafText, memberValue } from "./flat.ts";
import { Ignored, type IgnoredPart } from "./ignored.ts";
import { changesWorld, HISTORY } from "./leeway.ts";
import { Evidence } from "./mechanisms.ts";
import { needlessDeletes } from "./needless.ts";
import { type CleanFacts, overTime } from "./over-time.ts";
import { Periods } from "./periods.ts";
import { restlessness } from "./restless.ts";
import { Revisions } from "./revisions.ts";
import { type Rooted, roots } from "./roots.ts";
import { Sight } from "./seen.ts";
import { rememberedSentence, sentenceOf } from "./sentences.ts";
import { quietOf, withQuiet } from "./short-quiet.ts";
import type { Suspect } from "./suspect.ts";
import { unseenWrites } from "./unseen.ts";
import { type Item, RunView } from "./view.ts";
import { withoutVoidSteps } from "./void.ts";
import { Writers } from "./writers.ts";

/**
 * Makes a judge.
 *
 * @param clean runs without a plan of the same steps, with different seeds: what differs between them is not judged
 * @param ignored kinds and members that are not judged
 * @throws Error if there is no clean run
 */
export const makeJudge = (clean: readonly RunRecord[], ignored: readonly IgnoredPart[] = []): Judge =>
  new WholeJudge(clean, new Ignored(ignored));

/**
 * Adds to the states of all runs the objects from before the scenario that any of them has changed; cuts clean runs to the length of a
 * shorter run.
 */
class WholeJudge implements Judge {
  readonly #clean: readonly RunRecord[];
  readonly #ignored: Ignored;
  readonly #base = new Base();
  readonly #quiet: ReturnType<typeof quietOf>;
  #judge: RunJudge;
  /** Judges of shorter clean runs, by the length of their quiet. */
  readonly #short = new Map<number, RunJudge>();

  constructor(clean: readonly RunRecord[], ignored: Ignored) {
    this.#clean = clean;
    this.#ignored = ignored;
    this.#quiet = clean[0] && quietOf(clean[0]);
    for (const run of clean) this.#base.learn(run);
    this.#judge = this.#make();
  }

  cleanFaults(): readonly Fault[] {
    return this.#judge.cleanFaults();
  }

  faults(run: RunRecord): readonly Fault[] {
    const [whole] = this.#whole(run);
    return this.#judgeOf(run).faults(whole!);
  }

  compare(fresh: RunRecord, changed: RunRecord, comparison: { readonly name: string }): readonly Fault[] {
    const [one, other] = this.#whole(fresh, changed);
    return this.#judge.compare(one!, other!, comparison);
  }

  #whole(...runs: readonly RunRecord[]): readonly RunRecord[] {
    const isNew = runs.map((run) => this.#base.learn(run)).includes(true);
    if (isNew) {
      this.#judge = this.#make();
      this.#short.clear();
    }
    return runs.map((run) => this.#base.whole(run));
  }

  #judgeOf(run: RunRecord): RunJudge {
    const quiet = quietOf(run);
    if (!quiet || !this.#quiet || quiet.step !== this.#quiet.step || quiet.millis >= this.#quiet.millis / 2)
      return this.#judge;
    const known = this.#short.get(quiet.millis) ?? this.#make((one) => withQuiet(one, quiet.millis));
    this.#short.set(quiet.millis, known);
    return known;
  }

  #make(change: (run: RunRecord) => RunRecord = (run) => run): RunJudge {
    return new RunJudge(
      this.#clean.map((run) => this.#base.whole(change(run))),
      this.#ignored,
    );
  }
}

class RunJudge implements Judge {
  readonly #ignored: Ignored;
  readonly #expected: Expected;
  readonly #counts: readonly ReadonlyMap<string, Count>[];
  readonly #facts: CleanFacts;
  readonly #clean: readonly Fault[];
  /** Keys of what clean runs show by themselves: it is no fault of a perturbation. */
  readonly #cleanKeys: ReadonlySet<string>;

  constructor(clean: readonly RunRecord[], ignored: Ignored) {
    this.#ignored = ignored;
    this.#expected = new Expected(clean, ignored);
    const views = this.#expected.runs;
    this.#counts = views.map(({ record, names }) => countsOf(record.trace, names));
    this.#facts = factsOf(views[0]!);
    const all = views.flatMap((view) => this.#report(view, this.#byItself(view)));
    this.#clean = [...new Map(all.map((fault) => [fault.key, fault])).values()];
    this.#cleanKeys = new Set(views.flatMap((view) => this.#byItself(view).map(keyOf)));
  }

  cleanFaults(): readonly Fault[] {
    return this.#clean;
  }

  faults(played: RunRecord): readonly Fault[] {
    const { run, isCut, isWaiting } = withoutVoidSteps(played);
    const view = new RunView(run, this.#ignored, this.#expected);
    const periods = new Periods(run);
    const needless = needlessDeletes(
      this.#counts,
      countsOf(run.trace, view.names),
      (identity) => !this.#ignored.isObject(identity) && !this.#expected.mask(identity.key).count,
      { onlyData: changesWorld(run.order.plan), stepAt: stepAt(view, periods) },
    );
    const suspects = [
      ...overTime(this.#expected, this.#facts, view, { isCut, isWaiting }),
      ...needless,
      ...this.#byItself(view, periods, isCut).filter((suspect) => !this.#cleanKeys.has(keyOf(suspect))),
    ];
    return this.#report(view, suspects);
  }

  compare(fresh: RunRecord, changed: RunRecord, comparison: { readonly name: string }): readonly Fault[] {
    const [left, right] = [fresh, changed].map((run) => new RunView(run, this.#ignored, this.#expected)) as [
      RunView,
      RunView,
    ];
    // A step that the server refuses makes another history than the one that was meant.
    if ([fresh, changed].some(({ complaints }) => complaints.some(({ type }) => type === "step-failed"))) return [];
    const ownKeys = new Set(this.#byItself(left).map(keyOf));
    const own = this.#byItself(right).filter((it) => !this.#cleanKeys.has(keyOf(it)) && !ownKeys.has(keyOf(it)));
    const suspects = left.last && right.last ? this.#remembered(left, right) : [];
    const evidence = new Evidence(left, right);
    return this.#rooted([left, right], [...suspects, ...own], right).map((rooted) =>
      rooted.root.difference
        ? {
            ...faultOf(rooted, rememberedSentence(rooted.root, comparison.name, evidence)),
            kind: "remembers",
            key: keyOf({ ...rooted.root, kind: "remembers" }),
          }
        : faultOf(rooted, sentenceOf(rooted.root, changed.order.plan, evidence)),
    );
  }

  #remembered(left: RunView, right: RunView): readonly Suspect[] {
    const side = (view: RunView): Side => ({ state: view.last!, ...factsOf(view) });
    return new Comparer(this.#expected, HISTORY).differences(side(left), side(right)).map((difference) => ({
      kind: difference.kind,
      identity: difference.identity,
      difference,
      ...(difference.path !== undefined && { path: difference.path }),
      step: right.last!.step,
      severity: difference.isByCluster ? "notice" : "fault",
    }));
  }

  /** The faults of a run without another run. */
  #byItself(view: RunView, periods: Periods = new Periods(view.record), isCut = false): readonly Suspect[] {
    const { record, names } = view;
    const at = stepAt(view, periods);
    return [
      ...unseenWrites(record.trace, new Sight(record.trace), names, at),
      ...restlessness(record, names),
      ...complaintsOf(record, names, { periods, stepAt: at, isCut }),
    ].filter(({ identity }) => !identity || !this.#ignored.isObject(identity));
  }

  #rooted(views: readonly RunView[], suspects: readonly Suspect[], view: RunView): readonly Rooted[] {
    if (suspects.length === 0) return [];
    return roots(suspects, views, (suspect) => placeOf(suspect, views[0]!, view));
  }

  #report(view: RunView, suspects: readonly Suspect[]): readonly Fault[] {
    if (suspects.length === 0) return [];
    const clean = this.#expected.runs[0]!;
    const evidence = new Evidence(clean, view);
    const faults = this.#rooted([clean, view], suspects, view).map((rooted) =>
      faultOf(rooted, sentenceOf(rooted.root, view.record.order.plan, evidence), seqOf(rooted.root, view)),
    );
    return [...new Map(faults.map((fault) => [fault.key, fault])).values()];
  }
}

const factsOf = ({ record, names }: RunView): CleanFacts => ({
  revisions: new Revisions(record.trace, names),
  writers: new Writers(record.trace, names),
});

const stepAt =
  ({ states }: RunView, periods: Periods) =>
  (seq: number): number =>
    states[periods.stateAt(seq)]?.step ?? 0;

/** The key of a fault: its kind, object and member, or what else it is about. */
function keyOf({ kind, identity, path, subject }: Suspect): string {
  const parts = [kind, identity && objectText(identity), path, subject];
  return parts.filter((part) => part !== undefined && part !== "").join(" ");
}

/** Where a suspect begins to show: where a clean run made the missing object, else the first change of the run that differs. */
function placeOf(suspect: Suspect, clean: RunView, run: RunView): number {
  if (suspect.seq !== undefined) return suspect.seq;
  if (!suspect.identity) return Infinity;
  const { key } = suspect.identity;
  const view = suspect.kind === "missing" ? clean : run;
  const first = view.record.trace.find(
    (entry) =>
      entry.type === "change" &&
      view.names.identity(entry.object).key === key &&
      (suspect.kind !== "differs" || entry.after === suspect.difference?.found?.object || entry.change !== "created"),
  );
  return first?.seq ?? Infinity;
}

/** The entry that shows a suspect best: the last change of its object. */
function seqOf({ seq, identity }: Suspect, { record, names }: RunView): number | undefined {
  if (seq !== undefined || !identity) return seq;
  return record.trace.findLast((entry) => entry.type === "change" && names.identity(entry.object).key === identity.key)
    ?.seq;
}

function faultOf({ root, others }: Rooted, sentence: string, seq?: number): Fault {
  const { kind, identity, path, step, severity, difference } = root;
  const expected = difference ? sideText(difference.expected, path) : root.expected;
  const found = [difference ? sideText(difference.found, path) : root.found, ...also(root, others)];
  const text = found.filter((part) => part !== undefined).join("\n");
  const until = untilOf([root, ...others]);
  return {
    kind,
    key: keyOf(root),
    sentence,
    ...(identity && { object: refOf(identity) }),
    ...(path !== undefined && { path }),
    ...(expected !== undefined && { expected }),
    ...(text !== "" && { found: text }),
    step,
    ...(until !== undefined && { until }),
    ...(seq !== undefined && { seq }),
    severity,
  };
}

/** The last step after which a fault, or one that follows from it, shows; undefined where one remains. */
function untilOf(suspects: readonly Suspect[]): number | undefined {
  const faults = suspects.filter(({ severity }) => severity === "fault").map(({ until }) => until ?? Infinity);
  return faults.length === 0 || faults.includes(Infinity) ? undefined : Math.max(...faults);
}

const refOf = ({ group, kind, namespace, name }: NonNullable<Suspect["identity"]>): NonNullable<Fault["object"]> => ({
  group,
  kind,
  ...(namespace !== undefined && { namespace }),
  name,
});

/** One side of a difference: the member, or the object as YAML. */
function sideText(item: Item | undefined, path: string | undefined): string {
  if (!item) return "nothing";
  if (path !== undefined) return memberValue(item.flat, path) ?? "nothing";
  if (!item.object) return [...item.flat].map(([member, leaf]) => `${member}: ${leafText(leaf)}`).join("\n");
  const { managedFields: _managed, ...metadata } = item.object.metadata;
  return encodeYaml({ ...item.object, metadata } as Value);
}

/** The consequences of the root, one line each. */
function also(root: Suspect, others: readonly Suspect[]): readonly string[] {
  const members =
    root.difference?.paths.filter((path) => path !== root.path && !path.startsWith(`${root.path}[`)) ?? [];
  const own =
    root.path === undefined
      ? []
      : members.map((path) => `also ${path}: ${leafText(root.difference?.found?.flat.get(path))}`);
  return [...own, ...new Set(others.map((other) => `also ${keyOf(other)}`))];
}
